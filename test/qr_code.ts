import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'

const wasm = readFile(fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')))

/** Reads QR codes in a picture, as a phone does. */
export async function readQrCodes(picture: Uint8Array): Promise<readonly string[]> {
  const { buffer: wasmBinary } = new Uint8Array(await wasm)
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true })
  const found = await readBarcodes(new Uint8Array(picture), { formats: ['QRCode'] })
  return found.map(({ text }) => text)
}

/**
 * Paints a code as a dark terminal shows it: each character is two squares, one above the other, and its ink is light.
 */
export function paintTerminal(lines: readonly string[]): Promise<Buffer> {
  const width = Math.max(...lines.map(line => line.length))
  const light = ['█▀', '█▄']
  const rows = lines.flatMap(line =>
    light.map(inks => [...line.padEnd(width)].map(ink => (inks.includes(ink) ? 255 : 0))),
  )
  const raw = { width, height: rows.length, channels: 1 } as const
  return sharp(Uint8Array.from(rows.flat()), { raw })
    .resize({ width: 8 * width, kernel: 'nearest' })
    .png()
    .toBuffer()
}
