/**
 * How well photographed driving licences are read: `node test/bench/barcode.ts [cases [width [seed]]]`. Every case is
 * another holder, card and photo. Prints a row for each condition of the photo simulator.
 */
import { parseAamva } from '../../src/analysis/local/document/aamva.ts'
import { loadBarcodeReader, readBarcode } from '../../src/analysis/local/document/barcode.ts'
import { renderLicence } from '../../src/synthetic/licence.ts'
import { photograph } from '../../src/synthetic/photo.ts'
import { photoConditions } from '../../src/synthetic/photo_taking.ts'
import { inventedLicence, plainPortrait } from '../synthetic/invented.ts'

const cases = Number(process.argv[2] ?? 64)
const width = Number(process.argv[3] ?? 2000)
const started = Number(process.argv[4] ?? 8_000_000)

const rows: Record<string, { cases: number; exact: number; wrong: number; unread: number; cpu_ms: number }> = {}
await loadBarcodeReader()
for (let n = 0; n < cases; n++) {
  const condition = photoConditions[n % photoConditions.length] ?? 'typical'
  const seed = started + n
  const standard = { version: 1 + (n % 10) }
  const { back, text } = await renderLicence({ fields: inventedLicence(seed), standard, portrait: plainPortrait, seed })
  const photo = await photograph(back, { seed, condition, width })
  const before = process.cpuUsage()
  const reading = await readBarcode(photo)
  const used = process.cpuUsage(before)
  const exact = JSON.stringify(reading) === JSON.stringify(parseAamva(text))
  for (const name of [condition, ...(condition === 'unusable' ? [] : ['all but unusable'])]) {
    rows[name] ??= { cases: 0, exact: 0, wrong: 0, unread: 0, cpu_ms: 0 }
    const row = rows[name]
    row.cases++
    if (reading === null) row.unread++
    else if (exact) row.exact++
    else row.wrong++
    row.cpu_ms += Math.round((used.user + used.system) / 1000)
  }
}
console.table(
  Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, { ...row, cpu_ms: Math.round(row.cpu_ms / row.cases) }]),
  ),
)
