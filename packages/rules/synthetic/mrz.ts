/** The formats that we render: `TD1` and `TD2` are cards, `TD3` a passport's data page (ICAO 9303 parts 4 to 6). */
export type DocumentFormat = 'TD1' | 'TD2' | 'TD3'

/** An issuer's data about the holder. Dates are `YYYY-MM-DD`, states three-letter codes (`UTO` is ICAO's specimen). */
export interface DocumentFields {
  /** One or two characters: `P`, `I`, `ID`, `AC` … */
  readonly document_code: string
  readonly issuing_state: string
  readonly nationality: string
  readonly document_number: string
  readonly last_name: string
  readonly first_name: string
  readonly date_of_birth: string
  readonly expiry_date: string
  readonly sex: 'F' | 'M' | 'X'
  /** The issuer's optional data. */
  readonly personal_number: string | null
}

const weights = [7, 3, 1]

function characterValue(character: string): number {
  if (character >= '0' && character <= '9') return Number(character)
  if (character >= 'A' && character <= 'Z') return character.charCodeAt(0) - 55
  return 0
}

/** ICAO 9303 part 3, 4.9: weights 7, 3, 1; digits count as themselves, letters from 10, the filler 0; modulo 10. */
export function composeCheckDigit(text: string): string {
  return String(
    [...text].reduce((sum, character, at) => sum + characterValue(character) * (weights[at % 3] ?? 0), 0) % 10,
  )
}

/** ICAO 9303 part 3, 6: letters that become two. Others lose their marks. */
const transliterated: Readonly<Record<string, string>> = {
  Ä: 'AE',
  Ö: 'OE',
  Ü: 'UE',
  ẞ: 'SS',
  ß: 'SS',
  Æ: 'AE',
  Ø: 'OE',
  Å: 'AA',
  Œ: 'OE',
  Þ: 'TH',
  Ð: 'D',
  Đ: 'D',
  Ł: 'L',
  Ħ: 'H',
  ı: 'I',
}

/** A name in the zone's alphabet: transliterated, apostrophes and dots left out, spaces and hyphens as fillers. */
function mrzName(name: string): string {
  return [...name.normalize('NFC').toUpperCase()]
    .map(letter => transliterated[letter] ?? letter)
    .join('')
    .normalize('NFD')
    .replace(/[\u0300-\u036f'’.]/gu, '')
    .replace(/[^A-Z]+/g, '<')
    .replace(/^<+|<+$/g, '')
}

function fill(text: string, length: number): string {
  return text.slice(0, length).padEnd(length, '<')
}

/** Shortens names that are too long for the field: each keeps at least a character (ICAO 9303 part 3, 4.6). */
function names({ last_name, first_name }: DocumentFields, length: number): string {
  const last = mrzName(last_name)
  const first = mrzName(first_name)
  if (first === '') return fill(last, length)
  return fill(`${last.slice(0, length - 3)}<<${first}`, length)
}

function plain(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, '<')
}

function shortDate(date: string): string {
  return date.slice(2).replaceAll('-', '')
}

function withCheck(text: string): string {
  return text + composeCheckDigit(text)
}

/** ICAO 9303 part 5, 4.2.2: a number of more than 9 characters runs on into the optional data, with its check digit. */
function numberAndOptional(fields: DocumentFields, optional: number): readonly [number: string, rest: string] {
  const number = plain(fields.document_number)
  const data = plain(fields.personal_number ?? '')
  if (number.length <= 9) return [withCheck(fill(number, 9)), fill(data, optional)]
  const rest = `${number.slice(9)}${composeCheckDigit(number)}<`
  return [`${number.slice(0, 9)}<`, fill(rest + data, optional)]
}

const sexes = { F: 'F', M: 'M', X: '<' } as const

function td1(fields: DocumentFields): string[] {
  const [number, optional] = numberAndOptional(fields, 15)
  const first = fill(fields.document_code, 2) + fill(fields.issuing_state, 3) + number + optional
  const birth = withCheck(shortDate(fields.date_of_birth))
  const expiry = withCheck(shortDate(fields.expiry_date))
  const second = fill('', 11)
  const composite = composeCheckDigit(first.slice(5) + birth + expiry + second)
  return [
    first,
    birth + sexes[fields.sex] + expiry + fill(fields.nationality, 3) + second + composite,
    names(fields, 30),
  ]
}

function td2(fields: DocumentFields): string[] {
  const [number, optional] = numberAndOptional(fields, 7)
  const birth = withCheck(shortDate(fields.date_of_birth))
  const expiry = withCheck(shortDate(fields.expiry_date))
  const composite = composeCheckDigit(number + birth + expiry + optional)
  return [
    fill(fields.document_code, 2) + fill(fields.issuing_state, 3) + names(fields, 31),
    number + fill(fields.nationality, 3) + birth + sexes[fields.sex] + expiry + optional + composite,
  ]
}

function td3(fields: DocumentFields): string[] {
  const number = withCheck(fill(plain(fields.document_number), 9))
  const birth = withCheck(shortDate(fields.date_of_birth))
  const expiry = withCheck(shortDate(fields.expiry_date))
  const personal = withCheck(fill(plain(fields.personal_number ?? ''), 14))
  const composite = composeCheckDigit(number + birth + expiry + personal)
  return [
    fill(fields.document_code, 2) + fill(fields.issuing_state, 3) + names(fields, 39),
    number + fill(fields.nationality, 3) + birth + sexes[fields.sex] + expiry + personal + composite,
  ]
}

const composers = { TD1: td1, TD2: td2, TD3: td3 } as const

/** The machine-readable zone of a document: 3 lines of 30, 2 of 36 or 2 of 44 characters, check digits included. */
export function composeMrz(format: DocumentFormat, fields: DocumentFields): string[] {
  return composers[format](fields)
}
