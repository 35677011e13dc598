import { conclude, type RuleResult } from './decision.ts'
import type { ExpectedData } from './document_checks.ts'
import type { DocumentFindings, VisualZone } from './findings.ts'
import type { Holder } from './holder.ts'
import { createIssue } from './issues.ts'
import { hasDate, toPrintedDate } from './visual_dates.ts'
import { matchGivenNames, matchName, matchNumber } from './visual_text.ts'

/** What a document of a kind that nobody described is to the decision. */
export const unknownDocumentPolicies = ['IGNORE', 'MATCH_EXPECTED'] as const

export type UnknownDocumentPolicy = (typeof unknownDocumentPolicies)[number]

/** Names that are nothing but print must be nearly whole: one letter in ten may be misread. */
const nameLikeness = 0.95
/** A shorter name is in many words. */
const minLetters = 3

function isPrinted(name: string, text: VisualZone, match: typeof matchName): boolean {
  return name.replace(/[^\p{L}]/gu, '').length >= minLetters && (match(name, text) ?? 0) >= nameLikeness
}

function hasAll({ last_name, first_name, date_of_birth, document_number }: ExpectedData, text: VisualZone): boolean {
  if (last_name == null || first_name == null || date_of_birth == null) return false
  return (
    isPrinted(last_name, text, matchName) &&
    isPrinted(first_name, text, matchGivenNames) &&
    hasDate(toPrintedDate(date_of_birth), text) &&
    (document_number == null || matchNumber(document_number, text) === 1)
  )
}

/** Whether both readings of a document of no known kind have all that is expected: both names and the birth at least. */
export function matchesExpected(findings: DocumentFindings, expected: ExpectedData): boolean {
  const { reading, print = null, unknown_print: readings = null } = findings
  if (reading === 'READ' || print !== null || readings === null) return false
  return readings.every(lines => hasAll(expected, { lines, legibility: { score: 0, threshold: 0 } }))
}

/** The holder of such a document: what was expected, and was found. Nothing else is known of it. */
export function toExpectedHolder({ last_name, first_name, date_of_birth, document_number }: ExpectedData): Holder {
  return {
    document_type: null,
    issuing_country: null,
    nationality: null,
    document_number: document_number ?? null,
    personal_number: null,
    first_name: first_name ?? null,
    last_name: last_name ?? null,
    date_of_birth: date_of_birth ?? null,
    sex: null,
    issue_date: null,
    expiry_date: null,
    possiblyValidUntil: null,
    not_printed: ['expiry_date'],
    partial_birth: null,
    truncated: [],
  }
}

/** Says that the kind of the document is not known. */
export function reportUnknownKind(): RuleResult {
  return conclude('document_type', 'NOT_EXECUTED', [createIssue('DOCUMENT_KIND_UNKNOWN')])
}
