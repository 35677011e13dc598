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

/** Bytes of all of a picture's samples: 50 megapixels in colour with an alpha. Twice as deep ones take twice as long. */
const most_samples = 200_000_000
/** Bytes that a decoder may hold at once: 24 megapixels of any picture of 8 bits and three colours, whatever its codec. */
const most_held = 150_000_000

/**
 * Bytes that a decoder holds at once. Most pictures come in strips; a progressive JPEG's coefficients are kept to the
 * last scan (two bytes each), an interlaced PNG to the last pass, a WebP whole (four bytes a pixel).
 */
const heldBytes = (header: PictureHeader, samples: number): number => {
  const { format, width, height, channels = 3, isProgressive = false, chromaSubsampling } = header
  if (format === 'webp') return width * height * 4
  if (!isProgressive) return 0
  if (format !== 'jpeg') return samples
  return width * height * 2 * (chromaSubsampling === '4:2:0' ? 1.5 : channels)
}

/** Whether a picture can be decoded in the memory and time that one picture may take; told from its header alone. */
export const isAffordable = (header: PictureHeader): boolean => {
  const { width, height, channels = 3, depth } = header
  const samples = width * height * channels * (depth === 'uchar' || depth === undefined ? 1 : 2)
  return samples <= most_samples && heldBytes(header, samples) <= most_held
}
