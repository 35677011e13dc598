/** The header of a picture, in sharp's members; `jp2` is JPEG 2000. */
export interface ImageHeader {
  readonly format?: string | undefined
  readonly width: number
  readonly height: number
  readonly channels?: number | undefined
  /** Type of a sample: `uchar`, `ushort`. */
  readonly depth?: string | undefined
  readonly isProgressive?: boolean | undefined
  readonly chromaSubsampling?: string | undefined
}

/**
 * The most samples of a picture: 50 megapixels of three colours and an alpha. A baseline JPEG, which is shrunk while it
 * is decoded, may have any number: 200 megapixels take 0.14 CPU seconds and 30 MB. A sample of 16 bits counts as four:
 * 24 megapixels of those with an alpha took 1.5 CPU seconds to decode for both passes over a document; with 8 bits and
 * without alpha, 0.2.
 */
const maxSamples = 200_000_000
const deepSampleWeight = 4
/** The most bytes that a decoder may hold at once, for any codec: 24 megapixels of 8 bits and three colours. */
const maxHeldBytes = 150_000_000

/** OpenJPEG holds each sample twice in four bytes, and the result. */
const jpeg2000Weight = 9

/**
 * Estimates the bytes that a decoder holds at once. Most images come in strips. A progressive JPEG's coefficients stay
 * until the last scan (two bytes each), an interlaced PNG until the last pass, and a WebP is decoded whole (four bytes
 * a pixel), as is a JPEG 2000.
 */
function estimateHeldBytes(header: ImageHeader, bytes: number): number {
  const { format, width, height, channels = 3, isProgressive = false, chromaSubsampling } = header
  if (format === 'webp') return width * height * 4
  if (format === 'jp2') return bytes * jpeg2000Weight
  if (!isProgressive) return 0
  if (format !== 'jpeg') return bytes
  return width * height * 2 * (chromaSubsampling === '4:2:0' ? 1.5 : channels)
}

/** Returns whether an image can be decoded in the memory and the time that one image may take, by its header alone. */
export function isAffordable(header: ImageHeader): boolean {
  const { format, width, height, channels = 3, depth, isProgressive = false } = header
  if (format === 'jpeg' && !isProgressive) return true
  const samples = width * height * channels
  const isDeep = depth !== 'uchar' && depth !== undefined
  const bytes = isDeep ? 2 * samples : samples
  return samples * (isDeep ? deepSampleWeight : 1) <= maxSamples && estimateHeldBytes(header, bytes) <= maxHeldBytes
}
