import type { BarcodeReading } from '../../../decision/findings.ts'

/**
 * The data of a North American driving licence's PDF417 (AAMVA DL/ID Card Design Standard, annex D; versions 1 to 10).
 * Offsets in the header are often wrong on real cards, so the subfile is found by its name and its elements by theirs.
 */

/** PDF417 holds at most 2,710 digits or 1,850 letters. */
const maxCharacters = 3000
const maxElementCharacters = 120

/** `@`, separators, file type (`AAMVA` in version 1), issuer, version; from version 2 on the issuer's own version. */
const header = /^@[\s\p{Cc}]{1,4}(?:ANSI |AAMVA)(\d{6})(\d{2})/u

/** Subfiles that describe the holder: driving licence, identification card, enhanced driving licence. */
const holderSubfile = /(DL|ID|EN)(?=D[A-D][A-Z]|ZZ)/g

type Elements = ReadonlyMap<string, string>

/** `DAQD1234562` is element DAQ. A card's first word counts. */
function parseElements(subfile: string): Elements {
  const elements = new Map<string, string>()
  for (const line of subfile.split(/\p{Cc}/u)) {
    const id = line.slice(0, 3)
    const value = line.slice(3, 3 + maxElementCharacters)
    if (/^[A-Z]{3}$/.test(id) && !elements.has(id)) elements.set(id, value.replace(/\p{Cc}/gu, '').trim())
  }
  return elements
}

/** What jurisdictions print in place of an unknown value. */
const emptyValue = /^(|NONE|UNAVL|UNAVAIL|N\/A)$/i

function readElement(elements: Elements, ...ids: readonly string[]): string | null {
  for (const id of ids) {
    const value = elements.get(id) ?? ''
    if (!emptyValue.test(value)) return value
  }
  return null
}

/**
 * Eight digits as `YYYY-MM-DD`. The United States print MMDDCCYY, Canada and version 1 CCYYMMDD. No century of a living
 * holder begins like a month, so the digits show which it is. Null for an impossible day.
 */
function parseDate(printed: string | null): string | null {
  const digits = (printed ?? '').replace(/[-/]/g, '')
  if (!/^\d{8}$/.test(digits)) return null
  const yearFirst = /^(18|19|20|21)/.test(digits)
  const [year, month, day] = yearFirst
    ? [digits.slice(0, 4), digits.slice(4, 6), digits.slice(6)]
    : [digits.slice(4), digits.slice(0, 2), digits.slice(2, 4)]
  if (!/^(18|19|20|21)/.test(year)) return null
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
  const iso = Number.isNaN(date.getTime()) ? null : date.toISOString().slice(0, 10)
  return iso === `${year}-${month}-${day}` ? iso : null
}

const provinces = ['AB', 'BC', 'MB', 'NB', 'NF', 'NL', 'NS', 'NT', 'NU', 'ON', 'PE', 'QC', 'SK', 'YT']

function parseCountry(elements: Elements): 'USA' | 'CAN' | null {
  const country = readElement(elements, 'DCG')?.toUpperCase()
  if (country === 'USA' || country === 'US') return 'USA'
  if (country === 'CAN' || country === 'CDN' || country === 'CA') return 'CAN'
  // Version 1 has no country: the address shows it.
  const state = readElement(elements, 'DAJ', 'DAO')?.toUpperCase() ?? ''
  if (provinces.includes(state)) return 'CAN'
  return /^[A-Z]{2}$/.test(state) ? 'USA' : null
}

const sexes: Readonly<Record<string, 'F' | 'M' | 'X'>> = { '1': 'M', M: 'M', '2': 'F', F: 'F', '9': 'X', X: 'X' }

function normaliseSpaces(text: string | null): string | null {
  return text?.replace(/[,\s]+/g, ' ').trim() || null
}

/** `DCS` and `DAC`, `DAD` or `DCT` (2003 and on); `DAB`, `DAC`, `DAD` or all in `DAA`, surname first, in version 1. */
function parseNames(elements: Elements): { readonly last_name: string | null; readonly first_name: string | null } {
  const last = readElement(elements, 'DCS', 'DAB')
  const given = readElement(elements, 'DAC', 'DCT')
  const middle = readElement(elements, 'DAD')
  if (last !== null || given !== null)
    return {
      last_name: normaliseSpaces(last),
      first_name: normaliseSpaces([given, middle].filter(part => part !== null).join(' ')),
    }
  const [family = '', ...others] = (readElement(elements, 'DAA') ?? '').split(/[,@]/)
  return { last_name: normaliseSpaces(family), first_name: normaliseSpaces(others.join(' ')) }
}

function parseTruncated(elements: Elements): BarcodeReading['truncated'] {
  return [
    ...(elements.get('DDE') === 'T' ? (['last_name'] as const) : []),
    ...(elements.get('DDF') === 'T' || elements.get('DDG') === 'T' ? (['first_name'] as const) : []),
  ]
}

/** The subfile of the holder: from its name to the separator at its end. */
function findHolder(text: string): { readonly kind: string; readonly elements: Elements } | null {
  holderSubfile.lastIndex = 0
  for (let found = holderSubfile.exec(text); found !== null; found = holderSubfile.exec(text)) {
    const from = found.index + 2
    const end = text.indexOf('\r', from)
    const elements = parseElements(text.slice(from, end < 0 ? undefined : end))
    if (readElement(elements, 'DAQ', 'DCS', 'DAB', 'DAA') !== null) return { kind: found[1] ?? '', elements }
  }
  return null
}

/** Reads the text of a barcode; null if it is not AAMVA's. Never throws, for any text. */
export function parseAamva(whole: string): BarcodeReading | null {
  if (whole.length > maxCharacters) return null
  const head = header.exec(whole)
  const holder = head === null ? null : findHolder(whole.slice(head[0].length))
  if (head === null || holder === null) return null
  const { elements, kind } = holder
  return {
    format: 'AAMVA',
    version: Number(head[2]),
    document_type: kind === 'ID' ? 'ID_CARD' : 'DRIVING_LICENSE',
    issuing_country: parseCountry(elements),
    jurisdiction: readElement(elements, 'DAJ', 'DAO')?.toUpperCase() ?? null,
    document_number: readElement(elements, 'DAQ'),
    ...parseNames(elements),
    date_of_birth: parseDate(readElement(elements, 'DBB')),
    issue_date: parseDate(readElement(elements, 'DBD')),
    expiry_date: parseDate(readElement(elements, 'DBA')),
    sex: sexes[readElement(elements, 'DBC')?.toUpperCase() ?? ''] ?? null,
    truncated: parseTruncated(elements),
  }
}
