/// <reference path="./openjpeg.d.ts" />
import loadOpenJpeg from '@cornerstonejs/codec-openjpeg/decodewasmjs'
import { isAffordable } from './decode_cost.ts'
import { type CodedSize, requireAffordableCoding } from './jpeg2000_header.ts'
import type { RgbImage } from './raster.ts'

/** ISO/IEC 15444-1, annex I: a file of boxes. `jp2c` is the codestream, `pclr` a palette, `colr` the colours. */
const signature = Buffer.from('0000000c6a5020200d0a870a', 'hex')
/** SOC, and SIZ, which has to follow it (annex A). */
const codestreamStart = Buffer.from('ff4fff51', 'hex')
const maxBoxes = 64
const [sRgb, grey] = [16, 17]

interface Box {
  readonly type: string
  readonly content: Buffer
}

function readBoxes(bytes: Buffer): Box[] {
  const boxes: Box[] = []
  for (let at = 0; at + 8 <= bytes.length && boxes.length < maxBoxes; ) {
    const stated = bytes.readUInt32BE(at)
    const [header, length] = stated === 1 && at + 16 <= bytes.length ? [16, bytes.readUInt32BE(at + 12)] : [8, stated]
    const end = length === 0 ? bytes.length : at + length
    if (end < at + header || end > bytes.length) throw new Error('a box is malformed')
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), content: bytes.subarray(at + header, end) })
    at = end
  }
  return boxes
}

/** Returns the codestream of a file, which must hold plain RGB or grey. */
function findCodestream(bytes: Buffer): Buffer {
  if (!bytes.subarray(0, signature.length).equals(signature)) return bytes
  const boxes = readBoxes(bytes)
  const inner = boxes.filter(({ type }) => type === 'jp2h').flatMap(({ content }) => readBoxes(content))
  if (inner.some(({ type }) => type === 'pclr')) throw new Error('it has a palette')
  const spaces = inner.flatMap(({ type, content }) =>
    type === 'colr' && content[0] === 1 && content.length >= 7 ? [content.readUInt32BE(3)] : [],
  )
  if (spaces.some(space => space !== sRgb && space !== grey)) throw new Error('its colours are not RGB or grey')
  const codestream = boxes.find(({ type }) => type === 'jp2c')
  if (codestream === undefined) throw new Error('it has no codestream')
  return codestream.content
}

type Size = CodedSize

const sizeBytes = 40
const maxTiles = 256

/**
 * Reads SIZ (A.5.1) of a portrait: 8 bits, one or three colours or an alpha, none of them coarser. Throws for anything
 * else.
 */
function readSize(codestream: Buffer): Size {
  const channels = codestream.length >= sizeBytes + 2 ? codestream.readUInt16BE(sizeBytes) : 0
  const components = codestream.subarray(sizeBytes + 2, sizeBytes + 2 + channels * 3)
  if (!codestream.subarray(0, 4).equals(codestreamStart) || channels < 1 || channels > 4)
    throw new Error('its codestream is malformed')
  const isPlain =
    components.length === channels * 3 && components.every((value, at) => value === (at % 3 === 0 ? 7 : 1))
  if (!isPlain) throw new Error('its samples are not of eight bits each')
  const at = (index: number): number => codestream.readUInt32BE(8 + index * 4)
  const [width, height] = [at(0) - at(2), at(1) - at(3)]
  const tiles = Math.ceil(at(0) / at(4)) * Math.ceil(at(1) / at(5))
  if (!(width > 0 && height > 0 && tiles <= maxTiles)) throw new Error('its size is malformed')
  return { width, height, channels, tiles }
}

/** Converts samples to RGB. One or two samples a pixel are grey, and an alpha. */
function toRgb(samples: Uint8Array, { width, height, channels }: Size): Uint8Array {
  const data = new Uint8Array(width * height * 3)
  const [green, blue] = channels < 3 ? [0, 0] : [1, 2]
  for (let to = 0, from = 0; to < data.length; to += 3, from += channels) {
    data[to] = samples[from] ?? 0
    data[to + 1] = samples[from + green] ?? 0
    data[to + 2] = samples[from + blue] ?? 0
  }
  return data
}

function ignoreOutput(): void {}

let loading: ReturnType<typeof loadOpenJpeg> | null = null

/** Decodes a JPEG 2000, a file or a bare codestream, if its header says that it can be afforded. Rejects otherwise. */
export async function decodeJpeg2000(image: Uint8Array): Promise<RgbImage> {
  const codestream = findCodestream(Buffer.from(image.buffer, image.byteOffset, image.byteLength))
  const size = readSize(codestream)
  if (!isAffordable({ format: 'jp2', ...size })) throw new Error('it would take too much to decode')
  requireAffordableCoding(codestream, size)
  loading ??= loadOpenJpeg({ print: ignoreOutput, printErr: ignoreOutput })
  const { J2KDecoder } = await loading
  const decoder = new J2KDecoder()
  try {
    decoder.getEncodedBuffer(codestream.length).set(codestream)
    decoder.decode()
    const samples = decoder.getDecodedBuffer()
    if (samples.length !== size.width * size.height * size.channels) throw new Error('its codestream is damaged')
    return { width: size.width, height: size.height, data: toRgb(samples, size) }
  } finally {
    decoder.delete()
  }
}
