import { type Day, isCountry, toCalendarDay, toCountry, type WalletClaim, type WalletFindings } from '@attestor/rules'
import type { CborItem } from '../encoding/cbor.ts'
import { type CredentialKind, nameAge, type WalletQuery } from './credential_kinds.ts'
import { isObject, memberOf } from './place.ts'

/** A value that an issuer signed, of either format: text, number, truth value, bytes, or a list of them. */
export type SignedValue = unknown

/** Values of mdocs by the names of their elements. Dates are text with a tag (RFC 8943). */
export function toSignedValue(item: CborItem): SignedValue {
  if (item.type === 'tag') return item.tag === 0 || item.tag === 1004 ? toSignedValue(item.value) : undefined
  if (item.type === 'array') return item.value.map(toSignedValue)
  return item.type === 'map' ? undefined : item.value
}

const maxText = 500

function toText(value: SignedValue): string | null {
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' || text.length > maxText ? null : text
}

function toDay(value: SignedValue): Day | null {
  const match = /^(\d{4})-(\d\d)-(\d\d)(?:T[0-9:.]+(?:Z|[+-]\d\d:\d\d))?$/.exec(typeof value === 'string' ? value : '')
  if (match === null) return null
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number]
  return month >= 1 && month <= 12 && day >= 1 ? toCalendarDay(year, month, day) : null
}

/** Alpha-2, also from a list, of which the first counts, and from alpha-3. */
function toCode(value: SignedValue): string | null {
  const code = toText(Array.isArray(value) ? value[0] : value)?.toUpperCase() ?? null
  if (code === null) return null
  return isCountry(code) ? code : toCountry(code)
}

/** Converts ISO/IEC 5218's numbers, and 3 to 6 for neither sex (the PID rulebook); 0 is not known. */
function toSex(value: SignedValue): 'F' | 'M' | 'X' | null {
  if (value === 1) return 'M'
  if (value === 2) return 'F'
  return typeof value === 'number' && [3, 4, 5, 6, 9].includes(value) ? 'X' : null
}

const maxPortrait = 1024 * 1024

/** The bytes of a picture: as they are, or a data URL of a PID. */
function toPicture(value: SignedValue): Buffer | null {
  if (Buffer.isBuffer(value)) return value.length > 0 && value.length <= maxPortrait ? Buffer.from(value) : null
  const encoded =
    typeof value === 'string'
      ? /^data:image\/(?:jpeg|jp2|png);base64,([A-Za-z0-9+/]+={0,2})$/.exec(value)?.[1]
      : undefined
  return encoded === undefined ? null : Buffer.from(encoded, 'base64')
}

const readers = {
  last_name: toText,
  first_name: toText,
  date_of_birth: toDay,
  sex: toSex,
  nationality: toCode,
  document_number: toText,
  personal_number: toText,
  issue_date: toDay,
  expiry_date: toDay,
  issuing_country: toCode,
} as const

type ReadClaims = WalletFindings['claims']

export interface Disclosed extends Pick<WalletFindings, 'claims' | 'ages' | 'disclosed' | 'withheld'> {
  readonly portrait: Buffer | null
}

/** The ages that a credential was asked about, by its elements or by the members of an SD-JWT VC's claim. */
function readAge(kind: CredentialKind, find: (name: string) => SignedValue, over: number): boolean | null {
  const ages = kind.namespace === null ? find('age_equal_or_over') : null
  const value =
    kind.namespace === null ? (isObject(ages) ? memberOf(ages, String(over)) : undefined) : find(nameAge(over))
  return typeof value === 'boolean' ? value : null
}

/** Reads the requested claims, and nothing else: a wallet may send more. */
export function readClaims(
  kind: CredentialKind,
  { claims: asked, age_over }: WalletQuery,
  find: (name: string) => SignedValue,
): Disclosed {
  const read = <T>(claim: WalletClaim, reader: (value: SignedValue) => T | null): T | null => {
    const name = kind.names[claim]
    return asked.includes(claim) && name !== undefined ? reader(find(name)) : null
  }
  const claims: ReadClaims = {
    last_name: read('last_name', readers.last_name),
    first_name: read('first_name', readers.first_name),
    date_of_birth: read('date_of_birth', readers.date_of_birth),
    sex: read('sex', readers.sex),
    nationality: read('nationality', readers.nationality),
    document_number: read('document_number', readers.document_number),
    personal_number: read('personal_number', readers.personal_number),
    issue_date: read('issue_date', readers.issue_date),
    expiry_date: read('expiry_date', readers.expiry_date),
    issuing_country: read('issuing_country', readers.issuing_country),
  }
  const portrait = read('portrait', toPicture)
  const isDisclosed = (claim: WalletClaim): boolean => (claim === 'portrait' ? portrait : claims[claim]) !== null
  const answer = age_over === null ? null : readAge(kind, find, age_over)
  return {
    claims,
    ages: age_over === null || answer === null ? [] : [{ over: age_over, answer }],
    portrait,
    disclosed: asked.filter(isDisclosed),
    withheld: asked.filter(claim => !isDisclosed(claim)),
  }
}
