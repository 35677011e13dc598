import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { prepareZXingModule, type ReaderOptions, readBarcodes } from 'zxing-wasm/reader'
import type { BarcodeReading } from '../../port.ts'
import { parseAamva } from './aamva.ts'
import { decodeGrey, type Grey } from './picture.ts'
import { type Skew, skewOf } from './skew.ts'

/** Left alone the library would fetch its program from a server of others. */
const prepare = async (): Promise<void> => {
  const wasm = await readFile(fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')))
  await prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer }, fireImmediately: true })
}

let preparing: Promise<void> | null = null

/** Loads the reader; the same promise for every caller in the process. */
export const loadBarcodeReader = (): Promise<void> => {
  preparing ??= prepare()
  return preparing
}

const options: ReaderOptions = {
  formats: ['PDF417'],
  textMode: 'Plain',
  tryHarder: true,
  tryRotate: true,
  tryInvert: false,
  tryDownscale: false,
  maxNumberOfSymbols: 2,
}

/**
 * Longest sides in pixels, what is done about the skew, and how the picture is made black and white: the first reads
 * most, the others the rest. The library hardly bears rows that are not level.
 */
const passes = [
  { longest: 1000, upright: 'bars and rows', binarizer: 'LocalAverage' },
  { longest: 1300, upright: 'rows', binarizer: 'GlobalHistogram' },
  { longest: 800, upright: 'rows', binarizer: 'LocalAverage' },
  { longest: 1600, upright: 'bars and rows', binarizer: 'GlobalHistogram' },
  { longest: 1000, upright: 'nothing', binarizer: 'LocalAverage' },
] as const

type Upright = (typeof passes)[number]['upright']

/** The map that levels the rows and uprights the bars. */
const uprighting = ({ bars, rows }: Skew): [[number, number], [number, number]] => {
  const [row, bar] = [(rows * Math.PI) / 180, (bars * Math.PI) / 180]
  const area = Math.cos(bar - row)
  return [
    [Math.cos(bar) / area, Math.sin(bar) / area],
    [-Math.sin(row) / area, Math.cos(row) / area],
  ]
}

const turned = async ({ data, width, height }: Grey, skew: Skew, upright: Upright): Promise<Grey> => {
  if (upright === 'nothing') return { data, width, height }
  const { rows, bars } = skew
  const map = uprighting({ rows, bars: upright === 'rows' ? rows : bars })
  const picture = sharp(data, { raw: { width, height, channels: 1 } }).affine(map, { background: '#808080' })
  const { data: done, info } = await picture.toColourspace('b-w').raw().toBuffer({ resolveWithObject: true })
  return { data: done, width: info.width, height: info.height }
}

type Input = Parameters<typeof readBarcodes>[0]

/** The library takes what a browser calls ImageData, in Node a plain object of the same members. */
const asImageData = ({ data, width, height }: Grey): Input => {
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

/**
 * Reads the PDF417 of a North American driving licence or identification card from a photo of the side that carries it.
 * Null where there is none, or another's. Rejects with `UnreadableImage`.
 */
export const readBarcode = async (image: Uint8Array): Promise<BarcodeReading | null> => {
  await loadBarcodeReader()
  let skew: Skew | null = null
  for (const { longest, upright, binarizer } of passes) {
    const grey = await decodeGrey(image, longest)
    skew ??= skewOf(grey)
    const found = await readBarcodes(asImageData(await turned(grey, skew, upright)), { ...options, binarizer })
    const readings = found.filter(({ isValid }) => isValid).map(({ text }) => parseAamva(text))
    const reading = readings.find(read => read !== null)
    if (reading !== undefined) return reading
  }
  return null
}
