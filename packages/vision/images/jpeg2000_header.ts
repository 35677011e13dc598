/** Bounds the memory that a codestream's headers make a decoder allocate, beside that of its samples. */

/** Markers of ISO/IEC 15444-1, annex A. */
const [cod, coc, sot, sod] = [0xff52, 0xff53, 0xff90, 0xff93]

/**
 * Portraits have one precinct for each resolution, blocks of 32 or 64 samples and some ten layers. OpenJPEG allocates
 * 150 bytes a block and 200 a precinct before it has read any, and a header of 100 bytes may ask for millions.
 */
const maxPrecincts = 20_000
const maxBlocks = 100_000
const maxPackets = 200_000
const maxMarkers = 10_000

export interface CodedSize {
  readonly width: number
  readonly height: number
  readonly channels: number
  readonly tiles: number
}

interface CodingStyle {
  readonly levels: number
  readonly blockWidth: number
  readonly blockHeight: number
  /** Exponents of a precinct's size for each resolution; if there are none, precincts are as large as they can be. */
  readonly precincts: Buffer
}

/** Reads SPcod and SPcoc (A.6.1). */
function readStyle(parameters: Buffer, hasPrecincts: boolean): CodingStyle {
  if (parameters.length < 5) throw new Error('its coding style is malformed')
  const [levels = 0, width = 0, height = 0] = parameters
  const precincts = hasPrecincts ? parameters.subarray(5, 6 + levels) : Buffer.alloc(0)
  if (levels > 32 || width > 8 || height > 8 || (hasPrecincts && precincts.length !== levels + 1))
    throw new Error('its coding style is malformed')
  return { levels, blockWidth: 2 ** (width + 2), blockHeight: 2 ** (height + 2), precincts }
}

/** Returns the number of parts of a size that fit into a length, and one more for a part that is cut at each end. */
function countParts(length: number, size: number): number {
  return Math.ceil(length / size) + 1
}

/** Counts precincts and code-blocks of one component, as if the image were one tile: more tiles have a few more. */
function countOfComponent({ width, height, tiles }: CodedSize, style: CodingStyle) {
  let precincts = 0
  let blocks = 0
  for (let resolution = 0; resolution <= style.levels; resolution++) {
    const scale = 2 ** (style.levels - resolution)
    const exponents = style.precincts[resolution] ?? 0xff
    const [across, down] = [Math.ceil(width / scale), Math.ceil(height / scale)]
    precincts += countParts(across, 2 ** (exponents & 15)) * countParts(down, 2 ** (exponents >> 4))
    const [blockWidth, blockHeight] = [
      Math.min(style.blockWidth, 2 ** (exponents & 15)),
      Math.min(style.blockHeight, 2 ** (exponents >> 4)),
    ]
    blocks += countParts(across, blockWidth) * countParts(down, blockHeight)
  }
  return { precincts: precincts + tiles * (style.levels + 1), blocks }
}

function requireAffordable(size: CodedSize, style: CodingStyle, layers: number): void {
  const { precincts, blocks } = countOfComponent(size, style)
  const isAffordable =
    precincts * size.channels <= maxPrecincts &&
    blocks * size.channels <= maxBlocks &&
    precincts * size.channels * layers <= maxPackets
  if (!isAffordable) throw new Error('it would take too much to decode')
}

interface Marker {
  readonly code: number
  /** The content of the segment after the marker's length. */
  readonly content: Buffer
  readonly at: number
}

/** Lists the marker segments of the main header and of the headers of all tile-parts. The tiles' data is skipped. */
function* listMarkers(codestream: Buffer): Generator<Marker> {
  let tilePartEnd = codestream.length
  for (let at = 2, count = 0; at + 4 <= codestream.length; count++) {
    if (count > maxMarkers) throw new Error('its codestream has too many markers')
    const code = codestream.readUInt16BE(at)
    if (code === sod) {
      at = tilePartEnd
      continue
    }
    const length = codestream.readUInt16BE(at + 2)
    if (code < 0xff00 || length < 2 || at + 2 + length > codestream.length) return
    const content = codestream.subarray(at + 4, at + 2 + length)
    if (code === sot && content.length >= 8) {
      const partLength = content.readUInt32BE(2)
      tilePartEnd = partLength === 0 ? codestream.length : at + partLength
      if (tilePartEnd <= at) throw new Error('its codestream is malformed')
    }
    yield { code, content, at }
    at += 2 + length
  }
}

/** Throws unless every coding style that a header names, for all components or for one, can be afforded. */
export function requireAffordableCoding(codestream: Buffer, size: CodedSize): void {
  const componentBytes = size.channels < 257 ? 1 : 2
  let layers = 1
  let styles = 0
  for (const { code, content } of listMarkers(codestream)) {
    if (code !== cod && code !== coc) continue
    const isForAll = code === cod
    const start = isForAll ? 0 : componentBytes
    const scod = content[start] ?? 0
    if (isForAll && content.length >= 5) layers = Math.max(1, content.readUInt16BE(2))
    const parameters = content.subarray(isForAll ? 5 : start + 1)
    requireAffordable(size, readStyle(parameters, (scod & 1) === 1), layers)
    styles++
  }
  if (styles === 0) throw new Error('its codestream has no coding style')
}
