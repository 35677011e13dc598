import type { MrzFormat } from '@attestor/rules'
import { pageMeasures, portraitMm } from '../../document_measures.ts'
import { type Sheet, securityPaper } from './paper.ts'
import { fitted, type Holder, inventHolder } from './people.ts'
import { type Chance, chance } from './random.ts'
import { type Truth, truthOf } from './truth.ts'
import { type Family, textOutline, visualFamilies } from './visual_text.ts'
import { composeZone, type ZoneText } from './zone_lines.ts'
import { printOf, zoneOutlines, zonePitch } from './zone_print.ts'

/** One side as SVG in millimetres, without its outer element. */
export interface Side extends Sheet {
  readonly content: string
  /** The zone's place, at which a finger or a reflection may be put; null if the side has no zone. */
  readonly zone: { readonly left: number; readonly top: number; readonly width: number; readonly height: number } | null
  readonly corner: number
}

/** A printed document, and its true content. Only a `TD1` has its zone on the back. */
export interface PrintedDocument {
  readonly holder: Holder
  /** The zone; without lines if the document has a barcode instead. */
  readonly zone: Pick<ZoneText, 'lines'>
  readonly truth: Truth
  readonly front: Side
  readonly back: Side | null
}

function sheetOf(format: MrzFormat, corner: number) {
  const { width, height } = pageMeasures[format]
  return { width, height, corner }
}

/** The corners of real passports and visas differ from the norm of cards. */
export const sheets: Readonly<Record<MrzFormat, Sheet & { readonly corner: number }>> = {
  TD1: sheetOf('TD1', 3.2),
  TD2: sheetOf('TD2', 3.2),
  TD3: sheetOf('TD3', 1.5),
  MRVA: sheetOf('MRVA', 0),
  MRVB: sheetOf('MRVB', 0),
  FRENCH_ID: sheetOf('FRENCH_ID', 3),
}

/** Distance of the last baseline from the lower edge, in millimetres. */
export const zoneBelow: Readonly<Record<MrzFormat, readonly [from: number, to: number]>> = {
  TD1: [3.9, 6.6],
  TD2: [6.2, 9.5],
  TD3: [6.2, 9.5],
  MRVA: [4, 9],
  MRVB: [6.2, 9.5],
  FRENCH_ID: [6.2, 9.5],
}

const codes: Readonly<Record<MrzFormat, readonly [string, ...string[]]>> = {
  TD1: ['I', 'ID', 'IR', 'AR', 'C'],
  TD2: ['I', 'ID', 'IR'],
  TD3: ['P', 'P', 'P', 'PO', 'PD'],
  MRVA: ['V', 'VC'],
  MRVB: ['V', 'VS'],
  FRENCH_ID: ['ID'],
}

const titles = [
  'IDENTITY CARD',
  'CARTE D’IDENTITÉ',
  'PERSONALAUSWEIS',
  'PASSPORT / PASSEPORT',
  'DOCUMENTO',
  'UTOPIA',
] as const

const labels: readonly (readonly [keyof Holder, string, string])[] = [
  ['last_name', 'Surname / Nom', 'Apellidos'],
  ['first_name', 'Given names / Prénoms', 'Vornamen'],
  ['date_of_birth', 'Date of birth', 'Geburtsdatum'],
  ['sex', 'Sex / Sexe', 'Sexo'],
  ['document_number', 'No.', 'Document no.'],
  ['issue_date', 'Date of issue', 'Délivrée le'],
  ['expiry_date', 'Date of expiry', 'Fecha de caducidad'],
]

function shuffled<T>(list: readonly T[], random: Chance): T[] {
  return list
    .map(item => ({ item, key: random.next() }))
    .sort((one, other) => one.key - other.key)
    .map(({ item }) => item)
}

function written(value: string, manner: number): string {
  const date = /^(\d{4})-(\d\d)-(\d\d)$/.exec(value)
  if (date === null) return value
  const [, year = '', month = '', day = ''] = date
  return manner === 0 ? `${day}.${month}.${year}` : manner === 1 ? `${day} ${month} ${year}` : `${year}-${month}-${day}`
}

interface Box extends Sheet {
  readonly x: number
  readonly y: number
}

function place(outline: { path: string; width: number }, x: number, y: number, most: number): string {
  const squeeze = Math.min(1, most / outline.width)
  return `<path transform="translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${(0.01 * squeeze).toFixed(5)} 0.01)" d="${outline.path}"/>`
}

/** Draws the visual zone: its fields in an order, language, typeface and ink of their own. */
function fields(holder: Holder, box: Box, { random, family }: { random: Chance; family: Family }): string {
  const rows = random.happens(0.4) ? [...labels] : [...labels.slice(0, 2), ...shuffled(labels.slice(2), random)]
  const step = box.height / rows.length
  const language = random.below(2)
  const manner = random.below(3)
  const ink = random.pick(['#111', '#1c1c30', '#2b1a14', '#222'])
  const weight = random.happens(0.5) ? 700 : 400
  const capitals = random.happens(0.75)
  return rows
    .map(([key, one, other], row) => {
      const y = box.y + row * step
      const text = written(String(holder[key] ?? ''), manner)
      const label = textOutline(language === 0 ? one : other, { family, weight: 400, size: step * 0.26 })
      const value = textOutline(capitals ? text.toLocaleUpperCase('en') : text, { family, weight, size: step * 0.5 })
      return `<g fill="#567">${place(label, box.x, y + step * 0.28, box.width)}</g><g fill="${ink}">${place(value, box.x, y + step * 0.8, box.width)}</g>`
    })
    .join('')
}

/** Draws a head and shoulders that no detector need find: for benches of the zone alone. */
function silhouette({ x, y, width, height }: Box): string {
  return (
    `<svg x="${x}" y="${y}" width="${width}" height="${height}" viewBox="0 0 35 45" preserveAspectRatio="xMidYMid slice">` +
    '<rect width="35" height="45" fill="#d8dde0"/><ellipse cx="17.5" cy="19" rx="9" ry="12" fill="#9a8377"/>' +
    '<ellipse cx="17.5" cy="45" rx="16" ry="12" fill="#4a5568"/></svg>'
  )
}

function picture(portrait: Uint8Array | null, box: Box): string {
  if (portrait === null) return silhouette(box)
  const data = `data:image/png;base64,${Buffer.from(portrait).toString('base64')}`
  return `<image x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" href="${data}" preserveAspectRatio="xMidYMid slice"/>`
}

/** Draws the side with portrait and visual zone: `below` millimetres are left free for the zone. */
export function picturedSide(
  holder: Holder,
  sheet: Sheet,
  {
    random,
    family,
    portrait,
    below,
    right,
  }: { random: Chance; family: Family; portrait: Uint8Array | null; below: number; right: boolean },
): string {
  const margin = random.between(3, 5)
  const top = sheet.height * random.between(0.14, 0.19)
  const space = sheet.height - top - below - 1.5
  const high = Math.min(space, portraitMm.height)
  const wide = Math.min(high * random.between(0.76, 0.82), portraitMm.width, sheet.width * 0.34)
  const at = right ? sheet.width - margin - wide : margin
  const text = { x: right ? margin : at + wide + 4, y: top, width: sheet.width - wide - margin * 2 - 5, height: space }
  const title = textOutline(random.pick(titles), { family, weight: 700, size: sheet.height * 0.062 })
  const head = `<g fill="hsl(${random.below(360)} 50% 25%)">${place(title, random.between(4, sheet.width * 0.3), top * 0.7, sheet.width * 0.6)}</g>`
  const paper = securityPaper(sheet, random, family)
  return (
    paper +
    head +
    picture(portrait, { x: at, y: top, width: wide, height: high }) +
    fields(holder, text, { random, family })
  )
}

function zoneOf(text: ZoneText, sheet: Sheet, { random, seed, bad }: { random: Chance; seed: number; bad: boolean }) {
  const print = printOf(text.format, random, bad)
  const columns = text.lines[0]?.length ?? 0
  const width = columns * print.pitch
  const left = Math.max(1, (sheet.width - width) / 2 + random.between(-1.2, 1.2))
  const base = sheet.height - random.between(...zoneBelow[text.format])
  const height = (text.lines.length - 1) * print.lineSpacing + zonePitch
  const ink = `rgb(${[0, 1, 2].map(() => Math.round(random.between(8, 62))).join(' ')})`
  const paling = `<rect y="${base - height - 2}" width="${sheet.width}" height="${height + 20}" fill="#fff" opacity="${random.between(0.1, 0.75).toFixed(2)}"/>`
  return {
    svg: `${paling}<g color="${ink}">${zoneOutlines(text.lines, { left, base, seed }, print)}</g>`,
    box: { left, top: base - height, width, height },
  }
}

/** The order for one printed document. */
export interface DocumentOrder {
  readonly seed: number
  readonly format: MrzFormat
  /** The holder's picture, PNG; if it is null, a silhouette is drawn. */
  readonly portrait: Uint8Array | null
  /** Whether the printer leaves parts of characters out. */
  readonly bad_print?: boolean
}

/**
 * Prints a document of a holder who does not exist, imitating no state's design. The same order gives the same
 * document.
 */
export function printDocument({ seed, format, portrait, bad_print = false }: DocumentOrder): PrintedDocument {
  const random = chance(seed, 'document')
  const holder = fitted(inventHolder(seed), format, random)
  const zone = composeZone(format, holder, random.pick(codes[format]))
  const { corner, ...sheet } = sheets[format]
  const family = random.pick(visualFamilies)
  const { svg, box } = zoneOf(zone, sheet, { random, seed, bad: bad_print })
  // A passport's portrait is on the left (ICAO 9303 part 4); cards differ.
  const right = format === 'TD1' || format === 'TD2' ? random.happens(0.35) : false
  const below = format === 'TD1' ? 2 : sheet.height - box.top + 1
  const pictured = picturedSide(holder, sheet, { random, family, portrait, below, right })
  const common = { holder, zone, truth: truthOf(holder, zone) }
  if (format !== 'TD1')
    return { ...common, front: { ...sheet, corner, zone: box, content: pictured + svg }, back: null }
  const content = securityPaper(sheet, chance(seed, 'back'), family) + svg
  return {
    ...common,
    front: { ...sheet, corner, zone: null, content: pictured },
    back: { ...sheet, corner, zone: box, content },
  }
}
