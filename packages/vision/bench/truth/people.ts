import type { MrzFormat } from '@attestor/rules'
import { type Chance, chance } from './random.ts'

/** A person who does not exist, with the data that an issuer would print. Dates are `YYYY-MM-DD`. */
export interface Holder {
  readonly last_name: string
  readonly first_name: string
  readonly date_of_birth: string
  readonly sex: 'F' | 'M' | 'X'
  readonly issuing_state: State
  readonly nationality: State
  readonly document_number: string
  readonly personal_number: string | null
  readonly issue_date: string
  readonly expiry_date: string
}

/** A state as a zone names it (ICAO 9303 part 3, 5), and as ISO 3166 does; null if ISO has none. */
export interface State {
  readonly code: string
  readonly alpha2: string | null
}

const states: readonly [State, ...State[]] = [
  { code: 'UTO', alpha2: null },
  { code: 'D', alpha2: 'DE' },
  { code: 'AUT', alpha2: 'AT' },
  { code: 'BRA', alpha2: 'BR' },
  { code: 'CAN', alpha2: 'CA' },
  { code: 'CZE', alpha2: 'CZ' },
  { code: 'DNK', alpha2: 'DK' },
  { code: 'ESP', alpha2: 'ES' },
  { code: 'FIN', alpha2: 'FI' },
  { code: 'GHA', alpha2: 'GH' },
  { code: 'HUN', alpha2: 'HU' },
  { code: 'ISL', alpha2: 'IS' },
  { code: 'ITA', alpha2: 'IT' },
  { code: 'JPN', alpha2: 'JP' },
  { code: 'KEN', alpha2: 'KE' },
  { code: 'NLD', alpha2: 'NL' },
  { code: 'PRT', alpha2: 'PT' },
  { code: 'QAT', alpha2: 'QA' },
  { code: 'SWE', alpha2: 'SE' },
  { code: 'TUR', alpha2: 'TR' },
  { code: 'VNM', alpha2: 'VN' },
  { code: 'ZAF', alpha2: 'ZA' },
]

/** Syllables of made-up names, with the letters that a zone must write in another way. */
const manners: readonly [readonly [string, ...string[]], ...(readonly [string, ...string[]])[]] = [
  ['sø', 'gård', 'lund', 'bjør', 'næs', 'thór', 'ås', 'vik', 'hö', 'ström', 'ðar'],
  ['wój', 'cik', 'šte', 'řez', 'ník', 'łow', 'ska', 'žu', 'pčá', 'đor', 'vić', 'ždiar'],
  ['nuñ', 'ez', 'gon', 'çal', 'ves', 'mãe', 'íri', 'beiro', 'quin', 'tero', 'ávi', 'la'],
  ['yıl', 'dız', 'öz', 'türk', 'şah', 'in', 'ğan', 'bey', 'çe', 'lik', 'ır', 'mak'],
  ['mül', 'ler', 'weiß', 'bach', 'jäg', 'hoff', 'köh', 'groß', 'stein', 'fuchs'],
  ['le', 'fè', 'vre', 'beau', 'mont', 'dé', 'oise', 'gui', 'çon', 'œu', 'châ', 'teau'],
  ['nguy', 'en', 'tran', 'pham', 'kwa', 'me', 'oko', 'njo', 'roge', 'ade', 'wu', 'xi'],
]

function capital(word: string): string {
  return word.charAt(0).toLocaleUpperCase('en') + word.slice(1)
}

function word(random: Chance, syllables: readonly [string, ...string[]], most: number): string {
  return capital(Array.from({ length: 1 + random.below(most) }, () => random.pick(syllables)).join(''))
}

function surname(random: Chance, syllables: readonly [string, ...string[]]): string {
  const one = word(random, syllables, 3)
  const kind = random.next()
  if (kind < 0.06) return `${random.pick(['van der', 'de la', 'von', 'dos', 'al'])} ${one}`
  if (kind < 0.14) return `${one}-${word(random, syllables, 3)}`
  if (kind < 0.18) return `O'${one}`
  if (kind < 0.22) return `${one} ${word(random, syllables, 4)} ${word(random, syllables, 4)}`
  if (kind < 0.24) return random.pick(['Vu', 'Ö', 'Li', 'Æ'])
  return one
}

function givenNames(random: Chance, syllables: readonly [string, ...string[]]): string {
  const count = random.happens(0.02) ? 0 : random.happens(0.04) ? 4 : 1 + random.below(3)
  return Array.from({ length: count }, () => word(random, syllables, 3)).join(random.happens(0.1) ? '-' : ' ')
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

function dateIn(random: Chance, from: number, to: number): string {
  return `${from + random.below(to - from + 1)}-${two(1 + random.below(12))}-${two(1 + random.below(28))}`
}

const signs = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

function code(random: Chance, length: number, from = signs): string {
  return Array.from({ length }, () => from.charAt(random.below(from.length))).join('')
}

/**
 * Draws a number as issuers print them: digits, a letter or two before digits, or anything; rarely one that needs
 * fillers.
 */
function number(random: Chance): string {
  const kind = random.next()
  if (kind < 0.3) return code(random, 9, signs.slice(26))
  if (kind < 0.6) return code(random, 2, signs.slice(0, 26)) + code(random, 7, signs.slice(26))
  return code(random, kind < 0.68 ? 7 : 9)
}

/** The day on which the bench judges: a document of the generator is valid on it, and its holder of age. */
export const today = '2026-11-21'

/** Invents the holder of a seed; the same seed gives the same holder. */
export function inventHolder(seed: number): Holder {
  const random = chance(seed, 'holder')
  const syllables = random.pick(manners)
  const issuing_state = random.pick(states)
  const expiry = dateIn(random, 2028, 2036)
  return {
    last_name: surname(random, syllables),
    first_name: givenNames(random, syllables),
    date_of_birth: dateIn(random, 1931, 2007),
    sex: random.happens(0.48) ? 'F' : random.happens(0.94) ? 'M' : 'X',
    issuing_state,
    nationality: random.happens(0.85) ? issuing_state : random.pick(states),
    document_number: number(random),
    personal_number: random.happens(0.5) ? null : code(random, 5 + random.below(7)),
    issue_date: `${Number(expiry.slice(0, 4)) - 10}${expiry.slice(4)}`,
    expiry_date: expiry,
  }
}

function digits(random: Chance, count: number): string {
  return code(random, count, signs.slice(26))
}

/**
 * Adds the number and the dates of the old French card. Its number begins with year and month of issue, which may be on
 * any day. It is valid until the day before that month's first, fifteen years later for a holder who was of age then,
 * ten for others.
 */
function french(holder: Holder, random: Chance): Holder {
  const year = 2017 + random.below(4)
  const month = 1 + random.below(12)
  const issue_date = `${year}-${two(month)}-01`
  const ofAge = `${Number(holder.date_of_birth.slice(0, 4)) + 18}${holder.date_of_birth.slice(4)}` <= issue_date
  const until = new Date(Date.UTC(year + (ofAge ? 15 : 10), month - 1, 0))
  return {
    ...holder,
    issue_date,
    expiry_date: until.toISOString().slice(0, 10),
    document_number: two(year % 100) + two(month) + digits(random, 8),
    nationality: { code: 'FRA', alpha2: 'FR' },
  }
}

/** Adapts a holder to a document of this format: the kind of its number, and its length. */
export function fitted(holder: Holder, format: MrzFormat, random: Chance): Holder {
  if (format === 'FRENCH_ID') return french(holder, random)
  // A passport has no space for a longer number; cards of some states have twelve characters (ICAO 9303 part 5, 4.2.2).
  return format === 'TD1' && random.happens(0.08) ? { ...holder, document_number: digits(random, 12) } : holder
}
