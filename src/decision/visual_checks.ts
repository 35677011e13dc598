import type { Day } from './dates.ts'
import { atLeast, type Finding, finding, type SectionStatus } from './decision.ts'
import { checkSides, checkVisualSurname, detailsOf, type ExpectedData } from './document_checks.ts'
import type { DocumentFindings, Score, VisualZone } from './findings.ts'
import type { Holder } from './holder.ts'
import { type IssueCode, issueOf } from './issues.ts'
import { foldName, name_threshold } from './names.ts'
import { birthInText, hasDate, hasDates, isSurelyOtherBirth, printedDate } from './visual_dates.ts'
import { givenNamesInText, least_letters, nameInText, numberInText } from './visual_text.ts'

/** A date is the same in all of its digits; with half of them the same it may be misread, and says nothing. */
const date_threshold = 1
const misread_from = 0.5
/** A name almost as alike as the threshold asks is a misread one. */
const misread_name_from = 0.75

/** What the zone knows of its holder beside the names, as far as the text says the same. */
interface Anchors {
  readonly expiry: boolean
  readonly number: boolean
}

const anchorsOf = (text: VisualZone, holder: Holder | null): Anchors => ({
  expiry: holder?.expiry_date != null && hasDate(printedDate(holder.expiry_date), text),
  number: holder?.document_number != null && numberInText(holder.document_number, text) >= name_threshold,
})

/** Print of too few pixels is misread as often as read: it can confirm, and says nothing against anybody. */
const isFine = ({ resolution }: VisualZone): boolean =>
  resolution === undefined || resolution.score >= resolution.threshold

const hasManyWords = (text: VisualZone): boolean => isFine(text) && text.legibility.score >= text.legibility.threshold

/** Enough was read for what is absent to mean something: many words, or two other things that the zone says too. */
const isLegible = (text: VisualZone, found: readonly boolean[]): boolean =>
  hasManyWords(text) || (isFine(text) && found.filter(Boolean).length >= 2)

interface Compared {
  readonly name: string
  readonly code: IssueCode
  readonly score: number | null
  readonly threshold: number
  /** Whether a score below the threshold says anything. */
  readonly conclusive: boolean
  /** What a conclusive difference makes of the section. */
  readonly otherwise: SectionStatus
  /** The field that a difference leaves open where it is not conclusive, but surely read; null where it says nothing. */
  readonly open_field?: string | null
}

const compared = (of: Compared): Finding => {
  const { name, code, score, threshold, conclusive, otherwise, open_field = null } = of
  if (score === null) return finding(name, 'NOT_EXECUTED')
  const measured = atLeast({ score, threshold })
  if (score >= threshold) return finding(name, 'PASSED', [], measured)
  if (!conclusive && open_field !== null) {
    return finding(name, 'UNDETERMINED', [issueOf('DOCUMENT_NOT_READABLE', { fields: [open_field] })], measured)
  }
  if (!conclusive) return finding(name, 'NOT_EXECUTED', [], measured)
  return finding(name, otherwise, otherwise === 'REJECTED' ? [issueOf(code, detailsOf(measured))] : [], measured)
}

/** Who the text is held against: the holder that was read, or the one expected. */
type Person = Pick<Holder, 'last_name' | 'first_name' | 'date_of_birth'>

const isLong = (name: string): boolean => foldName(name).replaceAll(' ', '').length >= least_letters

const isOther = (score: number | null): boolean => score !== null && score < misread_name_from

/** Surname, given names and date of birth of the printed text against a person's. */
const comparePerson = (
  text: VisualZone,
  { last_name, first_name, date_of_birth }: Person,
  names: readonly [last: string, first: string, birth: string],
  { today, otherwise, anchors }: { today: Day; otherwise: SectionStatus; anchors: Anchors },
): Finding[] => {
  const last = last_name === null ? null : nameInText(last_name, text)
  const first = first_name === null ? null : givenNamesInText(first_name, text)
  const birth = date_of_birth === null ? null : birthInText(printedDate(date_of_birth), text, today)
  const named = first !== null && first >= name_threshold
  const legible = isLegible(text, [named, birth === 1, anchors.expiry, anchors.number])
  const dated = legible && anchors.expiry && birth !== null
  // A digit may be misread, however sure the reader is of it: that is for a person to look at, not to reject.
  const other = dated && date_of_birth !== null && isSurelyOtherBirth(printedDate(date_of_birth), text, today)
  // Given names are the most misread: all around them has to be legible, and there must be enough of it.
  const enough = hasManyWords(text)
  const around = enough && last !== null && last >= name_threshold && birth === 1 && anchors.expiry
  const threshold = name_threshold
  return [
    compared({
      ...{ name: names[0], code: 'SURNAME_MISMATCH', score: last, threshold, otherwise },
      conclusive: legible && isOther(last) && isLong(last_name ?? ''),
    }),
    compared({
      ...{ name: names[1], code: 'NAME_MISMATCH', score: first, threshold, otherwise },
      conclusive: around && isOther(first) && isLong(first_name?.split(' ')[0] ?? ''),
    }),
    compared({
      ...{ name: names[2], code: 'DATE_OF_BIRTH_MISMATCH', score: birth, threshold: date_threshold, otherwise },
      conclusive: dated && birth < misread_from,
      open_field: other ? 'date_of_birth' : null,
    }),
  ]
}

const visual_names = ['visual_surname', 'visual_given_names', 'visual_date_of_birth'] as const
const expected_names = [
  'visual_expected_last_name',
  'visual_expected_first_name',
  'visual_expected_date_of_birth',
] as const

const notExecuted = (names: readonly string[]): Finding[] => names.map(name => finding(name, 'NOT_EXECUTED'))

const checkAgainstHolder = (evidence: DocumentFindings, holder: Holder | null, today: Day): Finding[] => {
  const { visual = null, visual_surname } = evidence
  if (holder === null) return notExecuted(visual_names)
  if (visual === null) return [checkVisualSurname(visual_surname), ...notExecuted(visual_names.slice(1))]
  const anchors = anchorsOf(visual, holder)
  const [surname, ...rest] = comparePerson(visual, holder, visual_names, { today, otherwise: 'REJECTED', anchors })
  if (surname === undefined) return rest
  const open = surname.check.status === 'NOT_EXECUTED'
  return [open ? { ...surname, issues: [issueOf('SURNAME_NOT_EVALUABLE')] } : surname, ...rest]
}

/**
 * The text against `expected_data`. Where neither zone nor barcode was read nobody knows that the text names the holder
 * at all, so that a difference leaves the section open instead of rejecting.
 */
const checkAgainstExpected = (
  { visual = null }: DocumentFindings,
  holder: Holder | null,
  { expected, today }: { readonly expected: ExpectedData; readonly today: Day },
): Finding[] => {
  if (visual === null) return notExecuted(expected_names)
  const { last_name = null, first_name = null, date_of_birth = null } = expected
  const otherwise = holder === null ? 'UNDETERMINED' : 'REJECTED'
  const against = { today, otherwise, anchors: anchorsOf(visual, holder) } as const
  return comparePerson(visual, { last_name, first_name, date_of_birth }, expected_names, against)
}

/** Who shows the back of a card that was found beside a front of their own making must not pass for its holder. */
const notTold = (measured: Score | null): Finding =>
  finding('sides', 'UNDETERMINED', [issueOf('DOCUMENT_NOT_READABLE', { fields: ['sides'] })], measured)

/**
 * A portrait that is not on the page of the zone or barcode, as on most cards: the text around it against them. The
 * number tells, or else the names, or a name and the birth; of another document is only a legible front with none of
 * them. Where neither can be told the section stays open.
 */
const checkOtherSide = (text: VisualZone | null, holder: Holder, findings: readonly Finding[]): Finding => {
  if (text === null) return notTold(null)
  const [surname, given, birth] = findings.map(found => found.check)
  const number = holder.document_number === null ? 0 : numberInText(holder.document_number, text)
  const measured = atLeast({ score: Math.max(number, surname?.score ?? 0), threshold: name_threshold })
  const same = [surname, given, birth].filter(check => check?.status === 'PASSED').length
  if (number >= name_threshold || same >= 2) return finding('sides', 'PASSED', [], measured)
  const foreign = surname?.status === 'REJECTED' && same === 0 && hasDates(text)
  if (!foreign || anchorsOf(text, holder).expiry) return notTold(measured)
  return finding('sides', 'REJECTED', [issueOf('DOCUMENT_SIDES_MISMATCH', detailsOf(measured))], measured)
}

const isApart = ({ portrait_found, portrait_apart, mrz }: DocumentFindings): boolean =>
  portrait_found && (portrait_apart ?? (mrz === null || mrz.format === 'TD1'))

/** All that the printed text says: of the sides, and of the holder. The `sides` check comes first. */
export const checkVisualZone = (
  evidence: DocumentFindings,
  holder: Holder | null,
  against: { readonly expected: ExpectedData; readonly today: Day },
): Finding[] => {
  const { visual = null } = evidence
  const findings = checkAgainstHolder(evidence, holder, against.today)
  const sides = checkSides(evidence)
  const open = sides.check.status === 'NOT_EXECUTED' && holder !== null && isApart(evidence)
  return [
    open ? checkOtherSide(visual, holder, findings) : sides,
    ...findings,
    ...checkAgainstExpected(evidence, holder, against),
  ]
}
