import type { ChipLicence } from '@attestor/rules'
import { findTlv, readTlvs, unwrapFile } from './der.ts'
import { UnreadableFileError } from './unreadable_file_error.ts'

/**
 * DG1 of a driving licence's chip: regulation (EU) 383/2012, annex I, and ISO/IEC 18013-2. Its portrait is in DG6, and its
 * key for active authentication in DG13.
 */
const tags = {
  person: 0x5f02,
  issuing_state: 0x5f03,
  last_name: 0x5f04,
  first_name: 0x5f05,
  date_of_birth: 0x5f06,
  place_of_birth: 0x5f07,
  issue_date: 0x5f0a,
  expiry_date: 0x5f0b,
  document_number: 0x5f0e,
} as const

const maxCharacters = 200

/** Latin letters: states write UTF-8 or ISO 8859-1, and no text of the second with an accent is one of the first. */
function textOf(value: Buffer | undefined): string | null {
  if (value === undefined || value.length > maxCharacters) return null
  const utf8 = value.toString('utf8')
  const text = (utf8.includes('\ufffd') ? value.toString('latin1') : utf8).replaceAll('\0', '').trim()
  return text === '' ? null : text
}

/** `YYYY-MM-DD` of DDMMYYYY, in eight characters or four bytes. */
function dateOf(value: Buffer | undefined): string | null {
  const digits = (value?.length === 4 ? value.toString('hex') : value?.toString('latin1')) ?? ''
  if (!/^\d{8}$/.test(digits)) return null
  const day = `${digits.slice(4)}-${digits.slice(2, 4)}-${digits.slice(0, 2)}`
  return Number.isNaN(Date.parse(day)) ? null : day
}

/** Throws `UnreadableFileError`. */
export function readLicenceGroup(file: Buffer): ChipLicence {
  const person = findTlv(unwrapFile('DG1', file, 0x61), tags.person)
  if (person === null) throw new UnreadableFileError('DG1 holds no licence')
  const values = new Map(readTlvs(person).map(({ tag, value }) => [tag, value]))
  return {
    issuing_state: textOf(values.get(tags.issuing_state))?.toUpperCase() ?? null,
    document_number: textOf(values.get(tags.document_number)),
    last_name: textOf(values.get(tags.last_name)),
    first_name: textOf(values.get(tags.first_name)),
    date_of_birth: dateOf(values.get(tags.date_of_birth)),
    place_of_birth: textOf(values.get(tags.place_of_birth)),
    issue_date: dateOf(values.get(tags.issue_date)),
    expiry_date: dateOf(values.get(tags.expiry_date)),
  }
}
