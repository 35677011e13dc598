import { addYears, toCalendarDay } from '../../../decision/dates.ts'
import type { LicenceField, LicenceReading, VisualZone } from '../../../decision/findings.ts'
import { foldName } from '../../../decision/names.ts'
import { findDate, findFields, findFrenchLine } from './licence_fields.ts'
import { findIssuer, fitNumber, hasLicenceTitle } from './licence_issuers.ts'
import type { PageView } from './page_view.ts'
import { licencePasses, readWords } from './read_passes.ts'
import type { ReadWord, TextReader } from './tesseract.ts'

type Issuer = ReturnType<typeof findIssuer>

/** What one reading has of a licence; null where it has nothing. */
type FieldTexts = Readonly<Record<LicenceField, string | null>>

/** A name without what is no letter of it: marks of the paper, and the fields of another row. */
function readName(text: string | undefined): string | null {
  const words = (text ?? '').split(' ').map(word => word.replace(/[^\p{L}'’-]/gu, '').replace(/^[-'’]+|[-'’]+$/g, ''))
  const name = words.filter(word => word.length > 1 || /^\p{Lu}$/u.test(word)).join(' ')
  return foldName(name).replaceAll(' ', '').length < 2 ? null : name.toUpperCase()
}

function toDay(year: number, month: number, day: number): string | null {
  return month < 1 || month > 12 || day < 1 ? null : toCalendarDay(year, month, day)
}

/** Two digits of a year say which by what is known of licences. */
function readDay(text: string | undefined, toYear: (twoDigits: number) => number): string | null {
  const date = findDate(text ?? '')
  return date && toDay(date.year.length === 4 ? Number(date.year) : toYear(Number(date.year)), date.month, date.day)
}

const minAge = 14
/** Directive 2006/126/EC, article 7: fifteen years at most. Older cards may be valid for longer. */
const sureYears = 15

function readFields(words: readonly ReadWord[], issuer: Issuer): FieldTexts {
  const fields = findFields(words)
  const issue_date = readDay(fields.get('4a'), year => (year > 90 ? 1900 : 2000) + year)
  const issueYear = Number(issue_date?.slice(0, 4) ?? 2000)
  return {
    last_name: readName(fields.get('1')),
    first_name: readName(fields.get('2')),
    date_of_birth: readDay(fields.get('3'), year => (2000 + year <= issueYear - minAge ? 2000 : 1900) + year),
    issue_date,
    expiry_date: readDay(fields.get('4b'), year => 2000 + year),
    document_number: fitNumber(fields.get('5') ?? '', issuer ?? {})?.number ?? null,
  }
}

/** The line of a French licence is a reading of its own; null without one. */
function readLine(words: readonly ReadWord[]): FieldTexts | null {
  const line = findFrenchLine(words)
  if (line === null) return null
  const [year, month, day] = [0, 2, 4].map(at => Number(line.expiry.slice(at, at + 2)))
  return {
    last_name: null,
    first_name: null,
    date_of_birth: null,
    issue_date: null,
    expiry_date: toDay(2000 + (year ?? 0), month ?? 0, day ?? 0),
    document_number: line.document_number,
  }
}

const fieldNames = ['last_name', 'first_name', 'date_of_birth', 'issue_date', 'expiry_date', 'document_number'] as const

function fold(field: LicenceField, value: string): string {
  return field === 'last_name' || field === 'first_name' ? foldName(value) : value
}

/** What most readings say, and whether two say it and none anything else. */
function settle(field: LicenceField, readings: readonly FieldTexts[]): { value: string | null; isConfirmed: boolean } {
  const values = readings.flatMap(reading => reading[field] ?? [])
  const counts = new Map<string, number>()
  for (const value of values) counts.set(fold(field, value), (counts.get(fold(field, value)) ?? 0) + 1)
  const [best] = [...counts].sort(([, one], [, other]) => other - one)
  const value = values.find(one => fold(field, one) === best?.[0]) ?? null
  return { value, isConfirmed: (best?.[1] ?? 0) > 1 && counts.size === 1 }
}

/** Whether the dates can be those of one licence. A misread digit seldom leaves them so. */
function areDatesPossible({ date_of_birth: birth, issue_date: issue, expiry_date: expiry }: FieldTexts): boolean {
  if (birth === null || issue === null || expiry === null) return false
  return addYears(birth, minAge) <= issue && issue < expiry && expiry <= addYears(issue, sureYears)
}

function mergeReadings(readings: readonly FieldTexts[], issuer: Issuer): LicenceReading | null {
  const settled = fieldNames.map(name => [name, settle(name, readings)] as const)
  const values = Object.fromEntries(settled.map(([name, { value }]) => [name, value])) as FieldTexts
  if (fieldNames.every(name => values[name] === null)) return null
  const isDated = areDatesPossible(values)
  const isNumberSure = fitNumber(values.document_number ?? '', issuer ?? {})?.isSure ?? false
  const isSure = (name: LicenceField): boolean =>
    name === 'document_number' ? isNumberSure : isDated || !name.includes('date')
  const confirmed = settled.flatMap(([name, { isConfirmed }]) => (isConfirmed && isSure(name) ? [name] : []))
  return { issuing_country: issuer?.country ?? null, ...values, confirmed }
}

/** Fewer numbers may be on any page. */
const minLabels = 4

function isLicence(text: VisualZone, words: readonly ReadWord[]): boolean {
  return hasLicenceTitle(text) && findFields(words).size >= minLabels
}

/**
 * Reads the numbered fields of a European driving licence's front several times, at different scales and contrasts. Null
 * where the page is none.
 */
export function readLicence(reader: TextReader, view: PageView, text: VisualZone): LicenceReading | null {
  const [first, ...others] = licencePasses
  const words = readWords(reader, view, first)
  if (!isLicence(text, words)) return null
  const issuer = findIssuer(text)
  const readings = [words, ...others.map(pass => readWords(reader, view, pass))]
  return mergeReadings(
    readings.flatMap(read => [readFields(read, issuer), readLine(read) ?? []].flat()),
    issuer,
  )
}
