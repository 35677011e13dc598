/** What a picture's header says of it, as sharp tells it. */
export interface PictureHeader {
  readonly format?: string | undefined
  readonly width: number
  readonly height: number
  readonly channels?: number | undefined
  /** Of a sample: `uchar`, `ushort`. */
  readonly depth?: string | undefined
  readonly isProgressive?: boolean | undefined
  readonly chromaSubsampling?: string | undefined
}

/**
 * Samples of a picture: 50 megapixels in colour with an alpha. One of 16 bits counts as four: 24 megapixels of them with an
 * alpha took 1.5 CPU seconds to be decoded for both looks at a document, and of 8 bits in colour 0.2.
 */
const most_samples = 200_000_000
const deep_weight = 4
/** Bytes that a decoder may hold at once: 24 megapixels of any picture of 8 bits and three colours, whatever its codec. */
const most_held = 150_000_000

/**
 * Bytes that a decoder holds at once. Most pictures come in strips; a progressive JPEG's coefficients are kept to the
 * last scan (two bytes each), an interlaced PNG to the last pass, a WebP whole (four bytes a pixel).
 */
const heldBytes = (header: PictureHeader, bytes: number): number => {
  const { format, width, height, channels = 3, isProgressive = false, chromaSubsampling } = header
  if (format === 'webp') return width * height * 4
  if (!isProgressive) return 0
  if (format !== 'jpeg') return bytes
  return width * height * 2 * (chromaSubsampling === '4:2:0' ? 1.5 : channels)
}

/** Whether a picture can be decoded in the memory and time that one picture may take; told from its header alone. */
export const isAffordable = (header: PictureHeader): boolean => {
  const { width, height, channels = 3, depth } = header
  const samples = width * height * channels
  const is_deep = depth !== 'uchar' && depth !== undefined
  const bytes = is_deep ? 2 * samples : samples
  return samples * (is_deep ? deep_weight : 1) <= most_samples && heldBytes(header, bytes) <= most_held
}
