/**
 * Measures the reading of photographed European driving licences: `node packages/vision/bench/european_licence.ts
 * [cases [seed [condition]]]`. Every case is another holder, state and photo. Prints a row for each condition of the
 * photo simulator: `passed`, and of these `wrong` if any field is not as printed.
 */

import { foldName } from '@attestor/rules/readings'
import { judgeDocument } from '@attestor/rules/testing'
import { analyse } from '../analyse.ts'
import { readSides } from '../document/read_sides.ts'
import { loadModels } from '../models.ts'
import { loadPrintReader } from '../print/load.ts'
import { renderEuropeanLicence } from '../synthetic/european_licence.ts'
import { photograph } from '../synthetic/photo.ts'
import { photoConditions } from '../synthetic/photo_taking.ts'
import { person, personSeeds, renderPortrait } from '../synthetic/portrait.ts'
import { inventedEuropeanLicence } from '../test/synthetic/invented.ts'

const cases = Number(process.argv[2] ?? 64)
const started = Number(process.argv[3] ?? 8_000_000)
const chosen = photoConditions.filter(condition => condition === process.argv[4])
const conditions = chosen.length > 0 ? chosen : photoConditions
const today = '2026-11-26'

const tools = {
  models: await loadModels(),
  falseMatchRate: '0.001',
  readSides,
  print: await loadPrintReader(),
} as const
const rows: Record<
  string,
  { cases: number; passed: number; wrong: number; open: number; rejected: number; cpu_ms: number }
> = {}

async function draw(seed: number) {
  const face = person(personSeeds[seed % personSeeds.length] ?? 1)
  const portrait = await renderPortrait(face, { distance: 8, headWidth: 0.6 }, { width: 350, height: 450 })
  const { fields, truth } = inventedEuropeanLicence(seed)
  return { front: await renderEuropeanLicence({ fields, portrait, seed }), truth }
}

async function read(photo: Uint8Array) {
  const before = process.cpuUsage()
  const { document } = await analyse(tools, {
    transaction_id: 'bench',
    transaction_type: 'DOCUMENT_AND_BIOMETRIC',
    document_front: photo,
    document_back: null,
    selfie: null,
    challenge: null,
    enrolled_face: null,
  })
  const { user, system } = process.cpuUsage(before)
  return { ...judgeDocument(document, {}, today).section, cpu_ms: Math.round((user + system) / 1000) }
}

for (let n = 0; n < cases; n++) {
  const seed = started + n
  const condition = conditions[n % conditions.length] ?? 'typical'
  const { front, truth } = await draw(seed)
  const { status, data, cpu_ms } = await read(await photograph(front, { seed, condition }))
  const said: Readonly<Record<string, unknown>> = { ...data }
  const differs = Object.entries(truth).filter(([field, value]) =>
    field.endsWith('name') ? foldName(String(said[field])) !== foldName(value) : said[field] !== value,
  )
  if (status === 'PASSED' && differs.length > 0)
    process.stderr.write(
      `${seed}: ${differs.map(([field, value]) => `${field} ${said[field]}, printed ${value}`).join('; ')}\n`,
    )
  rows[condition] ??= { cases: 0, passed: 0, wrong: 0, open: 0, rejected: 0, cpu_ms: 0 }
  const row = rows[condition]
  row.cases++
  row.cpu_ms += cpu_ms
  if (status === 'PASSED') row.passed++
  else if (status === 'REJECTED') row.rejected++
  else row.open++
  if (status === 'PASSED' && differs.length > 0) row.wrong++
}
console.table(
  Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, { ...row, cpu_ms: Math.round(row.cpu_ms / row.cases) }]),
  ),
)
