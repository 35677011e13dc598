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

import type { PrintField, PrintReading } from '@attestor/rules'
import { foldName, listUnconfirmed } from '@attestor/rules/readings'
import { written } from '../../../src/cli/intervals.ts'
import { openCardPhotos, type ShownCard } from './card_photos.ts'

const range = (process.argv[2] ?? '200').split('-').map(Number)
const [firstPhoto, endPhoto] = [range.length > 1 ? (range[0] ?? 0) : 0, range.at(-1) ?? 0]
const started = Number(process.argv[3] ?? 8_100_000)
const wanted = process.argv[4]?.split(',')
const photos = await openCardPhotos(started, process.env.READINGS ?? null)

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
function listWrong({ design, holder, layout: { fields } }: ShownCard, reading: PrintReading): string[] {
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
  for (const shown of photos.list(n)) {
    const { layout, condition } = shown
    if (wanted?.includes(layout.name) === false) continue
    const reading = (await photos.read(shown, true))?.reading ?? null
    const wrong = reading && listWrong(shown, reading)
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
