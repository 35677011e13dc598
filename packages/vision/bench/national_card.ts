/**
 * Measures the reading of photographed cards of each layout: `node packages/vision/bench/national_card.ts [photos [seed
 * [layout]]]`. Forty invented people are each photographed so many times over all conditions of the photo simulator.
 * Prints a row for each layout: `read` exactly and accepted, `wrong` if a field that is not as printed was accepted,
 * `open` for the rest.
 */

import { foldName } from '@attestor/rules'
import { judgeDocument } from '@attestor/rules/testing'
import { analyse } from '../analyse.ts'
import { readSides } from '../document/read_sides.ts'
import { loadModels } from '../models.ts'
import type { Layout } from '../print/layouts.ts'
import { loadPrintReader } from '../print/load.ts'
import {
  type CardDesign,
  type CardHolder,
  cardDesigns,
  inventNumber,
  renderNationalCard,
} from '../synthetic/national_card.ts'
import { photograph } from '../synthetic/photo.ts'
import { photoConditions } from '../synthetic/photo_taking.ts'
import { person, personSeeds, renderPortrait } from '../synthetic/portrait.ts'
import { seeded } from '../synthetic/random.ts'
import { requestOf } from './request.ts'

const photos = Number(process.argv[2] ?? 200)
const started = Number(process.argv[3] ?? 8_100_000)
const people = 40
const today = '2026-11-26'
const print = await loadPrintReader()
const tools = { models: await loadModels(), falseMatchRate: '0.001', readSides, print } as const

const lastNames =
  'RAHMAN SHARMA SANTOS TAN OKAFOR MENSAH KAMAU OLIVEIRA WALKER NGUYEN MOKOENA HASSAN PATEL SUZUKI CRUZ LIM'.split(' ')
const firstNames = 'AMINA RAVI MARIA WEI CHIDI KOFI JANE LUCAS EMMA MINH THABO SANA KIRAN AKIRA JOSE HUI'.split(' ')

function day(year: number, n: number): string {
  return new Date(Date.UTC(year, 0, 1 + n)).toISOString().slice(0, 10)
}

function inventHolder(design: CardDesign, layout: Layout, seed: number): CardHolder {
  const random = seeded(seed)
  const pick = (from: readonly string[]): string => from[random.below(from.length)] ?? ''
  const date_of_birth = day(1950 + random.below(55), random.below(365))
  const issued = 2020 + random.below(5)
  const on = random.below(365)
  return {
    last_name: pick(lastNames),
    first_name: `${pick(firstNames)} ${pick(firstNames)}`,
    date_of_birth,
    issue_date: day(issued, on),
    expiry_date: day(issued + 10, on),
    document_number: inventNumber(design, date_of_birth, random, layout.isChecked),
  }
}

/** Lists the fields that must be read of a card; names that nothing parts are one. */
function listTruth(design: CardDesign, { fields }: Layout, holder: CardHolder): Readonly<Record<string, string>> {
  const printed = design.texts.map(([text]) => text).join(' ')
  const whole = `${holder.last_name} ${holder.first_name}`
  return {
    document_number: holder.document_number.replace(/[^A-Z0-9]/g, ''),
    names: whole,
    ...(fields.date_of_birth === undefined ? {} : { date_of_birth: holder.date_of_birth }),
    ...(printed.includes('{expiry') ? { expiry_date: holder.expiry_date } : {}),
  }
}

function sortWords(name: string): string {
  return foldName(name)
    .split(' ')
    .filter(word => word !== 'BIN')
    .sort()
    .join(' ')
}

const rows: Record<string, { photos: number; read: number; open: number; wrong: number; cpu_ms: number }> = {}
for (const design of cardDesigns.filter(({ layout }) => layout.startsWith(process.argv[4] ?? ''))) {
  const layout = print.layouts.find(({ name }) => name === design.layout)
  if (layout === undefined) throw new Error(`no layout ${design.layout}`)
  const row = { photos: 0, read: 0, open: 0, wrong: 0, cpu_ms: 0 }
  rows[layout.name] = row
  for (let n = 0; n < photos; n++) {
    const seed = started + n
    const holder = inventHolder(design, layout, started + (n % people))
    const face = person(personSeeds[(n % people) % personSeeds.length] ?? 1)
    const portrait = await renderPortrait(face, { distance: 8, headWidth: 0.6 }, { width: 350, height: 450 })
    const front = await renderNationalCard({ design, holder, portrait, seed })
    const condition = photoConditions[n % photoConditions.length] ?? 'typical'
    const photo = await photograph(front, { seed, condition })
    const before = process.cpuUsage()
    const { document } = await analyse(tools, requestOf({ document_front: photo }))
    const { user, system } = process.cpuUsage(before)
    const { status, data } = judgeDocument(document, {}, today).section
    const said: Readonly<Record<string, unknown>> = {
      ...data,
      names: `${data.last_name ?? ''} ${data.first_name ?? ''}`,
    }
    const differs = Object.entries(listTruth(design, layout, holder)).filter(([field, value]) =>
      field === 'names' ? sortWords(String(said[field])) !== sortWords(value) : said[field] !== value,
    )
    row.photos++
    row.cpu_ms += (user + system) / 1000
    const isPassed = status === 'PASSED' && document?.print?.layout === layout.name
    if (isPassed && differs.length === 0) row.read++
    else if (isPassed) row.wrong++
    else row.open++
    if (differs.length > 0 || !isPassed)
      process.stderr.write(
        `${layout.name} ${seed} ${condition} ${status} ${document?.print?.layout} confirmed ${document?.print?.confirmed}: ` +
          `${differs.map(([field, value]) => `${field} ${said[field]}, printed ${value}`).join('; ')}\n`,
      )
  }
  row.cpu_ms = Math.round(row.cpu_ms / row.photos)
}
console.table(rows)
