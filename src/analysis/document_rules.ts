import { countryOfIcaoCode } from './countries.ts'
import type { Day } from './dates.ts'
import { birthDay, expiryDay } from './dates.ts'
import type { Check, Finding, Judged } from './decision.ts'
import { finding, sectionStatus } from './decision.ts'
import type { ExpectedData } from './document_checks.ts'
import {
  checkExpected,
  checkExpiry,
  checkMrz,
  checkSides,
  checkVisualSurname,
  detailsOf,
  reliable,
} from './document_checks.ts'
import type { Issue } from './issues.ts'
import { issueOf } from './issues.ts'
import type { DocumentEvidence, EngineName, MrzFormat, MrzReading } from './port.ts'

/** decisions, "Decision": `document.data.document_type`. */
export type DocumentType = 'PASSPORT' | 'ID_CARD' | 'DRIVING_LICENSE' | 'RESIDENCE_PERMIT'

/** `document.data` (decisions, "Decision"): every key always there. Dates `YYYY-MM-DD`, countries alpha-2. */
export interface DocumentData {
  readonly engine: EngineName | null
  readonly document_type: DocumentType | null
  readonly issuing_country: string | null
  readonly nationality: string | null
  readonly document_number: string | null
  readonly personal_number: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly date_of_birth: Day | null
  readonly sex: 'F' | 'M' | 'X' | null
  /** No machine-readable zone carries it. */
  readonly issue_date: Day | null
  readonly expiry_date: Day | null
  readonly mrz: { readonly format: MrzFormat; readonly valid: boolean; readonly corrected_characters: number } | null
  readonly checks: readonly Check[]
}

/**
 * The kind of document from its code (ICAO 9303-4 to -7): `P…` passports, `AR` and `IR` residence permits, `D…`
 * driving licences, other `A…`, `C…` and `I…` identity cards. Null for visas (`V…`), crew certificates (`AC`) and
 * everything else, which identify nobody here.
 */
export const documentTypeOf = (document_code: string): DocumentType | null => {
  const code = document_code.replaceAll('<', '').trim().toUpperCase()
  if (code === 'AR' || code === 'IR') return 'RESIDENCE_PERMIT'
  if (code === 'AC') return null
  if (code.startsWith('P')) return 'PASSPORT'
  if (code.startsWith('D')) return 'DRIVING_LICENSE'
  return /^[ACI]/.test(code) ? 'ID_CARD' : null
}

const checkDocumentType = (evidence: DocumentEvidence, mrz: MrzReading | null): Finding => {
  const refused = evidence.reading === 'UNSUPPORTED' || (mrz !== null && documentTypeOf(mrz.document_code) === null)
  if (refused) return finding('document_type', 'REJECTED', [issueOf('UNSUPPORTED_DOCUMENT')])
  return finding('document_type', mrz === null ? 'NOT_EXECUTED' : 'PASSED')
}

/** The fields without which a document is not read, by name. */
const unreadFields = (mrz: MrzReading, today: Day): string[] => {
  const fields: [string, string | null][] = [
    ['document_number', mrz.document_number],
    ['last_name', mrz.last_name],
    ['expiry_date', expiryDay(mrz.expiry_date, today)],
  ]
  return fields.filter(([, value]) => value === null || value === '').map(([name]) => name)
}

/** An unsupported document is legible; nothing else is said of its legibility. */
const checkLegibility = (evidence: DocumentEvidence, mrz: MrzReading | null, today: Day): Finding => {
  if (evidence.reading === 'UNSUPPORTED') return finding('legibility', 'PASSED')
  if (mrz === null) return finding('legibility', 'UNDETERMINED', [issueOf('DOCUMENT_NOT_READABLE')])
  const fields = unreadFields(mrz, today)
  if (fields.length === 0) return finding('legibility', 'PASSED')
  return finding('legibility', 'UNDETERMINED', [issueOf('DOCUMENT_NOT_READABLE', { fields })])
}

const checkPortrait = (evidence: DocumentEvidence): Finding =>
  evidence.portrait_found
    ? finding('portrait', 'PASSED')
    : finding('portrait', 'UNDETERMINED', [issueOf('DOCUMENT_PORTRAIT_MISSING')])

const documentData = (engine: EngineName | null, mrz: MrzReading | null, today: Day): Omit<DocumentData, 'checks'> => ({
  engine: engine === null ? null : { name: engine.name, version: engine.version },
  document_type: mrz === null ? null : documentTypeOf(mrz.document_code),
  issuing_country: countryOfIcaoCode(mrz?.issuing_state ?? null),
  nationality: countryOfIcaoCode(mrz?.nationality ?? null),
  document_number: mrz?.document_number ?? null,
  personal_number: mrz?.personal_number ?? null,
  first_name: mrz?.first_name ?? null,
  last_name: mrz?.last_name ?? null,
  date_of_birth: birthDay(mrz?.date_of_birth ?? null, today),
  sex: mrz?.sex ?? null,
  issue_date: null,
  expiry_date: expiryDay(mrz?.expiry_date ?? null, today),
  mrz: mrz === null ? null : { format: mrz.format, valid: mrz.valid, corrected_characters: mrz.corrected_characters },
})

/** Told, and deciding nothing: what the glare covers is either read all the same, or not readable. */
const checkGlare = (evidence: DocumentEvidence): Finding => {
  const glare = reliable(evidence.glare)
  if (glare === null) return finding('glare', 'NOT_EXECUTED')
  return finding(
    'glare',
    'PASSED',
    glare.score > glare.threshold ? [issueOf('DOCUMENT_GLARE', detailsOf(glare))] : [],
    glare,
  )
}

/** SURNAME_MISMATCH can come of two comparisons: the less alike of the two is told. */
const worstSurname = (issues: readonly Issue[]): Issue[] => {
  const scoreOf = (issue: Issue): number => Number(issue.details?.score ?? 0)
  const surnames = issues.filter(issue => issue.code === 'SURNAME_MISMATCH').sort((a, b) => scoreOf(a) - scoreOf(b))
  return [...issues.filter(issue => issue.code !== 'SURNAME_MISMATCH'), ...surnames.slice(0, 1)]
}

/** One DOCUMENT_NOT_READABLE names all fields that could not be read. */
const mergeUnread = (issues: readonly Issue[]): Issue[] => {
  const unread = issues.filter(issue => issue.code === 'DOCUMENT_NOT_READABLE')
  const fields = unread.flatMap(issue => issue.details?.fields ?? []).map(String)
  const rest = issues.filter(issue => issue.code !== 'DOCUMENT_NOT_READABLE')
  if (unread.length === 0) return rest
  return [...rest, issueOf('DOCUMENT_NOT_READABLE', fields.length === 0 ? undefined : { fields: [...new Set(fields)] })]
}

/** The document section of a transaction whose document was never captured. */
const absentDocument = (today: Day): Judged<DocumentData> => {
  const issues = [issueOf('DOCUMENT_SIDE_MISSING')]
  return {
    section: { status: 'NOT_EXECUTED', data: { ...documentData(null, null, today), checks: [] } },
    issues,
    findings: [finding('sides', 'NOT_EXECUTED', issues)],
  }
}

/** Evidence of a document as its section and issues (decisions, "Decision"), on the transaction's own day. */
export const judgeDocument = (
  evidence: DocumentEvidence | null,
  expected: ExpectedData,
  today: Day,
): Judged<DocumentData> => {
  if (evidence === null) return absentDocument(today)
  const mrz = evidence.reading === 'READ' ? evidence.mrz : null
  const unread = mrz === null
  const findings = [
    checkLegibility(evidence, mrz, today),
    checkDocumentType(evidence, mrz),
    checkMrz(mrz),
    checkExpiry(expiryDay(mrz?.expiry_date ?? null, today), today),
    checkSides(evidence),
    unread ? finding('portrait', 'NOT_EXECUTED') : checkPortrait(evidence),
    unread ? finding('visual_surname', 'NOT_EXECUTED') : checkVisualSurname(evidence.visual_surname),
    ...checkExpected(mrz, expected, today),
  ]
  const all = [...findings, checkGlare(evidence)]
  const issues = all.flatMap(found => found.issues)
  const checks = findings.map(found => found.check)
  return {
    section: {
      status: sectionStatus(checks.map(check => check.status)),
      data: { ...documentData(evidence.engine, mrz, today), checks },
    },
    issues: mergeUnread(worstSurname(issues)),
    findings: all,
  }
}
