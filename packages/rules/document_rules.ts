import type { ChipData } from './chip_rules.ts'
import type { Day } from './dates.ts'
import type { Check, JudgedSection, RuleResult } from './decision.ts'
import { atLeast, atMost, conclude, report, sectionStatus } from './decision.ts'
import type { EvaluationDays, ExpectedData } from './document_checks.ts'
import { checkDerivedExpiry, checkExpiry, checkMrz, checkMrzCodes, onlyFinite, toDetails } from './document_checks.ts'
import { type DocumentPolicy, defaultDocumentPolicy } from './document_policy.ts'
import { checkSource, type DocumentSource, findSource } from './document_source.ts'
import { checkCompleteness, checkExpected, checkPrinted } from './expected_checks.ts'
import type { DocumentFindings, EngineName, MrzFormat } from './findings.ts'
import type { Holder } from './holder.ts'
import { readHolder } from './holder.ts'
import type { Issue, IssueCode } from './issues.ts'
import { createIssue } from './issues.ts'
import { checkPrintRepeated, findPrint, softenForPrint } from './print_checks.ts'
import { matchesExpected, reportUnknownKind, toExpectedHolder } from './unknown_document.ts'
import { checkVisualZone } from './visual_checks.ts'
import type { WalletData } from './wallet_findings.ts'
import { checkZoneAndBarcode } from './zone_and_barcode.ts'

/** `document.data`: every key is always there. Dates are `YYYY-MM-DD`, countries alpha-2. */
export interface DocumentData
  extends Omit<Holder, 'truncated' | 'possiblyValidUntil' | 'not_printed' | 'partial_birth'> {
  readonly engine: EngineName | null
  /** The source that the data rests on; null where nothing was read. */
  readonly source: DocumentSource | null
  readonly mrz: { readonly format: MrzFormat; readonly valid: boolean; readonly corrected_characters: number } | null
  readonly checks: readonly Check[]
  /** All lines that were read, from the top. Absent where the document has a zone or a barcode. */
  readonly printed_lines?: readonly string[]
  /** Absent where the policy ignores chips. */
  readonly chip?: ChipData
  /** Absent where no wallet answered. */
  readonly wallet?: WalletData
}

function checkDocumentType(findings: DocumentFindings, holder: Holder | null): RuleResult {
  const isUnsupported = findings.reading === 'UNSUPPORTED' || (holder !== null && holder.document_type === null)
  if (isUnsupported) return conclude('document_type', 'REJECTED', [createIssue('UNSUPPORTED_DOCUMENT')])
  return conclude('document_type', holder === null ? 'NOT_EXECUTED' : 'PASSED')
}

/**
 * Required fields, if the document has them: `checkCompleteness` judges missing ones. An impossible date, or a birth in
 * the future, counts as unread.
 */
const neededFields = ['document_number', 'last_name', 'date_of_birth', 'expiry_date'] as const

/** An unsupported document counts as legible. */
function checkLegibility(findings: DocumentFindings, holder: Holder | null): RuleResult {
  if (findings.reading === 'UNSUPPORTED') return conclude('legibility', 'PASSED')
  if (holder === null) return conclude('legibility', 'UNDETERMINED', [createIssue('DOCUMENT_NOT_READABLE')])
  const unprinted: readonly string[] = holder.not_printed
  const fields = neededFields.filter(field => (holder[field] ?? '') === '' && !unprinted.includes(field))
  if (fields.length === 0) return conclude('legibility', 'PASSED')
  // A barcode corrects its errors: a field that it lacks, or that has no meaning, is the same in every photograph. So
  // is a date that no calendar has in a zone whose check digits all agree.
  const isOfBarcode = findings.mrz === null && findings.barcode != null
  const { mrz } = findings
  const isProven = mrz?.valid === true && mrz.corrected_characters === 0
  const isDate = (field: (typeof fields)[number]): boolean =>
    (field === 'date_of_birth' || field === 'expiry_date') && /^\d{6}$/.test(mrz?.[field] ?? '')
  const code = isOfBarcode || (isProven && fields.every(isDate)) ? 'DOCUMENT_INCOMPLETE' : 'DOCUMENT_NOT_READABLE'
  return conclude('legibility', 'UNDETERMINED', [createIssue(code, { fields })])
}

function checkPortrait(findings: DocumentFindings): RuleResult {
  return findings.portrait_found
    ? conclude('portrait', 'PASSED')
    : conclude('portrait', 'UNDETERMINED', [createIssue('DOCUMENT_PORTRAIT_MISSING')])
}

function toDocumentData(
  findings: DocumentFindings | null,
  holder: Holder | null,
  source: DocumentSource | null,
): Omit<DocumentData, 'checks'> {
  const mrz = holder === null ? null : (findings?.mrz ?? null)
  return {
    engine: findings === null ? null : { name: findings.engine.name, version: findings.engine.version },
    source,
    document_type: holder?.document_type ?? null,
    issuing_country: holder?.issuing_country ?? null,
    nationality: holder?.nationality ?? null,
    document_number: holder?.document_number ?? null,
    personal_number: holder?.personal_number ?? null,
    first_name: holder?.first_name ?? null,
    last_name: holder?.last_name ?? null,
    date_of_birth: holder?.date_of_birth ?? null,
    sex: holder?.sex ?? null,
    issue_date: holder?.issue_date ?? null,
    expiry_date: holder?.expiry_date ?? null,
    mrz: mrz === null ? null : { format: mrz.format, valid: mrz.valid, corrected_characters: mrz.corrected_characters },
    ...(findings?.printed_lines == null ? {} : { printed_lines: findings.printed_lines }),
  }
}

/** Reports only: text under glare either was read anyway, or makes the document unreadable. */
function checkGlare(findings: DocumentFindings): RuleResult {
  const finite = onlyFinite(findings.glare)
  if (finite === null) return report('glare', 'NOT_EXECUTED')
  const glare = atMost(finite)
  return report(
    'glare',
    'PASSED',
    glare.score > glare.threshold ? [createIssue('DOCUMENT_GLARE', toDetails(glare))] : [],
    glare,
  )
}

/** A page without colours of its own may be a copy, which shows nothing of an original's security features. */
function checkColour(findings: DocumentFindings): RuleResult {
  const finite = onlyFinite(findings.colour ?? null)
  if (finite === null) return conclude('colour', 'NOT_EXECUTED')
  const colour = atLeast(finite)
  if (colour.score >= colour.threshold) return conclude('colour', 'PASSED', [], colour)
  return conclude('colour', 'UNDETERMINED', [createIssue('DOCUMENT_COPY_SUSPECTED', toDetails(colour))], colour)
}

/** Keeps, for each mismatched name, the issue with the lowest score. */
function keepWorst(issues: readonly Issue[]): Issue[] {
  const scoreOf = (issue: Issue): number => Number(issue.details?.score ?? 0)
  const worst = (issue: Issue): boolean =>
    !issues.some(other => other !== issue && other.code === issue.code && scoreOf(other) < scoreOf(issue))
  return issues.filter(worst).filter((issue, at, all) => all.findIndex(other => other.code === issue.code) === at)
}

const codesOfFields: readonly IssueCode[] = [
  'DOCUMENT_NOT_READABLE',
  'DOCUMENT_INCOMPLETE',
  'MRZ_NOT_STANDARD',
  'NAME_NOT_COMPARABLE',
  'NAME_IN_ANOTHER_FIELD',
]

/** One issue of each of these codes lists all its fields. */
function mergeFields(issues: readonly Issue[]): Issue[] {
  const merged = codesOfFields.flatMap(code => {
    const same = issues.filter(issue => issue.code === code)
    const fields = same.flatMap(issue => issue.details?.fields ?? []).map(String)
    if (same.length === 0) return []
    return [createIssue(code, fields.length === 0 ? undefined : { fields: [...new Set(fields)] })]
  })
  return [...issues.filter(({ code }) => !codesOfFields.includes(code)), ...merged]
}

/** The document was never captured. */
function judgeAbsentDocument(): JudgedSection<DocumentData> {
  const issues = [createIssue('DOCUMENT_SIDE_MISSING')]
  return {
    section: { status: 'NOT_EXECUTED', data: { ...toDocumentData(null, null, null), checks: [] } },
    issues,
    results: [conclude('sides', 'NOT_EXECUTED', issues)],
  }
}

/** The inputs, beside its pictures, that a document is judged by. */
interface Surroundings {
  readonly policy: DocumentPolicy
  readonly isChipProven: boolean
}

/** Judges a document on the day of the evaluation; its expiry by the day that is over last, where that is known. */
export function judgeDocument(
  findings: DocumentFindings | null,
  expected: ExpectedData,
  day: Day | EvaluationDays,
  { policy, isChipProven }: Surroundings = { policy: defaultDocumentPolicy, isChipProven: false },
): JudgedSection<DocumentData> {
  const days = typeof day === 'string' ? { today: day, earliest: day } : day
  const { today } = days
  if (findings === null) return judgeAbsentDocument()
  const mrz = findings.reading === 'READ' ? findings.mrz : null
  const isMatched = policy.unknown_document === 'MATCH_EXPECTED' && matchesExpected(findings, expected)
  const holder = isMatched ? toExpectedHolder(expected) : readHolder(findings, today, expected)
  const source = isChipProven ? 'CHIP' : isMatched ? 'EXPECTED_DATA' : findSource(findings)
  const unread = holder === null
  const print = findPrint(findings)
  const compared = softenForPrint(checkExpected(holder, expected), print, expected)
  const results = [
    isMatched ? conclude('legibility', 'PASSED') : checkLegibility(findings, holder),
    isMatched ? reportUnknownKind() : checkDocumentType(findings, holder),
    checkSource(source, policy.refused_sources),
    checkMrz(mrz),
    checkMrzCodes(mrz),
    ...softenForPrint([checkExpiry(holder, days)], print, expected),
    checkDerivedExpiry(holder, days),
    unread ? conclude('portrait', 'NOT_EXECUTED') : checkPortrait(findings),
    checkColour(findings),
    checkZoneAndBarcode(findings, today),
    checkPrintRepeated(print),
    ...checkVisualZone(findings, isMatched ? null : holder, { expected, today, compared }),
    ...compared,
    ...checkPrinted(holder),
    checkCompleteness(holder, compared),
  ]
  const all = [...results, checkGlare(findings)]
  const issues = all.flatMap(found => found.issues)
  const checks = results.map(found => found.check)
  return {
    section: {
      status: sectionStatus(checks.map(check => check.status)),
      data: { ...toDocumentData(findings, holder, source), checks },
    },
    issues: keepWorst(mergeFields(issues)),
    results: all,
  }
}
