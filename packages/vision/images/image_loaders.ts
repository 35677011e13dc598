import sharp from 'sharp'

/**
 * Restricts the loaders at the start of a process that decodes: libvips loads JPEG, PNG and WebP from memory only, and
 * caches nothing.
 */
export function restrictImageLoaders(): void {
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({
    operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
  })
}
