import type { Measured, PassesWhen, Score } from './findings.ts'
import type { Issue, IssueType } from './issues.ts'
import type { Decision } from './words.ts'

/** `UNDETERMINED`: ran and is inconclusive. `NOT_EXECUTED`: its input is missing. */
export const sectionStatuses = ['PASSED', 'REJECTED', 'UNDETERMINED', 'NOT_EXECUTED'] as const

export type SectionStatus = (typeof sectionStatuses)[number]

/** `NOT_PRINTED`: the document lacks the checked field. */
export const checkStatuses = [...sectionStatuses, 'NOT_PRINTED'] as const

export type CheckStatus = (typeof checkStatuses)[number]

/** A section of `result_data`. */
export interface Section<Data> {
  readonly status: SectionStatus
  readonly data: Data
}

/** The outcome of one rule with its measurement. */
export interface Check {
  readonly name: string
  readonly status: CheckStatus
  readonly score: number | null
  readonly threshold: number | null
  readonly passes_when: PassesWhen | null
}

export interface RuleResult {
  readonly check: Check
  readonly issues: readonly Issue[]
  /** It only reports: it never changes the decision. */
  readonly onlyReports?: true
}

/** Creates the result of a rule. */
export function conclude(
  name: string,
  status: CheckStatus,
  issues: readonly Issue[] = [],
  measured: Score | null = null,
): RuleResult {
  const { score = null, threshold = null, passes_when = null } = measured ?? {}
  return { check: { name, status, score, threshold, passes_when }, issues }
}

/** Creates the result of a rule that only reports. */
export function report(...result: Parameters<typeof conclude>): RuleResult {
  return { ...conclude(...result), onlyReports: true }
}

function scored(passes_when: PassesWhen) {
  return ({ score, threshold }: Measured): Score => ({ score, threshold, passes_when })
}

/** A measurement that passes from its threshold upwards. */
export const atLeast = scored('at_least')

/** A measurement that passes up to its threshold. */
export const atMost = scored('at_most')

/** A section with its issues, not yet in order, and the results of its rules. */
export interface JudgedSection<Data> {
  readonly section: Section<Data>
  readonly issues: readonly Issue[]
  readonly results: readonly RuleResult[]
}

/**
 * Returns the status of a section: its worst check. A check without an input, or about an unprinted field, does not
 * count.
 */
export function sectionStatus(checks: readonly CheckStatus[]): SectionStatus {
  if (checks.includes('REJECTED')) return 'REJECTED'
  if (checks.includes('UNDETERMINED')) return 'UNDETERMINED'
  return checks.includes('PASSED') ? 'PASSED' : 'NOT_EXECUTED'
}

/**
 * Any REJECT issue rejects. Otherwise a required section that did not pass leaves the decision open. Otherwise it is an
 * approval. WARN and INFO never change a decision.
 */
export function decide(issues: readonly Issue[], required: readonly SectionStatus[]): Decision {
  if (issues.some(issue => issue.type === 'REJECT')) return 'REJECTED'
  return required.length > 0 && required.every(status => status === 'PASSED') ? 'APPROVED' : 'UNDETERMINED'
}

/** The ways in which a rule can affect the decision. */
const ruleEffects = ['supports', 'rejects', 'prevents_approval', 'warns', 'none'] as const

export type RuleEffect = (typeof ruleEffects)[number]

/**
 * Returns how a rule counts in `decide`, by the status of its section if one is required. A rule without its input
 * counts if the section did not run because that input was missing.
 */
export function findEffect({ check, issues, onlyReports }: RuleResult, required: SectionStatus | null): RuleEffect {
  const raises = (type: IssueType): boolean => issues.some(issue => issue.type === type)
  if (raises('REJECT')) return 'rejects'
  const status = required === null || onlyReports ? null : check.status
  const isMissed = status === 'NOT_EXECUTED' && required === 'NOT_EXECUTED'
  if (isMissed || status === 'REJECTED' || status === 'UNDETERMINED') return 'prevents_approval'
  if (raises('WARN')) return 'warns'
  return status === 'PASSED' ? 'supports' : 'none'
}
