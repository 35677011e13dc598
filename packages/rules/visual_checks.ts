import type { Day } from './dates.ts'
import { atLeast, conclude, type RuleResult, type SectionStatus } from './decision.ts'
import { checkSides, checkVisualSurname, type ExpectedData, toDetails } from './document_checks.ts'
import type { DocumentFindings, Score, VisualZone } from './findings.ts'
import type { Holder } from './holder.ts'
import { createIssue, type IssueCode } from './issues.ts'
import { foldName, misreadNameFrom, nameThreshold } from './names.ts'
import { hasAnyDate, hasDate, isSurelyOtherBirthDate, matchBirthDate, toPrintedDate } from './visual_dates.ts'
import { matchGivenNames, matchName, matchNumber, minLetters } from './visual_text.ts'

/** Dates match in all digits. One that matches in half of them may be misread, and is ignored. */
const dateThreshold = 1
export const misreadDateFrom = 0.5

/** The zone's data beside the names that the text confirms. */
interface Anchors {
  readonly expiry: boolean
  readonly number: boolean
}

function findAnchors(text: VisualZone, holder: Holder | null): Anchors {
  return {
    expiry: holder?.expiry_date != null && hasDate(toPrintedDate(holder.expiry_date), text),
    number: holder?.document_number != null && matchNumber(holder.document_number, text) >= nameThreshold,
  }
}

/** Print of too few pixels is often misread: it can confirm, but never contradict. */
function isFineEnough({ resolution }: VisualZone): boolean {
  return resolution === undefined || resolution.score >= resolution.threshold
}

function hasManyWords(text: VisualZone): boolean {
  return isFineEnough(text) && text.legibility.score >= text.legibility.threshold
}

/** Enough was read for an absence to mean something: many words, or two other things that the zone says too. */
function isLegible(text: VisualZone, found: readonly boolean[]): boolean {
  return hasManyWords(text) || (isFineEnough(text) && found.filter(Boolean).length >= 2)
}

interface TextComparison {
  readonly name: string
  readonly code: IssueCode
  readonly score: number | null
  readonly threshold: number
  /** Whether a score below the threshold says anything. */
  readonly conclusive: boolean
  /** The section's status after a conclusive difference. */
  readonly otherwise: SectionStatus
  /**
   * The field that is left open by a difference that is surely read but not conclusive; null if such a difference is
   * ignored.
   */
  readonly openField?: string | null
}

function concludeComparison(of: TextComparison): RuleResult {
  const { name, code, score, threshold, conclusive, otherwise, openField = null } = of
  if (score === null) return conclude(name, 'NOT_EXECUTED')
  const measured = atLeast({ score, threshold })
  if (score >= threshold) return conclude(name, 'PASSED', [], measured)
  if (!conclusive && openField !== null) {
    return conclude(name, 'UNDETERMINED', [createIssue('DOCUMENT_NOT_READABLE', { fields: [openField] })], measured)
  }
  if (!conclusive) return conclude(name, 'NOT_EXECUTED', [], measured)
  return conclude(name, otherwise, otherwise === 'REJECTED' ? [createIssue(code, toDetails(measured))] : [], measured)
}

/** The person that the text is compared with: the holder that was read, or the expected one. */
type Person = Pick<Holder, 'last_name' | 'first_name' | 'date_of_birth'>

function isLong(name: string): boolean {
  return foldName(name).replaceAll(' ', '').length >= minLetters
}

function isClearlyOther(score: number | null): boolean {
  return score !== null && score < misreadNameFrom
}

/** Compares surname, given names and date of birth of the printed text with a person's. */
function comparePerson(
  text: VisualZone,
  { last_name, first_name, date_of_birth }: Person,
  names: readonly [last: string, first: string, birth: string],
  { today, otherwise, anchors }: { today: Day; otherwise: SectionStatus; anchors: Anchors },
): RuleResult[] {
  const last = last_name === null ? null : matchName(last_name, text)
  const first = first_name === null ? null : matchGivenNames(first_name, text)
  const birth = date_of_birth === null ? null : matchBirthDate(toPrintedDate(date_of_birth), text, today)
  const named = first !== null && first >= nameThreshold
  const legible = isLegible(text, [named, birth === 1, anchors.expiry, anchors.number])
  const dated = legible && anchors.expiry && birth !== null
  // Even a digit that the reader is sure of may be misread: a person should look at it, so it does not reject.
  const other = dated && date_of_birth !== null && isSurelyOtherBirthDate(toPrintedDate(date_of_birth), text, today)
  // Given names are misread most often: everything around them must be legible, and there must be enough of it.
  const enough = hasManyWords(text)
  const around = enough && last !== null && last >= nameThreshold && birth === 1 && anchors.expiry
  const threshold = nameThreshold
  return [
    concludeComparison({
      name: names[0],
      code: 'SURNAME_MISMATCH',
      score: last,
      threshold,
      otherwise,
      conclusive: legible && isClearlyOther(last) && isLong(last_name ?? ''),
    }),
    concludeComparison({
      name: names[1],
      code: 'NAME_MISMATCH',
      score: first,
      threshold,
      otherwise,
      conclusive: around && isClearlyOther(first) && isLong(first_name?.split(' ')[0] ?? ''),
    }),
    concludeComparison({
      name: names[2],
      code: 'DATE_OF_BIRTH_MISMATCH',
      score: birth,
      threshold: dateThreshold,
      otherwise,
      conclusive: dated && birth < misreadDateFrom,
      openField: other ? 'date_of_birth' : null,
    }),
  ]
}

const visualNames = ['visual_surname', 'visual_given_names', 'visual_date_of_birth'] as const
const expectedNames = [
  'visual_expected_last_name',
  'visual_expected_first_name',
  'visual_expected_date_of_birth',
] as const

function concludeNotExecuted(names: readonly string[]): RuleResult[] {
  return names.map(name => conclude(name, 'NOT_EXECUTED'))
}

function checkAgainstHolder(findings: DocumentFindings, holder: Holder | null, today: Day): RuleResult[] {
  const { visual = null, visual_surname } = findings
  // The printed fields already are the printed text.
  if (holder === null || findings.print != null) return concludeNotExecuted(visualNames)
  if (visual === null) return [checkVisualSurname(visual_surname), ...concludeNotExecuted(visualNames.slice(1))]
  const anchors = findAnchors(visual, holder)
  const [surname, ...rest] = comparePerson(visual, holder, visualNames, { today, otherwise: 'REJECTED', anchors })
  if (surname === undefined) return rest
  const open = surname.check.status === 'NOT_EXECUTED' && !holder.not_printed.includes('last_name')
  return [open ? { ...surname, issues: [createIssue('SURNAME_NOT_EVALUABLE')] } : surname, ...rest]
}

/** The data that the text is compared with. `compared`: results of the zone or barcode for the same data. */
interface Against {
  readonly expected: ExpectedData
  readonly today: Day
  readonly compared: readonly RuleResult[]
}

/**
 * Compares the text with `expected_data`. If neither zone nor barcode was read, it is unknown whether the text names
 * the holder at all. Then a difference leaves the section open instead of rejecting.
 */
function checkAgainstExpected(
  { visual = null }: DocumentFindings,
  holder: Holder | null,
  { expected, today, compared }: Against,
): RuleResult[] {
  if (visual === null) return concludeNotExecuted(expectedNames)
  const { last_name = null, first_name = null, date_of_birth = null } = expected
  const otherwise = holder === null ? 'UNDETERMINED' : 'REJECTED'
  const against = { today, otherwise, anchors: findAnchors(visual, holder) } as const
  const results = comparePerson(visual, { last_name, first_name, date_of_birth }, expectedNames, against)
  return results.map(result => (isAnswered(result, compared) ? withoutDifference(result) : result))
}

/** Whether the zone or barcode has the name: a name that the print lacks, or has in addition, is then no difference. */
function isAnswered({ check }: RuleResult, compared: readonly RuleResult[]): boolean {
  const answer = compared.find(other => `visual_${other.check.name}` === check.name)
  return (
    check.name !== expectedNames[2] && (answer?.check.status === 'PASSED' || answer?.check.status === 'UNDETERMINED')
  )
}

function withoutDifference(result: RuleResult): RuleResult {
  if (result.check.status === 'PASSED') return result
  return { ...result, check: { ...result.check, status: 'NOT_EXECUTED' }, issues: [] }
}

/**
 * Leaves the sides undecided. Otherwise somebody who found a card could pass for its holder, with the real back and a
 * forged front.
 */
function concludeUndecided(measured: Score | null): RuleResult {
  return conclude('sides', 'UNDETERMINED', [createIssue('DOCUMENT_NOT_READABLE', { fields: ['sides'] })], measured)
}

/**
 * Compares the text around a portrait that is not on the page of the zone or barcode, as on most cards, with these. The
 * number decides, else the names, else a name and the date of birth. The front belongs to another document only if it
 * is legible and has none of them. If neither can be determined, the section stays open.
 */
function checkOtherSide(text: VisualZone | null, holder: Holder, results: readonly RuleResult[]): RuleResult {
  if (text === null) return concludeUndecided(null)
  const [surname, given, birth] = results.map(found => found.check)
  const number = holder.document_number === null ? 0 : matchNumber(holder.document_number, text)
  const measured = atLeast({ score: Math.max(number, surname?.score ?? 0), threshold: nameThreshold })
  const same = [surname, given, birth].filter(check => check?.status === 'PASSED').length
  if (number >= nameThreshold || same >= 2) return conclude('sides', 'PASSED', [], measured)
  const foreign = surname?.status === 'REJECTED' && same === 0 && hasAnyDate(text)
  if (!foreign || findAnchors(text, holder).expiry) return concludeUndecided(measured)
  return conclude('sides', 'REJECTED', [createIssue('DOCUMENT_SIDES_MISMATCH', toDetails(measured))], measured)
}

function isPortraitApart({ portrait_found, portrait_apart, mrz }: DocumentFindings): boolean {
  return portrait_found && (portrait_apart ?? (mrz === null || mrz.format === 'TD1'))
}

/**
 * Leaves out the text of Russia's internal passport: it prints Cyrillic alone, which is not read, so misread text
 * contradicts nobody.
 */
function withoutForeignText(findings: DocumentFindings): DocumentFindings {
  const isRussian = findings.mrz?.document_code === 'PN' && findings.mrz.issuing_state === 'RUS'
  return isRussian ? { ...findings, visual: null, visual_surname: null } : findings
}

/** Checks the printed text against both sides and the holder. The `sides` check comes first. */
export function checkVisualZone(whole: DocumentFindings, holder: Holder | null, against: Against): RuleResult[] {
  const findings = withoutForeignText(whole)
  const { visual = null } = findings
  const results = checkAgainstHolder(findings, holder, against.today)
  const sides = checkSides(findings)
  const open = sides.check.status === 'NOT_EXECUTED' && holder !== null && isPortraitApart(findings)
  return [
    open ? checkOtherSide(visual, holder, results) : sides,
    ...results,
    ...checkAgainstExpected(findings, holder, against),
  ]
}
