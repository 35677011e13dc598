import { atLeast, conclude, type RuleResult } from './decision.ts'
import { type ExpectedData, isUnprinted, toDetails, unreadField } from './document_checks.ts'
import type { Holder } from './holder.ts'
import { createIssue } from './issues.ts'
import { compareGivenNames, compareSurnames, findName, nameThreshold } from './names.ts'
import { agreesWithParts } from './printed_dates.ts'

const expectedNames = {
  first_name: { code: 'NAME_MISMATCH', compare: compareGivenNames },
  last_name: { code: 'SURNAME_MISMATCH', compare: compareSurnames },
} as const

type NameField = keyof typeof expectedNames

function hasOneName(holder: Holder): boolean {
  return isUnprinted(holder, 'first_name') !== isUnprinted(holder, 'last_name')
}

function checkName(field: NameField, expected: string, read: string): RuleResult {
  const name = `expected_${field}`
  const { code, compare } = expectedNames[field]
  const score = compare(expected, read)
  if (score === null) return conclude(name, 'UNDETERMINED', [createIssue('NAME_NOT_COMPARABLE', { fields: [field] })])
  const measured = atLeast({ score, threshold: nameThreshold })
  if (score >= nameThreshold) return conclude(name, 'PASSED', [], measured)
  return conclude(name, 'REJECTED', [createIssue(code, toDetails(measured))], measured)
}

/**
 * A document with one name has it, or all names, in either field, and an expected name may be any of them. An expected one
 * that is not there may be the other, which the document does not say.
 */
function checkOneName(field: NameField, expected: string, holder: Holder): RuleResult {
  const all = holder.last_name ?? holder.first_name ?? ''
  const score = compareGivenNames(expected, all) ?? 0
  if (score >= nameThreshold)
    return conclude(`expected_${field}`, 'PASSED', [], atLeast({ score, threshold: nameThreshold }))
  return isUnprinted(holder, field) ? conclude(`expected_${field}`, 'NOT_PRINTED') : checkName(field, expected, all)
}

function joinNames(...names: readonly (string | null | undefined)[]): string {
  return names.filter(name => name != null).join(' ')
}

/**
 * A name that is not in its field may be in the other: people take one for the other, and some states print all names in
 * one. Where all expected words stand on the document, and its surname is among them, they are the same names. Where they
 * stand there, and the surname is another, a person has to look: many surnames are given names too.
 */
function checkOtherField(result: RuleResult, field: NameField, expected: ExpectedData, holder: Holder): RuleResult {
  const name = expected[field] ?? null
  if (result.check.status !== 'REJECTED' || name === null) return result
  const [wanted, printed] = [
    joinNames(expected.first_name, expected.last_name),
    joinNames(holder.first_name, holder.last_name),
  ]
  const all = findName(wanted, printed) ?? 0
  const surname = holder.last_name === null ? 1 : (findName(holder.last_name, wanted) ?? 0)
  const score = Math.min(all, surname)
  const rule = `expected_${field}`
  if (score >= nameThreshold) return conclude(rule, 'PASSED', [], atLeast({ score, threshold: nameThreshold }))
  const own = findName(name, printed) ?? 0
  if (own < nameThreshold) return result
  return conclude(
    rule,
    'UNDETERMINED',
    [createIssue('NAME_IN_ANOTHER_FIELD', { fields: [field] })],
    atLeast({ score, threshold: nameThreshold }),
  )
}

function checkExpectedName(field: NameField, expected: ExpectedData, holder: Holder): RuleResult {
  const name = expected[field] ?? null
  const read = holder[field]
  if (name === null) return conclude(`expected_${field}`, 'NOT_EXECUTED')
  const comparable = holder.truncated.includes(field) && read !== null ? name.slice(0, read.length) : name
  if (hasOneName(holder)) return checkOneName(field, comparable, holder)
  if (read === null) return conclude(`expected_${field}`, 'UNDETERMINED', [unreadField(field)])
  return checkName(field, comparable, read)
}

function checkExpectedBirthDate({ date_of_birth: expected }: ExpectedData, holder: Holder): RuleResult {
  const name = 'expected_date_of_birth'
  const { date_of_birth: read, partial_birth } = holder
  if (expected == null) return conclude(name, 'NOT_EXECUTED')
  const mismatch = conclude(name, 'REJECTED', [createIssue('DATE_OF_BIRTH_MISMATCH')])
  if (partial_birth !== null && /^\d\d/.test(partial_birth) && partial_birth !== '000000')
    return agreesWithParts(partial_birth, expected) ? conclude(name, 'PASSED') : mismatch
  if (isUnprinted(holder, 'date_of_birth')) return conclude(name, 'NOT_PRINTED')
  if (read === null) return conclude(name, 'UNDETERMINED', [unreadField('date_of_birth')])
  return expected === read ? conclude(name, 'PASSED') : mismatch
}

function foldNumber(number: string): string {
  return number.toUpperCase().replace(/[^A-Z0-9]/g, '')
}

function checkExpectedNumber(
  { document_number: expected }: ExpectedData,
  { document_number: read }: Holder,
): RuleResult {
  const name = 'expected_document_number'
  if (expected == null) return conclude(name, 'NOT_EXECUTED')
  if (read === null) return conclude(name, 'UNDETERMINED', [unreadField('document_number')])
  return foldNumber(expected) === foldNumber(read)
    ? conclude(name, 'PASSED')
    : conclude(name, 'REJECTED', [createIssue('DOCUMENT_NUMBER_MISMATCH')])
}

/** The document must match `expected_data`. An expected value that cannot be compared leaves the section open. */
export function checkExpected(holder: Holder | null, expected: ExpectedData): RuleResult[] {
  if (holder === null) {
    return ['expected_first_name', 'expected_last_name', 'expected_date_of_birth', 'expected_document_number'].map(
      name => conclude(name, 'NOT_EXECUTED'),
    )
  }
  return [
    ...(['first_name', 'last_name'] as const).map(field =>
      checkOtherField(checkExpectedName(field, expected, holder), field, expected, holder),
    ),
    checkExpectedBirthDate(expected, holder),
    checkExpectedNumber(expected, holder),
  ]
}

/** One check for each field that a document may leave out; `expiry` is its own. */
export function checkPrinted(holder: Holder | null): RuleResult[] {
  return (['last_name', 'first_name', 'date_of_birth'] as const).map(field => {
    if (isUnprinted(holder, field)) return conclude(field, 'NOT_PRINTED')
    return conclude(field, holder?.[field] == null ? 'NOT_EXECUTED' : 'PASSED')
  })
}

/**
 * Whether the document's data suffices. It may have no expiry, and one name. A birth that is known in part needs an
 * expected one that agrees with that part. An expected name that it does not have is missing.
 */
export function checkCompleteness(holder: Holder | null, results: readonly RuleResult[]): RuleResult {
  if (holder === null) return conclude('completeness', 'NOT_EXECUTED')
  const statusOf = (name: string) => results.find(({ check }) => check.name === name)?.check.status
  const names = (['first_name', 'last_name'] as const).filter(field => statusOf(`expected_${field}`) === 'NOT_PRINTED')
  const birth = statusOf('expected_date_of_birth')
  const isBirthOpen = isUnprinted(holder, 'date_of_birth') && birth !== 'PASSED' && birth !== 'REJECTED'
  const fields = [...names, ...(isBirthOpen ? ['date_of_birth'] : [])]
  if (fields.length === 0) return conclude('completeness', 'PASSED')
  return conclude('completeness', 'UNDETERMINED', [createIssue('DOCUMENT_INCOMPLETE', { fields })])
}
