import type { Measured, PassesWhen, Score } from './findings.ts'
import type { Issue } from './issues.ts'

/** decisions, "Decision": `UNDETERMINED` ran and is inconclusive, `NOT_EXECUTED` lacked its input. */
export type SectionStatus = 'PASSED' | 'REJECTED' | 'UNDETERMINED' | 'NOT_EXECUTED'

/** spec, "Result". */
export type Decision = 'APPROVED' | 'REJECTED' | 'UNDETERMINED'

/** A section of `result_data` (spec, "Result"). */
export interface Section<Data> {
  readonly status: SectionStatus
  readonly data: Data
}

/** What one rule came to, with what it measured. `NOT_EXECUTED` had no input. */
export interface Check {
  readonly name: string
  readonly status: SectionStatus
  readonly score: number | null
  readonly threshold: number | null
  readonly passes_when: PassesWhen | null
}

/** A check with the issues that it raised. */
export interface RuleResult {
  readonly check: Check
  readonly issues: readonly Issue[]
}

/** A finding; `measured` goes into the check. */
export const conclude = (
  name: string,
  status: SectionStatus,
  issues: readonly Issue[] = [],
  measured: Score | null = null,
): RuleResult => {
  const { score = null, threshold = null, passes_when = null } = measured ?? {}
  return { check: { name, status, score, threshold, passes_when }, issues }
}

const scored =
  (passes_when: PassesWhen) =>
  ({ score, threshold }: Measured): Score => ({ score, threshold, passes_when })

/** A measurement that passes from its threshold upwards. */
export const atLeast = scored('at_least')

/** A measurement that passes up to its threshold. */
export const atMost = scored('at_most')

/** A judged section with the reasons found on the way, not yet in order, and every rule that was held against it. */
export interface JudgedSection<Data> {
  readonly section: Section<Data>
  readonly issues: readonly Issue[]
  readonly results: readonly RuleResult[]
}

/** The status of a section from its checks. Checks without an input say nothing; with none left it was not executed. */
export const sectionStatus = (checks: readonly SectionStatus[]): SectionStatus => {
  if (checks.includes('REJECTED')) return 'REJECTED'
  if (checks.includes('UNDETERMINED')) return 'UNDETERMINED'
  return checks.includes('PASSED') ? 'PASSED' : 'NOT_EXECUTED'
}

/**
 * decisions, "Decision": any REJECT issue rejects; else a required section that did not pass leaves it open; else it
 * is approved. WARN and INFO are never looked at (spec, "Device policy", rules 2, 3 and 5).
 */
export const decide = (issues: readonly Issue[], required: readonly SectionStatus[]): Decision => {
  if (issues.some(issue => issue.type === 'REJECT')) return 'REJECTED'
  return required.length > 0 && required.every(status => status === 'PASSED') ? 'APPROVED' : 'UNDETERMINED'
}
