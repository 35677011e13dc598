import type { MrzFormat } from '@attestor/rules'
import type { Holder } from './people.ts'

/** The lines of a zone before they are printed, and its raw document code. */
export interface ZoneText {
  readonly format: MrzFormat
  readonly document_code: string
  readonly lines: readonly string[]
}

/** ICAO 9303 part 3, 6: letters written as two, or as one that is no mere letter without its mark. */
const letters: Readonly<Record<string, string>> = {
  Ä: 'AE',
  Å: 'AA',
  Æ: 'AE',
  Ö: 'OE',
  Ø: 'OE',
  Œ: 'OE',
  Ü: 'UE',
  ß: 'SS',
  Ð: 'D',
  Đ: 'D',
  Ł: 'L',
  Þ: 'TH',
  İ: 'I',
}

/** Writes a name as a zone does: letters and single fillers. */
export function zoneName(name: string): string {
  let written = ''
  for (const letter of name.normalize('NFC')) {
    const upper = letter === 'ß' ? 'ß' : letter.toUpperCase()
    const plain = letters[upper] ?? upper.normalize('NFD').replace(/\p{M}/gu, '')
    if (/^[A-Z]+$/.test(plain)) written += plain
    else if (/[\s-]/.test(plain)) written += '<'
  }
  return written.replace(/<+/g, '<')
}

function pad(text: string, length: number): string {
  return text.slice(0, length).padEnd(length, '<')
}

/** Returns the check digit (ICAO 9303 part 3, 4.9). */
export function digitOf(text: string): string {
  let sum = 0
  for (let at = 0; at < text.length; at++) {
    const value = text[at] === '<' ? 0 : Number.parseInt(text.charAt(at), 36)
    sum += value * ([7, 3, 1][at % 3] ?? 0)
  }
  return String(sum % 10)
}

function checked(text: string): string {
  return text + digitOf(text)
}

function short(date: string): string {
  return date.slice(2, 4) + date.slice(5, 7) + date.slice(8)
}

function sexOf({ sex }: Holder): string {
  return sex === 'X' ? '<' : sex
}

function names(holder: Holder, length: number): string {
  const last = zoneName(holder.last_name)
  const first = zoneName(holder.first_name)
  // Each part of a name that is too long keeps something (ICAO 9303 part 3, 4.6).
  return first === '' ? pad(last, length) : pad(`${last.slice(0, length - 3)}<<${first}`, length)
}

/** A number of more than nine characters runs on in the optional data (ICAO 9303 part 5, 4.2.2). */
function cardNumber({ document_number, personal_number }: Holder, optional: number): readonly [string, string] {
  const data = personal_number ?? ''
  if (document_number.length <= 9) return [checked(pad(document_number, 9)), pad(data, optional)]
  const head = document_number.slice(0, 9)
  const tail = document_number.slice(9)
  return [`${head}<`, pad(`${tail}${digitOf(`${head}${tail}`)}<${data}`, optional)]
}

const compose: Readonly<Record<MrzFormat, (holder: Holder, code: string) => string[]>> = {
  TD1: (holder, code) => {
    const [number, optional] = cardNumber(holder, 15)
    const first = pad(code, 2) + pad(holder.issuing_state.code, 3) + number + optional
    const birth = checked(short(holder.date_of_birth))
    const expiry = checked(short(holder.expiry_date))
    const rest = pad('', 11)
    const digit = digitOf(first.slice(5) + birth + expiry + rest)
    const second = birth + sexOf(holder) + expiry + pad(holder.nationality.code, 3) + rest + digit
    return [first, second, names(holder, 30)]
  },
  TD2: (holder, code) => {
    const [number, optional] = cardNumber(holder, 7)
    const birth = checked(short(holder.date_of_birth))
    const expiry = checked(short(holder.expiry_date))
    const digit = digitOf(number + birth + expiry + optional)
    return [
      pad(code, 2) + pad(holder.issuing_state.code, 3) + names(holder, 31),
      number + pad(holder.nationality.code, 3) + birth + sexOf(holder) + expiry + optional + digit,
    ]
  },
  TD3: (holder, code) => {
    const number = checked(pad(holder.document_number, 9))
    const birth = checked(short(holder.date_of_birth))
    const expiry = checked(short(holder.expiry_date))
    const personal = pad(holder.personal_number ?? '', 14)
    // Part 4, 4.2.2.2: without a personal number its digit may be a zero or a filler.
    const optional = personal + (holder.personal_number === null && holder.sex === 'F' ? '<' : digitOf(personal))
    const digit = digitOf(number + birth + expiry + optional)
    return [
      pad(code, 2) + pad(holder.issuing_state.code, 3) + names(holder, 39),
      number + pad(holder.nationality.code, 3) + birth + sexOf(holder) + expiry + optional + digit,
    ]
  },
  MRVA: (holder, code) => visa(holder, code, 44),
  MRVB: (holder, code) => visa(holder, code, 36),
  FRENCH_ID: (holder, code) => {
    const first = `${code}FRA${pad(zoneName(holder.last_name), 25)}${holder.document_number.slice(4, 7)}001`
    const birth = checked(short(holder.date_of_birth))
    const given = pad(zoneName(holder.first_name).replaceAll('<', '<<'), 14)
    const second = checked(holder.document_number) + given + birth + sexOf(holder)
    return [first, second + digitOf(first + second)]
  },
}

/** Writes a visa's zone (ICAO 9303 part 7): it is a passport's, without a composite digit. */
function visa(holder: Holder, code: string, columns: 36 | 44): string[] {
  return [
    pad(code, 2) + pad(holder.issuing_state.code, 3) + names(holder, columns - 5),
    checked(pad(holder.document_number, 9)) +
      pad(holder.nationality.code, 3) +
      checked(short(holder.date_of_birth)) +
      sexOf(holder) +
      checked(short(holder.expiry_date)) +
      pad(holder.personal_number ?? '', columns - 28),
  ]
}

/** Composes the zone of a holder's document, with right check digits. */
export function composeZone(format: MrzFormat, holder: Holder, document_code: string): ZoneText {
  return {
    format,
    document_code,
    lines: compose[format](holder, document_code),
  }
}
