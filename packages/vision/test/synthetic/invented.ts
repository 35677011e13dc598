import type { DocumentFields, DocumentFormat } from '@attestor/rules/synthetic'
import type { EuropeanLicenceFields } from '../../synthetic/european_licence.ts'
import type { LicenceFields } from '../../synthetic/licence.ts'
import { seeded } from '../../synthetic/random.ts'

/** A picture in place of a portrait, for tests that look at no face. */
export const plainPortrait = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="350" height="450"><rect width="350" height="450" fill="#cdd"/>' +
    '<circle cx="175" cy="200" r="100" fill="#a87"/></svg>',
)

const lasts = [
  'Eriksson',
  'Ondráček',
  'Quist-Zammit',
  'Vu',
  'Wójcik',
  'Jørgensen',
  "O'Byrne",
  'van der Berg',
  'Yıldız',
  'Fuchs',
]
const firsts = [
  'Anna Maria',
  'Jakub',
  'Zoë',
  'Xavier Hugo',
  'Björk',
  'Kwame',
  'Giulia Lucía',
  'Dmitri',
  'Noor',
  'Philippa',
]
const states = ['UTO', 'UTO', 'D', 'ESP', 'NLD', 'XXA']
const signs = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** Invents a holder by the seed. */
export function inventedFields(format: DocumentFormat, seed: number): DocumentFields {
  const random = seeded(seed)
  const pick = (from: readonly string[]): string => from[random.below(from.length)] ?? ''
  const text = (length: number): string => Array.from({ length }, () => signs[random.below(36)]).join('')
  const date = (from: number, to: number): string => {
    const two = (value: number): string => String(value).padStart(2, '0')
    return `${from + random.below(to - from)}-${two(1 + random.below(12))}-${two(1 + random.below(28))}`
  }
  const state = pick(states)
  return {
    document_code: format === 'TD3' ? 'P' : pick(['I', 'ID', 'AC']),
    issuing_state: state,
    nationality: state,
    document_number: text(9),
    last_name: pick(lasts),
    first_name: pick(firsts),
    date_of_birth: date(1940, 2006),
    expiry_date: date(2027, 2036),
    sex: random.next() < 0.45 ? 'F' : random.next() < 0.9 ? 'M' : 'X',
    personal_number: random.next() < 0.5 ? null : text(format === 'TD2' ? 7 : 12),
  }
}

/** Invents a driver by the seed. */
export function inventedLicence(seed: number): LicenceFields {
  const random = seeded(seed)
  const { last_name, first_name, document_number, date_of_birth, expiry_date, sex } = inventedFields('TD1', seed)
  const canadian = random.next() < 0.3
  const [first = '', middle = null] = plainName(first_name).split(' ')
  return {
    country: canadian ? 'CAN' : 'USA',
    jurisdiction: (canadian ? ['ON', 'QC', 'BC', 'AB'] : ['CA', 'NY', 'TX', 'VA'])[random.below(4)] ?? 'NY',
    document_number,
    last_name: plainName(last_name),
    first_name: first,
    middle_name: middle,
    date_of_birth,
    issue_date: `20${20 + random.below(6)}-0${1 + random.below(9)}-1${random.below(10)}`,
    expiry_date,
    sex,
  }
}

/** Writes a name in the capital letters that such barcodes are printed in. */
function plainName(name: string): string {
  return name
    .toUpperCase()
    .normalize('NFD')
    .replace(/[^A-Z' -]/g, '')
}

/** Signs, titles, names and numbers (`A` is a letter, `N` a digit) of states whose licences are drawn. */
const europeans = [
  ['D', 'FÜHRERSCHEIN', 'BUNDESREPUBLIK DEUTSCHLAND', 'ANNNAAANANN', 'DE'],
  ['F', 'PERMIS DE CONDUIRE', 'RÉPUBLIQUE FRANÇAISE', 'NNAANNNNN', 'FR'],
  ['UK', 'DRIVING LICENCE', 'UNITED KINGDOM', 'AAAAANNNNNNAANAA', 'GB'],
  ['NL', 'RIJBEWIJS', 'KONINKRIJK DER NEDERLANDEN', 'NNNNNNNNNN', 'NL'],
  ['E', 'PERMISO DE CONDUCCIÓN', 'ESPAÑA', 'NNNNNNNN-A', 'ES'],
  ['PL', 'PRAWO JAZDY', 'RZECZPOSPOLITA POLSKA', 'NNNNN/NN/NNNN', 'PL'],
  ['A', 'FÜHRERSCHEIN', 'REPUBLIK ÖSTERREICH', 'NNNNNNNN', 'AT'],
] as const

/** Returns the same number with the check of Germany's or of Spain's. */
function checkNumber(sign: string, number: string): string {
  if (sign === 'E') return number.slice(0, -1) + 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(number.slice(0, 8)) % 23]
  if (sign !== 'D') return number
  const sum = [...number.slice(0, 9)].reduce((total, one, at) => total + Number.parseInt(one, 36) * (9 - at), 0)
  return `${number.slice(0, 9)}${'0123456789X'[sum % 11]}${number.slice(10)}`
}

/** Invents a driver by the seed: the print of the licence, and its true content. */
export function inventedEuropeanLicence(seed: number): {
  readonly fields: EuropeanLicenceFields
  readonly truth: Readonly<Record<string, string>>
} {
  const random = seeded(seed)
  const [sign, title, state, form, country] = europeans[seed % europeans.length] ?? europeans[0]
  const { last_name, first_name, date_of_birth, expiry_date } = inventedFields('TD1', seed)
  const drawn = [...form]
    .map(kind => (kind === 'N' ? random.below(10) : kind === 'A' ? signs[random.below(26)] : kind))
    .join('')
  const number = checkNumber(sign, drawn)
  const issue_date = `${Number(expiry_date.slice(0, 4)) - 10}${expiry_date.slice(4)}`
  // Germany prints two digits of a year.
  const print = (day: string): string => {
    const [year = '', month, of] = day.split('-')
    return `${of}.${month}.${sign === 'D' ? year.slice(2) : year}`
  }
  return {
    fields: {
      sign,
      title,
      state,
      last_name: last_name.toUpperCase(),
      first_name: first_name.toUpperCase(),
      date_of_birth: print(date_of_birth),
      place_of_birth: 'NOWHERE',
      issue_date: print(issue_date),
      expiry_date: print(expiry_date),
      authority: 'UTOPIA',
      document_number: number,
      categories: 'AM/B1/B',
    },
    truth: {
      document_type: 'DRIVING_LICENSE',
      issuing_country: country,
      document_number: number.replace(/[^A-Z0-9]/g, ''),
      last_name,
      first_name,
      date_of_birth,
      issue_date,
      expiry_date,
    },
  }
}
