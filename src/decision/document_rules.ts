import type { Day } from './dates.ts'
import type { Check, JudgedSection, RuleResult } from './decision.ts'
import { atLeast, atMost, conclude, sectionStatus } from './decision.ts'
import type { ExpectedData } from './document_checks.ts'
import {
  checkDerivedExpiry,
  checkExpected,
  checkExpiry,
  checkMrz,
  checkMrzCodes,
  onlyFinite,
  toDetails,
} from './document_checks.ts'
import type { DocumentFindings, EngineName, MrzFormat } from './findings.ts'
import type { Holder } from './holder.ts'
import { readHolder } from './holder.ts'
import type { Issue } from './issues.ts'
import { createIssue } from './issues.ts'
import { checkVisualZone } from './visual_checks.ts'
import { checkZoneAndBarcode } from './zone_and_barcode.ts'

/** `document.data` (decisions, "Decision"): every key always there. Dates `YYYY-MM-DD`, countries alpha-2. */
export interface DocumentData extends Omit<Holder, 'truncated' | 'possiblyValidUntil'> {
  readonly engine: EngineName | null
  readonly mrz: { readonly format: MrzFormat; readonly valid: boolean; readonly corrected_characters: number } | null
  readonly checks: readonly Check[]
}

const checkDocumentType = (evidence: DocumentFindings, holder: Holder | null): RuleResult => {
  const refused = evidence.reading === 'UNSUPPORTED' || (holder !== null && holder.document_type === null)
  if (refused) return conclude('document_type', 'REJECTED', [createIssue('UNSUPPORTED_DOCUMENT')])
  return conclude('document_type', holder === null ? 'NOT_EXECUTED' : 'PASSED')
}

/** The fields without which a document is not read. A date that is no day, or a birth to come, was not read either. */
const neededFields = ['document_number', 'last_name', 'date_of_birth', 'expiry_date'] as const

/** An unsupported document is legible; nothing else is said of its legibility. */
const checkLegibility = (evidence: DocumentFindings, holder: Holder | null): RuleResult => {
  if (evidence.reading === 'UNSUPPORTED') return conclude('legibility', 'PASSED')
  if (holder === null) return conclude('legibility', 'UNDETERMINED', [createIssue('DOCUMENT_NOT_READABLE')])
  const fields = neededFields.filter(field => (holder[field] ?? '') === '')
  if (fields.length === 0) return conclude('legibility', 'PASSED')
  return conclude('legibility', 'UNDETERMINED', [createIssue('DOCUMENT_NOT_READABLE', { fields })])
}

const checkPortrait = (evidence: DocumentFindings): RuleResult =>
  evidence.portrait_found
    ? conclude('portrait', 'PASSED')
    : conclude('portrait', 'UNDETERMINED', [createIssue('DOCUMENT_PORTRAIT_MISSING')])

const toDocumentData = (evidence: DocumentFindings | null, holder: Holder | null): Omit<DocumentData, 'checks'> => {
  const mrz = holder === null ? null : (evidence?.mrz ?? null)
  return {
    engine: evidence === null ? null : { name: evidence.engine.name, version: evidence.engine.version },
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
  }
}

/** Told, and deciding nothing: what the glare covers is either read all the same, or not readable. */
const checkGlare = (evidence: DocumentFindings): RuleResult => {
  const reliably = onlyFinite(evidence.glare)
  if (reliably === null) return conclude('glare', 'NOT_EXECUTED')
  const glare = atMost(reliably)
  return conclude(
    'glare',
    'PASSED',
    glare.score > glare.threshold ? [createIssue('DOCUMENT_GLARE', toDetails(glare))] : [],
    glare,
  )
}

/** A page that shows no colour but its light's: a copy shows nothing of what makes an original. */
const checkColour = (evidence: DocumentFindings): RuleResult => {
  const reliably = onlyFinite(evidence.colour ?? null)
  if (reliably === null) return conclude('colour', 'NOT_EXECUTED')
  const colour = atLeast(reliably)
  if (colour.score >= colour.threshold) return conclude('colour', 'PASSED', [], colour)
  return conclude('colour', 'UNDETERMINED', [createIssue('DOCUMENT_COPY_SUSPECTED', toDetails(colour))], colour)
}

/** A name's mismatch can come of several comparisons: the least alike is told. */
const keepWorst = (issues: readonly Issue[]): Issue[] => {
  const scoreOf = (issue: Issue): number => Number(issue.details?.score ?? 0)
  const worst = (issue: Issue): boolean =>
    !issues.some(other => other !== issue && other.code === issue.code && scoreOf(other) < scoreOf(issue))
  return issues.filter(worst).filter((issue, at, all) => all.findIndex(other => other.code === issue.code) === at)
}

/** One DOCUMENT_NOT_READABLE names all fields that could not be read. */
const mergeUnreadFields = (issues: readonly Issue[]): Issue[] => {
  const unread = issues.filter(issue => issue.code === 'DOCUMENT_NOT_READABLE')
  const fields = unread.flatMap(issue => issue.details?.fields ?? []).map(String)
  const rest = issues.filter(issue => issue.code !== 'DOCUMENT_NOT_READABLE')
  if (unread.length === 0) return rest
  return [
    ...rest,
    createIssue('DOCUMENT_NOT_READABLE', fields.length === 0 ? undefined : { fields: [...new Set(fields)] }),
  ]
}

/** The document section of a transaction whose document was never captured. */
const judgeAbsentDocument = (): JudgedSection<DocumentData> => {
  const issues = [createIssue('DOCUMENT_SIDE_MISSING')]
  return {
    section: { status: 'NOT_EXECUTED', data: { ...toDocumentData(null, null), checks: [] } },
    issues,
    results: [conclude('sides', 'NOT_EXECUTED', issues)],
  }
}

/** Evidence of a document as its section and issues (decisions, "Decision"), on the day of the evaluation. */
export const judgeDocument = (
  evidence: DocumentFindings | null,
  expected: ExpectedData,
  today: Day,
): JudgedSection<DocumentData> => {
  if (evidence === null) return judgeAbsentDocument()
  const mrz = evidence.reading === 'READ' ? evidence.mrz : null
  const holder = readHolder(evidence, today)
  const unread = holder === null
  const findings = [
    checkLegibility(evidence, holder),
    checkDocumentType(evidence, holder),
    checkMrz(mrz),
    checkMrzCodes(mrz),
    checkExpiry(holder, today),
    checkDerivedExpiry(holder, today),
    unread ? conclude('portrait', 'NOT_EXECUTED') : checkPortrait(evidence),
    checkColour(evidence),
    checkZoneAndBarcode(evidence, today),
    ...checkVisualZone(evidence, holder, { expected, today }),
    ...checkExpected(holder, expected),
  ]
  const all = [...findings, checkGlare(evidence)]
  const issues = all.flatMap(found => found.issues)
  const checks = findings.map(found => found.check)
  return {
    section: {
      status: sectionStatus(checks.map(check => check.status)),
      data: { ...toDocumentData(evidence, holder), checks },
    },
    issues: keepWorst(mergeUnreadFields(issues)),
    results: all,
  }
}
