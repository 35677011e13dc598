/**
 * Measures the reading of photographed driving licences: `node packages/vision/bench/barcode.ts [cases [width [seed
 * [places]]]]`; with `places` only the places that look like a barcode are read. Every case is another holder, card and
 * photo. Prints a row for each condition of the photo simulator, and one for photos of fronts, whose exact reading is
 * none.
 */
import { parseAamva } from '../barcode/aamva.ts'
import { loadBarcodeReader, readBarcode } from '../barcode/read_barcode.ts'
import { renderLicence } from '../synthetic/licence.ts'
import { photograph } from '../synthetic/photo.ts'
import { photoConditions } from '../synthetic/photo_taking.ts'
import { inventedLicence, plainPortrait } from '../test/synthetic/invented.ts'

const cases = Number(process.argv[2] ?? 64)
const width = Number(process.argv[3] ?? 2000)
const started = Number(process.argv[4] ?? 8_000_000)

const rows: Record<string, { cases: number; exact: number; wrong: number; unread: number; cpu_ms: number }> = {}
await loadBarcodeReader()

async function measure(photo: Uint8Array, text: string | null, names: readonly string[]): Promise<void> {
  const before = process.cpuUsage()
  const found = await readBarcode(photo, { anywhere: process.argv[5] !== 'places' })
  const { user, system } = process.cpuUsage(before)
  const reading = found?.reading ?? null
  const exact = JSON.stringify(reading) === JSON.stringify(text === null ? null : parseAamva(text))
  for (const name of names) {
    rows[name] ??= { cases: 0, exact: 0, wrong: 0, unread: 0, cpu_ms: 0 }
    const row = rows[name]
    row.cases++
    if (exact) row.exact++
    else if (reading === null) row.unread++
    else row.wrong++
    row.cpu_ms += Math.round((user + system) / 1000)
  }
}

for (let n = 0; n < cases; n++) {
  const condition = photoConditions[n % photoConditions.length] ?? 'typical'
  const seed = started + n
  const order = { fields: inventedLicence(seed), standard: { version: 1 + (n % 10) }, portrait: plainPortrait, seed }
  const { front, back, text } = await renderLicence(order)
  const photo = await photograph(back, { seed, condition, width })
  await measure(photo, text, [condition, ...(condition === 'unusable' ? [] : ['all but unusable'])])
  if (n % 4 === 1) await measure(await photograph(front, { seed, condition, width }), null, ['no barcode'])
}
console.table(
  Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, { ...row, cpu_ms: Math.round(row.cpu_ms / row.cases) }]),
  ),
)
