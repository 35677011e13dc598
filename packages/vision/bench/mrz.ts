/**
 * Measures the reading of photographed zones: `node packages/vision/bench/mrz.ts [cases [width [seed]]]`. Every case is
 * another holder, document and photo; seeds are far from the classifier's training, which shares no distortion with the
 * photos. Prints a row for each format and condition.
 */

import type { DocumentFormat } from '@attestor/rules/synthetic'
import { renderDocument } from '../synthetic/document.ts'
import { photograph } from '../synthetic/photo.ts'
import { photoConditions } from '../synthetic/photo_taking.ts'
import { inventedFields, plainPortrait } from '../test/synthetic/invented.ts'
import { readDocumentZone } from '../zone/document_zone.ts'

const cases = Number(process.argv[2] ?? 120)
const width = Number(process.argv[3] ?? 2000)
const formats: readonly DocumentFormat[] = ['TD1', 'TD2', 'TD3']

interface Row {
  cases: number
  exact: number
  exact_corrected: number
  invalid: number
  wrong_but_valid: number
  unread: number
  cpu_ms: number
  most_cpu_ms: number
}

const rows = new Map<string, Row>()
const started = Number(process.argv[4] ?? 5_000_000)
for (let n = 0; n < cases; n++) {
  const format = formats[n % formats.length] ?? 'TD3'
  const condition = photoConditions[Math.floor(n / formats.length) % photoConditions.length] ?? 'typical'
  const fields = inventedFields(format, started + n)
  const order = { format, fields, portrait: plainPortrait, seed: started + n }
  const { front, back, mrz } = await renderDocument(order)
  const photo = await photograph(back ?? front, { seed: started + n, condition, width })
  const before = process.cpuUsage()
  const sight = await readDocumentZone(photo, null)
  const used = process.cpuUsage(before)
  const exact = sight.mrz?.lines.join('\n') === mrz.join('\n')
  for (const name of [
    `${format} ${condition}`,
    `${format} all`,
    `all ${condition}`,
    'all all',
    ...(condition === 'unusable' ? [] : ['all but unusable']),
  ]) {
    const row = rows.get(name) ?? {
      cases: 0,
      exact: 0,
      exact_corrected: 0,
      invalid: 0,
      wrong_but_valid: 0,
      unread: 0,
      cpu_ms: 0,
      most_cpu_ms: 0,
    }
    row.cases++
    if (exact) row.exact++
    if (exact && (sight.mrz?.corrected_characters ?? 0) > 0) row.exact_corrected++
    if (sight.mrz === null) row.unread++
    else if (!sight.mrz.valid) row.invalid++
    else if (!exact) row.wrong_but_valid++
    row.cpu_ms += (used.user + used.system) / 1000
    row.most_cpu_ms = Math.max(row.most_cpu_ms, Math.round((used.user + used.system) / 1000))
    rows.set(name, row)
  }
  if (!exact)
    console.log(
      `${n} ${format} ${condition}: ${sight.reading}\n  ${mrz.join('\n  ')}\n  ${sight.mrz?.lines.join('\n  ')}`,
    )
}
console.table(
  Object.fromEntries(
    [...rows].sort().map(([name, row]) => [name, { ...row, cpu_ms: Math.round(row.cpu_ms / row.cases) }]),
  ),
)
