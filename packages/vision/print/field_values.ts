import { misreadCharacters, toCalendarDay } from '@attestor/rules/readings'
import { foldText } from './fold.ts'
import type { DatePlace, NamePlace, NumberPlace } from './layouts.ts'

/** The names of months as documents print them: English, French, Spanish, Portuguese, German, Indonesian. */
const months: readonly RegExp[] = [
  /^(JAN|ENE)/,
  /^(FEB|FEV|PEB)/,
  /^(MAR|MRZ|MAE)/,
  /^(APR|AVR|ABR)/,
  /^(MAI|MAY|MEI)/,
  /^(JUNI?|JUIN)/,
  /^(JUL|JUIL)/,
  /^(AUG|AOU|AGO|AGU)/,
  /^(SEP|SET)/,
  /^(OCT|OKT|OUT)/,
  /^(NOV|NOP)/,
  /^(DEC|DEZ|DIC|DES)/,
]

const anyDigits = { D: '(?<day>\\d{1,2})', M: '(?<month>\\d{1,2})', Y: '(?<year>\\d{4}|\\d\\d)' }
const allDigits = { D: '(?<day>\\d\\d)', M: '(?<month>\\d\\d)', Y: '(?<year>(?:19|20)\\d\\d)' }
const named = { ...anyDigits, M: '(?<month>[A-Z]{3,10})' }

function toPattern(order: DatePlace['order'], parts: typeof anyDigits, separator: string): RegExp {
  const sequence = [...order].map(part => parts[part as 'D' | 'M' | 'Y']).join(separator)
  return new RegExp(`(?<!\\d)${sequence}(?!\\d)`)
}

/** Lists the forms of a date: in digits, with a word for the month, and with all digits but no signs between them. */
function listForms(order: DatePlace['order']): readonly RegExp[] {
  return [
    toPattern(order, anyDigits, '[ .,/年月-]{1,3}'),
    toPattern('DMY', named, '[ .,/-]*'),
    toPattern('MDY', { ...named, Y: '(?<year>\\d{4})' }, '[ .,/-]*'),
    toPattern(order, allDigits, '[ .,/-]?'),
  ]
}

const yearsBefore: Readonly<Record<DatePlace['calendar'], number>> = { GREGORIAN: 0, BUDDHIST: -543 }

/** Returns the year that two digits mean. */
export type ToYear = (twoDigits: number) => number

function readMonth(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : months.findIndex(begin => begin.test(text)) + 1
}

/** Returns the first possible day in a text, `YYYY-MM-DD`. */
export function readDay(text: string, { order, calendar }: DatePlace, toYear: ToYear): string | null {
  const plain = text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/0(?=[A-Z]{2})|(?<=[A-Z])0/g, 'O')
    .replace(/(?<=[\d.,/-])[OQ](?![A-Z])|(?<![A-Z])[OQ](?=[\d.,/-])/g, '0')
    .replace(/(?<=[\d.,/-])[LI|](?![A-Z])|(?<![A-Z])[LI|](?=[\d.,/-])/g, '1')
  for (const pattern of listForms(order)) {
    const { day = '', month = '', year = '' } = pattern.exec(plain)?.groups ?? {}
    if (year === '') continue
    const printed = year.length === 2 && calendar === 'GREGORIAN' ? toYear(Number(year)) : Number(year)
    const inMonth = readMonth(month)
    const found = printed + yearsBefore[calendar]
    if (inMonth >= 1 && inMonth <= 12 && Number(day) >= 1 && found > 1880 && found < 2200)
      return toCalendarDay(found, inMonth, Number(day))
  }
  return null
}

/** Returns whether a text means that there is no such day. */
export function saysNever(text: string, { never }: DatePlace): boolean {
  const { text: folded } = foldText(text)
  return never.some(words => folded.includes(foldText(words).text))
}

/** A text with fewer signs is no number of a document. */
const minSigns = 5

/** Digits that can only be misread letters, in a word that has letters. Another digit may be any of several. */
const lettersFor: Readonly<Record<string, string>> = { 0: 'O', 5: 'S', 8: 'B' }

/** Small words within names that begin with the letter that a capital I is mistaken for. */
const particles = /^l(a|as|e|es|o|os|i)$/

/**
 * Returns a word in which I and l, which are one stroke, are the letters that its other ones demand; null if either may
 * be meant.
 */
function setStrokes(word: string): string | null {
  const large = word.replace(/[^\p{Lu}]|I/gu, '').length
  const small = word.replace(/[^\p{Ll}]|l/gu, '').length
  // A stroke alone is the end of the word before, or of another script.
  if (/^[lI]$|\|$/.test(word)) return null
  if (large > small) return word.replace(/[l!|]/g, 'I')
  const parts = word.split(/(?<=['’-])/).map((part, n) => {
    const first = n === 0 && particles.test(part) ? part : part.replace(/^l(?=\p{Ll})/u, 'I')
    if (/^(Ma?c[Il]|.*[!|])/.test(first)) return null
    return small === 0 ? first : first.replace(/(?<=\p{L})I/gu, 'l')
  })
  return parts.includes(null) ? null : parts.join('')
}

/** Reads a name as it is printed, without the signs that are no letters of it; null if a letter may be another. */
export function readName(text: string, { without }: NamePlace): string | null {
  const dropped = without.map(word => foldText(word).text)
  const lettered = text
    // A number of another column may end the line.
    .replace(/(?: [\d./-]+)+$/, numbers => (numbers.replace(/\D/g, '').length < minSigns ? numbers : ''))
    .replace(/(?<=\p{L}['’]?)[058]|[058](?=['’]?\p{L})/gu, digit => lettersFor[digit] ?? digit)
    .replace(/(?<=\p{L})["`´ʼ‘“”](?=\p{L})/gu, '’')
    .replace(/(?<![\p{L}])(\p{L})\s?['’]\s?(?=\p{L})/gu, '$1’')
    .replace(/[.,;:/()]/g, sign => (sign === ',' ? ', ' : ' '))
  // A sign within a word is a letter that was not read, and a lone O one that lost its apostrophe.
  if (/\d|\p{L}[^\p{L}\p{M}\s'’,!|-]+\p{L}|(?<!\S)O\s\p{L}{2}/u.test(lettered)) return null
  const words = lettered
    .split(' ')
    .map(word => word.replace(/^[^\p{L}]+|[^\p{L},!|]+$/gu, ''))
    .filter(word => /\p{L}/u.test(word) && !dropped.includes(foldText(word).text))
    .map(setStrokes)
  if (words.includes(null)) return null
  const name = words.join(' ')
  return name.replace(/[^\p{L}]/gu, '').length < 2 ? null : name
}

/**
 * Parts both names of one field, in capitals. The other is null if nothing parts them: the document then has one name.
 */
export function partName(
  name: string,
  { surname }: NamePlace,
): { last_name: string | null; first_name: string | null } {
  const parts = (last: string, first: string) => ({
    last_name: last.toUpperCase(),
    first_name: first === '' ? null : first.toUpperCase(),
  })
  const [before = '', ...after] = name.split(/,\s*/)
  if (surname === 'BEFORE_COMMA') return parts(before, after.join(' '))
  const whole = name.replaceAll(',', '')
  const words = whole.split(' ').filter(Boolean)
  if (surname === 'FIRST') return parts(words[0] ?? whole, words.slice(1).join(' '))
  // Capitals or initials show where the surname begins; of more than two words nothing else does.
  const isGiven = (word: string): boolean => /\p{Ll}{2}|^\p{L}$/u.test(word)
  const given = words.findLastIndex(isGiven) + 1
  const from = given > 0 && given < words.length ? given : 1
  const isParted = surname === 'LAST' && (from > 1 || isGiven(words[0] ?? '') || words.length === 2)
  if (!isParted) return parts(whole, '')
  return parts(words.slice(from).join(' '), words.slice(0, from).join(' '))
}

const letterOf: Readonly<Record<string, string>> = { 0: 'O', 1: 'I', 2: 'Z', 5: 'S', 6: 'G', 8: 'B' }

/** Returns the sign that belongs in this place of a form, as it was read or taken for another; null if none does. */
function fitSign(sign: string, kind: string, isStrict: boolean): string | null {
  if (kind === 'X') return sign
  if (isStrict) return (kind === 'N' ? /\d/ : kind === 'A' ? /[A-Z]/ : new RegExp(kind)).test(sign) ? sign : null
  const meant = kind === 'N' ? (misreadCharacters[sign] ?? sign) : kind === 'A' ? (letterOf[sign] ?? sign) : sign
  const isFit = kind === 'N' ? /\d/.test(meant) : kind === 'A' ? /[A-Z]/.test(meant) : meant === kind
  return isFit ? meant : null
}

/** Returns a number's letters and digits in a form. The signs printed between them need not be read. */
function fitForm(signs: string, form: string, isStrict: boolean): string | null {
  const kinds = form.replace(/[^A-Z0-9]/g, '')
  // Up to two more signs may follow: they count editions.
  if (signs.length < kinds.length || signs.length > kinds.length + 2) return null
  const fitted = [...kinds].map((kind, at) => fitSign(signs[at] ?? '', kind, isStrict))
  return fitted.includes(null) ? null : fitted.join('')
}

/**
 * Letters and digits that are mistaken for each other: where a form has one of them, either of the two may be printed.
 */
export const alikeSigns = '012568OQDILZSGB'
/** Matches a number that has letters and digits, and one of these signs. */
const mixed = new RegExp(`^(?=.*\\d)(?=.*[A-Z]).*[${alikeSigns}]`)
export interface FitNumber {
  readonly number: string
  /** Whether no sign in it may be another. */
  readonly isSure: boolean
}

/** Reads a number in one of its forms, with its check; if no form is known, as it was read. */
export function fitNumber(
  text: string,
  { forms, value }: Pick<NumberPlace, 'forms' | 'value'>,
  isChecked: (number: string) => boolean,
): FitNumber | null {
  const signs = text.toUpperCase().replace(/[^A-Z0-9]/g, '')
  // Without a label any line may be tried: a date must not become a number by digits that look like letters.
  const isStrict = value === undefined
  if (isStrict && /^\s*\d{1,2}\s?[./-]\s?\d{1,2}\s?[./-]\s?\d{2,4}\s*$/.test(text)) return null
  const fitted = forms.flatMap(form => fitForm(signs, form, isStrict) ?? []).find(isChecked)
  if (fitted !== undefined) return { number: fitted, isSure: true }
  if (signs.length < minSigns || !/\d/.test(signs)) return null
  return { number: signs, isSure: forms.length === 0 && isChecked(signs) && !mixed.test(signs) }
}

/**
 * Reads the birth inside a number, as a day, or as `YYMMDD` if the number has no century; null if the number has none.
 */
export function readBirthInside(number: string, { birth }: NumberPlace): string | null {
  if (birth === undefined) return null
  const { at, order, woman } = birth
  const digits = number.replace(/\D/g, '').slice(at, at + order.length)
  const take = (sign: string): string => digits.slice(order.indexOf(sign), order.lastIndexOf(sign) + 1)
  const day = Number(take('D'))
  const real = String(woman > 0 && day > woman ? day - woman : day).padStart(2, '0')
  if (digits.length < order.length) return null
  const separator = order === 'YYYYMMDD' ? '-' : ''
  return [take('Y'), take('M'), real].join(separator)
}
