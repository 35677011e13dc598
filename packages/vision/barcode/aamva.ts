import type { BarcodeReading, UnprintedField } from '@attestor/rules'
import { listAbsentDates, parseDate } from './aamva_dates.ts'
import { parseMagneticStripe } from './magnetic_stripe.ts'

/**
 * The data of a North American driving licence's PDF417 (AAMVA DL/ID Card Design Standard, annex D; versions 1 to 12).
 * Offsets in the header are often wrong on real cards, so the subfile is found by its name and its elements by theirs.
 */

/** PDF417 holds at most 2,710 digits or 1,850 letters. */
const maxCharacters = 3000
const maxElementCharacters = 120

/**
 * `@`, separators, file type (`AAMVA` in version 1), issuer, version; from version 2 on the issuer's own version. The
 * separators should be those that the header names, but issuers print others, more or fewer.
 */
const header = /^[\s\p{Cc}]*@?([^A-Za-z0-9@]{0,8})(?:ANSI|AAMVA)[\s\p{Cc}]{0,2}(\d{6})(\d{2})/u

/** Subfiles that describe the holder: driving licence, identification card, enhanced driving licence. */
const holderSubfile = /(DL|ID|EN)(?=[^A-Za-z0-9]{0,4}(?:D[A-D][A-Z]|ZZ))/g
/** Subfiles of other names that hold elements of a licence. Names that begin with Z are a jurisdiction's own. */
const otherSubfile = /(?<![A-Za-z])([A-Y][A-Z])(?=[^A-Za-z0-9]{0,4}D[A-D][A-Z])/g

type Elements = ReadonlyMap<string, string>

/**
 * `DAQD1234562` is element DAQ. If a card repeats an element, the first one counts. Any control character ends an
 * element, as issuers use `\r` and `\r\n` too: those of the next subfile begin with its name, and with a Z.
 */
function parseElements(subfile: string, separators: string): Elements {
  const elements = new Map<string, string>()
  const own = [...separators].filter(sign => !/[\s\p{Cc}]/u.test(sign))
  const lines = own.reduce((text, sign) => text.replaceAll(sign, '\n'), subfile)
  for (const line of lines.split(/\p{Cc}/u)) {
    const id = line.slice(0, 3)
    const value = line.slice(3, 3 + maxElementCharacters)
    if (/^[A-Z]{3}$/.test(id) && !elements.has(id)) elements.set(id, value.replace(/\p{Cc}/gu, '').trim())
  }
  return elements
}

/** Jurisdictions print one of these in place of an unknown value. */
const emptyValue = /^(|NONE|UNAVL|UNAVAIL|UNAVAILABLE|N\/A)$/i

function readElement(elements: Elements, ...ids: readonly string[]): string | null {
  for (const id of ids) {
    const value = elements.get(id) ?? ''
    if (!emptyValue.test(value)) return value
  }
  return null
}

const provinces = 'AB BC MB NB NF NL NS NT NU ON PE PQ QC SK YT'.split(' ')
/** The states, the federal district and the territories (United States Postal Service, Publication 28, appendix B). */
const states =
  'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY AS FM GU MH MP PR PW VI'.split(
    ' ',
  )

/** Issuers put one of these into `DCG`. Mexico's states are among the issuers of annex F too. */
const countries: Readonly<Record<string, NonNullable<BarcodeReading['issuing_country']>>> = {
  USA: 'USA',
  US: 'USA',
  CAN: 'CAN',
  CDN: 'CAN',
  CA: 'CAN',
  MEX: 'MEX',
  MX: 'MEX',
}

/** Returns null for any other country, whose states may have the letters of an American one. */
function parseCountry(elements: Elements): BarcodeReading['issuing_country'] {
  const country = readElement(elements, 'DCG')?.toUpperCase() ?? null
  if (country !== null) return countries[country] ?? null
  // Version 1 has no country: the address shows it.
  const state = readElement(elements, 'DAJ', 'DAO')?.toUpperCase() ?? ''
  if (provinces.includes(state)) return 'CAN'
  return states.includes(state) ? 'USA' : null
}

const sexes: Readonly<Record<string, 'F' | 'M' | 'X'>> = { '1': 'M', M: 'M', '2': 'F', F: 'F', '9': 'X', X: 'X' }

function normaliseSpaces(text: string | null): string | null {
  return text?.replace(/[,\s]+/g, ' ').trim() || null
}

interface Names {
  readonly last_name: string | null
  readonly first_name: string | null
}

/** A suffix may follow surname, given names and further ones where one element holds them all; it is no initial. */
const suffix = /^(?:JR|SR|I{2,3}|IV|VI{1,3}|\d(?:ST|ND|RD|TH))\.?$/i

/** Splits an element with all names: surname, first name, middle name, suffix. Only separators show which is which. */
function splitNames(whole: string): Names {
  const [family = '', ...others] = whole.split(/[,@$;]|\s{2,}/)
  const given = others.slice(0, 2).filter(part => !suffix.test(part.trim()))
  return { last_name: normaliseSpaces(family), first_name: normaliseSpaces(given.join(' ')) }
}

/**
 * Reads the names from `DCS` and `DAC`, `DAD` or `DCT` (2003 and on); in version 1 from `DAB`, `DAC`, `DAD`, or from
 * `DAA`, which has all of them, surname first.
 */
function parseNames(elements: Elements): Names {
  const last = readElement(elements, 'DCS', 'DAB')
  const given = readElement(elements, 'DAC', 'DCT')
  const middle = readElement(elements, 'DAD')
  if (last !== null || given !== null)
    return {
      last_name: normaliseSpaces(last),
      first_name: normaliseSpaces([given, middle].filter(part => part !== null).join(' ')),
    }
  return splitNames(readElement(elements, 'DAA') ?? '')
}

/** Lists the name that a person with one name lacks: its element is empty. Without any name nothing was read. */
function listUnprinted(elements: Elements, { last_name, first_name }: Names): UnprintedField[] {
  const isNamed = last_name !== null || first_name !== null
  return [
    ...(isNamed && last_name === null ? (['last_name'] as const) : []),
    ...(isNamed && first_name === null ? (['first_name'] as const) : []),
    ...listAbsentDates({ date_of_birth: elements.get('DBB'), expiry_date: elements.get('DBA') }),
  ]
}

/** Lists names that are the word NONE: by the standard there is none then, but it is a surname too. */
function listNones(elements: Elements): UnprintedField[] {
  const isNone = (...ids: readonly string[]): boolean => ids.some(id => /^NONE$/i.test(elements.get(id) ?? ''))
  return [
    ...(isNone('DCS', 'DAB') ? (['last_name'] as const) : []),
    ...(isNone('DAC', 'DCT') ? (['first_name'] as const) : []),
  ]
}

function parseTruncated(elements: Elements): BarcodeReading['truncated'] {
  return [
    ...(elements.get('DDE') === 'T' ? (['last_name'] as const) : []),
    ...(elements.get('DDF') === 'T' || elements.get('DDG') === 'T' ? (['first_name'] as const) : []),
  ]
}

interface Holder {
  readonly kind: string
  readonly elements: Elements
}

/** Returns the subfile of the holder, from its name on. */
function findHolder(text: string, separators: string): Holder | null {
  return findSubfile(text, separators, holderSubfile) ?? findSubfile(text, separators, otherSubfile)
}

function findSubfile(text: string, separators: string, name: RegExp): Holder | null {
  for (const found of text.matchAll(name)) {
    const elements = parseElements(text.slice(found.index + 2), separators)
    if (readElement(elements, 'DAQ', 'DCS', 'DAB', 'DAA') !== null) return { kind: found[1] ?? '', elements }
  }
  return null
}

/** A class of vehicles (`DCA`, `DAR`) makes a subfile of another name a licence. */
function toType({ kind, elements }: Holder): BarcodeReading['document_type'] {
  if (kind === 'DL' || kind === 'EN') return 'DRIVING_LICENSE'
  return kind !== 'ID' && readElement(elements, 'DCA', 'DAR') !== null ? 'DRIVING_LICENSE' : 'ID_CARD'
}

/** Reads the text of a barcode; null if it is neither AAMVA's nor a magnetic stripe's. Never throws, for any text. */
export function parseAamva(whole: string): BarcodeReading | null {
  if (whole.length > maxCharacters) return null
  const head = header.exec(whole)
  if (head === null) return parseMagneticStripe(whole)
  const [start, separators = '', , version] = head
  const holder = findHolder(whole.slice(start.length), separators)
  if (holder === null) return null
  const { elements } = holder
  const names = parseNames(elements)
  return {
    format: 'AAMVA',
    version: Number(version),
    document_type: toType(holder),
    issuing_country: parseCountry(elements),
    jurisdiction: readElement(elements, 'DAJ', 'DAO')?.toUpperCase() ?? null,
    document_number: readElement(elements, 'DAQ'),
    ...names,
    date_of_birth: parseDate(elements.get('DBB')),
    issue_date: parseDate(elements.get('DBD')),
    expiry_date: parseDate(elements.get('DBA')),
    sex: sexes[readElement(elements, 'DBC')?.toUpperCase() ?? ''] ?? null,
    not_printed: listUnprinted(elements, names),
    says_none: listNones(elements),
    truncated: parseTruncated(elements),
  }
}
