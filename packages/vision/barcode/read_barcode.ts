import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { BarcodeReading, PictureQuad } from '@attestor/rules'
import { prepareZXingModule, type ReaderOptions, type ReadResult, readBarcodes } from 'zxing-wasm/reader'
import type { Point } from '../geometry/pixels.ts'
import { toQuad } from '../geometry/regions.ts'
import { decodeDocument, type GreyImage } from '../images/document_picture.ts'
import { parseAamva } from './aamva.ts'
import { type BarcodeRegion, findBarcodeRegions } from './find_regions.ts'
import { type FlatBarcode, fitPlane, rectifyBarcode } from './plane.ts'

/** Loads the library's program from the package: by default the library would fetch it from a public server. */
async function loadReader(): Promise<void> {
  const wasm = await readFile(fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')))
  await prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer }, fireImmediately: true })
}

let preparing: Promise<void> | null = null

/** Loads the reader once: every caller in the process gets the same promise. */
export function loadBarcodeReader(): Promise<void> {
  preparing ??= loadReader()
  return preparing
}

const options: ReaderOptions = {
  formats: ['PDF417'],
  binarizer: 'LocalAverage',
  textMode: 'Plain',
  tryHarder: true,
  tryRotate: false,
  tryInvert: false,
  tryDownscale: false,
  maxNumberOfSymbols: 1,
}

/**
 * Widths of the barcode for the reader, in pixels. The first one reads most barcodes; neither others nor another way to
 * make black and white read more.
 */
const widths = [800, 1200] as const

type Input = Parameters<typeof readBarcodes>[0]

/** The library takes a browser's ImageData; in Node a plain object with the same members will do. */
function asImageData({ data, width, height }: GreyImage): Input {
  const rgba = new Uint8ClampedArray(width * height * 4)
  for (let pixel = 0, at = 0; pixel < data.length; pixel++, at += 4) {
    const value = data[pixel] ?? 0
    rgba[at] = value
    rgba[at + 1] = value
    rgba[at + 2] = value
    rgba[at + 3] = 255
  }
  return { data: rgba, width, height, colorSpace: 'srgb' } as Input
}

/** A barcode as read, and its place in the photo. */
export interface FoundBarcode {
  readonly reading: BarcodeReading
  readonly place: PictureQuad | null
}

function toFound(found: ReadResult | undefined, grey: GreyImage, toPhoto: FlatBarcode['toPhoto']): FoundBarcode | null {
  const reading = found?.isValid ? parseAamva(found.text) : null
  if (found === undefined || reading === null) return null
  const { topLeft, topRight, bottomRight, bottomLeft } = found.position
  const at = ({ x, y }: { readonly x: number; readonly y: number }): Point => toPhoto(x, y)
  return { reading, place: toQuad([at(topLeft), at(topRight), at(bottomRight), at(bottomLeft)], grey) }
}

/** The library needs level rows, so it gets the barcode as seen straight from above. */
async function readRegion(grey: GreyImage, place: BarcodeRegion): Promise<FoundBarcode | null> {
  const plane = fitPlane(grey, place)
  if (plane === null) return null
  for (const width of widths) {
    const { picture, toPhoto } = rectifyBarcode(grey, plane, width)
    const [found] = await readBarcodes(asImageData(picture), options)
    if (found?.isValid) return toFound(found, grey, toPhoto)
  }
  return null
}

/**
 * Runs the library's own search. It reads close-ups that show no place of a barcode, and finds none on tilted cards.
 */
async function readAnywhere(grey: GreyImage): Promise<FoundBarcode | null> {
  const [found] = await readBarcodes(asImageData(grey), { ...options, tryRotate: true, tryDownscale: true })
  return toFound(found, grey, (x, y) => [x, y])
}

/**
 * Reads the PDF417 of a North American driving licence or identification card from a photo of the side that carries it;
 * with `anywhere`, also if no place looks like one. Null if there is none, or another kind of barcode. Rejects with
 * `UnreadableImageError`.
 */
export async function readBarcode(
  image: Uint8Array,
  { anywhere }: { anywhere: boolean },
): Promise<FoundBarcode | null> {
  await loadBarcodeReader()
  const { grey } = await decodeDocument(image)
  for (const place of findBarcodeRegions(grey)) {
    const reading = await readRegion(grey, place)
    if (reading !== null) return reading
  }
  return anywhere ? readAnywhere(grey) : null
}
