/**
 * Measures the reading of photographed cards of each layout: `node packages/vision/bench/national_card.ts [photos [seed
 * [layout,…]]]`, with `100-200` as photos only those from the hundredth on. Forty invented people are photographed in turn
 * over all conditions of the photo simulator, each card with the scripts of its state if the machine has Debian's
 * fonts-noto. Only the portrait and the print are sought, as in a document without a zone or a barcode. Prints a row for
 * each layout and each condition: `read` if all that is printed is accepted exactly, `wrong` if a field is accepted that
 * is not as printed, `open` for the rest.
 *
 * `READINGS=DIR` keeps photos and readings, and goes on where an earlier run ended.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { PrintField, PrintReading } from '@attestor/rules'
import { foldName, listUnconfirmed } from '@attestor/rules/readings'
import { written } from '../../../src/cli/intervals.ts'
import { openMemory } from '../capture_memory.ts'
import { createQuarterTurns, findSurePortrait } from '../face/portrait.ts'
import { decodeDocument } from '../images/document_picture.ts'
import { loadModels } from '../models.ts'
import type { Layout } from '../print/layouts.ts'
import { loadPrintReader } from '../print/load.ts'
import { type LocatedPortrait, readPrint } from '../print/printed_side.ts'
import {
  type CardDesign,
  type CardHolder,
  cardDesigns,
  renderNationalBack,
  renderNationalCard,
} from '../synthetic/national_card.ts'
import { photograph } from '../synthetic/photo.ts'
import { photoConditions } from '../synthetic/photo_taking.ts'
import { person, personSeeds, renderPortrait } from '../synthetic/portrait.ts'
import { inventHolder } from './card_people.ts'
import { keepReadings } from './kept_readings.ts'

const range = (process.argv[2] ?? '200').split('-').map(Number)
const [firstPhoto, endPhoto] = [range.length > 1 ? (range[0] ?? 0) : 0, range.at(-1) ?? 0]
const started = Number(process.argv[3] ?? 8_100_000)
const wanted = process.argv[4]?.split(',')
const people = 40
const folder = process.env.READINGS
if (folder !== undefined) mkdirSync(folder, { recursive: true })
const { models, reader } = { models: await loadModels(), reader: await loadPrintReader() }

type Condition = (typeof photoConditions)[number]

async function keep(name: string, make: () => Promise<Uint8Array | null>): Promise<Uint8Array | null> {
  const file = folder && `${folder}/${name}`
  if (file && existsSync(file)) return new Uint8Array(readFileSync(file))
  const made = await make()
  if (file && made) writeFileSync(file, made)
  return made
}

async function locatePortrait(image: Uint8Array): Promise<LocatedPortrait | null> {
  const turned = createQuarterTurns((await decodeDocument(image)).pixels)
  const found = await findSurePortrait(models, turned)
  if (found === null) return null
  const pixels = turned(found.quarterTurns)
  const { landmarks } = found.face
  return { landmarks, loadPixels: async () => pixels, size: pixels, quarterTurns: found.quarterTurns }
}

const portraits = new Map<number, ReturnType<typeof renderPortrait>>()

/** The portrait of the holder of photo `n`, which is drawn once for all layouts. */
function drawHolder(n: number): ReturnType<typeof renderPortrait> {
  const seed = personSeeds[(n % people) % personSeeds.length] ?? 1
  const drawn =
    portraits.get(seed) ?? renderPortrait(person(seed), { distance: 8, headWidth: 0.6 }, { width: 350, height: 450 })
  portraits.set(seed, drawn)
  return drawn
}

interface Shown {
  readonly design: CardDesign
  readonly holder: CardHolder
  readonly n: number
  readonly condition: Condition
}

async function read({ design, holder, n, condition }: Shown): Promise<PrintReading | null> {
  const seed = started + n
  const name = `${design.layout}_${seed}`
  const drawFront = async () => {
    const portrait = await drawHolder(n)
    return photograph(await renderNationalCard({ design, holder, portrait, seed }), { seed, condition })
  }
  const drawBack = async () => {
    const back = await renderNationalBack({ design, holder, seed })
    return back && photograph(back, { seed: seed + 500_000, condition })
  }
  const image = (await keep(`${name}.front.jpg`, drawFront)) ?? new Uint8Array()
  const other = await keep(`${name}.back.jpg`, drawBack)
  const print = { ...reader, read: keepReadings(reader.read, folder ? `${folder}/${name}.json` : null) }
  const side = { capture: 'document_front', portrait: await locatePortrait(image), image, other } as const
  const unread = { findings: { reading: 'NOT_READABLE', mrz: null }, locatePage: null } as const
  return (await readPrint(print, { ...side, scan: unread }, openMemory()))?.reading ?? null
}

/** Names in any order: nothing on many a card parts them. */
function sortWords(name: string): string {
  if (/\p{Script=Han}/u.test(name)) return name.trim()
  return foldName(name)
    .split(' ')
    .filter(word => word !== 'BIN')
    .sort()
    .join(' ')
}

/** Lists the fields that are printed but not read so; an issue date is on no decision's way and may stay unread. */
function listWrong({ design, holder }: Shown, { fields }: Layout, reading: PrintReading): string[] {
  const printed = [...design.texts, ...(design.back ?? [])].map(([text]) => text).join(' ')
  const { last_name, first_name, confirmed } = reading
  const isOwn = printed.includes('{own}')
  const names = isOwn ? holder.own_name : `${holder.last_name} ${holder.first_name}`
  const number = holder.document_number.replace(/[^A-Z0-9]/g, '')
  const dates = (['date_of_birth', 'issue_date', 'expiry_date'] as const).filter(
    field => fields[field] !== undefined && printed.includes(`{${field.replace(/^date_of_|_date$/g, '')} `),
  )
  const isParted = first_name !== null && last_name !== null
  const isAs = (read: string, expected: string): boolean => sortWords(read) === sortWords(expected)
  const wrongNames = isParted
    ? (['last_name', 'first_name'] as const).filter(field => !isAs(reading[field] ?? '', holder[field]))
    : isAs(last_name ?? first_name ?? '', names)
      ? []
      : ['last_name']
  return [
    ...wrongNames,
    ...(reading.document_number === number ? [] : ['document_number']),
    ...dates.filter(field => reading[field] !== holder[field]),
  ].filter(field => field !== 'issue_date' || confirmed.includes('issue_date'))
}

interface Row {
  photos: number
  read: number
  open: number
  wrong: number
}

const rows = new Map<string, Row>()

function count(name: string, what: 'read' | 'open' | 'wrong'): void {
  const row = rows.get(name) ?? { photos: 0, read: 0, open: 0, wrong: 0 }
  row.photos++
  row[what]++
  rows.set(name, row)
}

for (let n = firstPhoto; n < endPhoto; n++)
  for (const design of cardDesigns) {
    if (wanted?.includes(design.layout) === false) continue
    const layout = reader.layouts.find(({ name }) => name === design.layout)
    if (layout === undefined) throw new Error(`no layout ${design.layout}`)
    const condition = photoConditions[n % photoConditions.length] ?? 'typical'
    const shown = { design, holder: inventHolder(design, layout, started + (n % people)), n, condition }
    const reading = await read(shown)
    const wrong = reading && listWrong(shown, layout, reading)
    const isAccepted = reading?.layout === layout.name && listUnconfirmed(reading).length === 0
    // A field that is sure counts even where another one leaves the document open.
    const isSure = (field: string): boolean => reading?.confirmed.includes(field as PrintField) ?? false
    const what = wrong?.some(isSure) ? 'wrong' : isAccepted ? 'read' : 'open'
    for (const name of [layout.name, condition]) count(name, what)
    if (what !== 'read')
      process.stderr.write(`${what} ${layout.name} ${started + n} ${condition} ${JSON.stringify(reading)} ${wrong}\n`)
  }
for (const [name, { photos: all, read: exact, open, wrong }] of rows)
  console.log(`${name}: read ${written(exact, all)}, open ${open}, wrong ${wrong}`)
