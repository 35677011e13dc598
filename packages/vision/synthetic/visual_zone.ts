import type { DocumentFields, DocumentFormat } from '@attestor/rules/synthetic'
import { type TextStyle, type Typeface, textPath } from './lettering.ts'
import type { Random } from './random.ts'

/** The place of the printed text on a page, in millimetres, and its heading. */
export interface VisualPlace {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

interface Wording {
  /** The titles of a passport and of a card. */
  readonly titles: readonly [passport: string, card: string]
  readonly labels: Readonly<Record<Label, string>>
  readonly months: readonly string[]
}

type Label = 'last_name' | 'first_name' | 'nationality' | 'sex' | 'birth' | 'place' | 'number' | 'issue' | 'expiry'

const english: Wording = {
  titles: ['PASSPORT', 'IDENTITY CARD'],
  labels: {
    last_name: 'Surname',
    first_name: 'Given names',
    nationality: 'Nationality',
    sex: 'Sex',
    birth: 'Date of birth',
    place: 'Place of birth',
    number: 'Document No.',
    issue: 'Date of issue',
    expiry: 'Date of expiry',
  },
  months: 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' '),
}

const french: Wording = {
  titles: ['PASSEPORT', "CARTE D'IDENTITÉ"],
  labels: {
    last_name: 'Nom',
    first_name: 'Prénoms',
    nationality: 'Nationalité',
    sex: 'Sexe',
    birth: 'Date de naissance',
    place: 'Lieu de naissance',
    number: 'N° du document',
    issue: 'Date de délivrance',
    expiry: "Date d'expiration",
  },
  months: 'JANV FÉVR MARS AVR MAI JUIN JUIL AOÛT SEPT OCT NOV DÉC'.split(' '),
}

const spanish: Wording = {
  titles: ['PASAPORTE', 'DOCUMENTO DE IDENTIDAD'],
  labels: {
    last_name: 'Apellidos',
    first_name: 'Nombre',
    nationality: 'Nacionalidad',
    sex: 'Sexo',
    birth: 'Fecha de nacimiento',
    place: 'Lugar de nacimiento',
    number: 'Núm. documento',
    issue: 'Fecha de expedición',
    expiry: 'Fecha de caducidad',
  },
  months: 'ENE FEB MAR ABR MAY JUN JUL AGO SEP OCT NOV DIC'.split(' '),
}

const german: Wording = {
  titles: ['REISEPASS', 'PERSONALAUSWEIS'],
  labels: {
    last_name: 'Name',
    first_name: 'Vornamen',
    nationality: 'Staatsangehörigkeit',
    sex: 'Geschlecht',
    birth: 'Geburtsdatum',
    place: 'Geburtsort',
    number: 'Ausweisnummer',
    issue: 'Ausstellungsdatum',
    expiry: 'Gültig bis',
  },
  months: 'JAN FEB MÄRZ APR MAI JUNI JULI AUG SEPT OKT NOV DEZ'.split(' '),
}

/** Wordings in one language, or in the first with English beside it. */
const languages: readonly (readonly Wording[])[] = [
  [english],
  [french, english],
  [spanish],
  [german, english],
  [french],
  [spanish, english],
]

type DatePrinter = (year: string, month: string, day: string, wordings: readonly Wording[]) => string

function monthName(month: string, wordings: readonly Wording[]): string {
  return [...new Set(wordings.map(wording => wording.months[Number(month) - 1] ?? ''))].join('/')
}

const datePrinters: readonly DatePrinter[] = [
  (year, month, day, wordings) => `${day} ${monthName(month, wordings)} ${year}`,
  (year, month, day) => `${day}.${month}.${year}`,
  (year, month, day, wordings) => `${day} ${monthName(month, wordings)} ${year.slice(2)}`,
  (year, month, day) => `${day} ${month} ${year}`,
  (year, month, day) => `${day}/${month}/${year}`,
  (year, month, day) => `${year}-${month}-${day}`,
]

const typefaces: readonly (readonly [label: Typeface, value: Typeface])[] = [
  ['sans', 'sans_bold'],
  ['condensed', 'sans'],
  ['sans', 'condensed_bold'],
  ['serif', 'serif_bold'],
]

const places = ['NORTHPORT', 'SÃO MIGUEL', 'ÉTRETAT', 'ZÜRICH', 'UTOPIA CITY', 'KØGE']

function pick<T>(from: readonly T[], random: Random, otherwise: T): T {
  return from[random.below(from.length)] ?? otherwise
}

/** Returns the day ten years before the expiry, on which most documents are issued. */
function issued(expiry: string): string {
  return `${Number(expiry.slice(0, 4)) - 10}${expiry.slice(4)}`
}

type Cell = readonly [label: Label, value: string]

function drawRows(
  fields: DocumentFields,
  place: string,
  print: (date: string) => string,
): readonly (readonly Cell[])[] {
  return [
    [['last_name', fields.last_name.toUpperCase()]],
    [['first_name', fields.first_name.toUpperCase()]],
    [
      ['nationality', fields.nationality],
      ['sex', fields.sex],
    ],
    [
      ['birth', print(fields.date_of_birth)],
      ['place', place],
    ],
    [
      ['number', fields.document_number],
      ['issue', print(issued(fields.expiry_date))],
    ],
    [['expiry', print(fields.expiry_date)]],
  ]
}

/**
 * Draws the printed text of a page as SVG, in millimetres: labels in one or two of four languages, a typeface and a way
 * to write dates, all by the seed.
 */
export function visualZone(
  { format, fields }: { readonly format: DocumentFormat; readonly fields: DocumentFields },
  { left, right, top, bottom }: VisualPlace,
  random: Random,
): string {
  const wordings = pick(languages, random, [english])
  const [labelFace, valueFace] = pick(typefaces, random, ['sans', 'sans_bold'])
  const printDate = pick(datePrinters, random, (year, month, day) => `${day} ${month} ${year}`)
  const print = (date: string): string => {
    const [year = '', month = '', day = ''] = date.split('-')
    return printDate(year, month, day, wordings)
  }
  const rows = drawRows(fields, pick(places, random, ''), print)
  const step = (bottom - top) / rows.length
  const at = (x: number, y: number, size: number): Omit<TextStyle, 'face'> => ({ x, y, size, maxWidth: right - x })
  const printed = rows.flatMap((cells, row) =>
    cells.map(([label, value], column) => {
      const x = left + column * (right - left) * 0.56
      const width = cells.length > 1 && column === 0 ? { at_most: (right - left) * 0.53 } : {}
      const text = [...new Set(wordings.map(wording => wording.labels[label]))].join(' / ')
      const small = { ...at(x, top + (row + 0.24) * step, step * 0.27), ...width, face: labelFace }
      const large = { ...at(x, top + (row + 0.8) * step, step * 0.48), ...width, face: valueFace }
      return `<g fill="#445">${textPath(text, small)}</g><g fill="#151515">${textPath(value, large)}</g>`
    }),
  )
  const title = wordings.map(({ titles }) => titles[format === 'TD3' ? 0 : 1]).join(' / ')
  const heading = textPath(title, { ...at(left, top - 5, 4.4), face: 'sans_bold' })
  return `<g fill="#1c2a4c">${heading}</g>${printed.join('')}`
}
