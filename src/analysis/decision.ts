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

/** A judged section with the reasons found on the way, not yet in order. */
export interface Judged<Data> {
  readonly section: Section<Data>
  readonly issues: readonly Issue[]
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
