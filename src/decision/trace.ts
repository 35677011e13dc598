import { isoTimestamp } from '../base/clock.ts'
import type { Decision, SectionStatus } from './decision.ts'
import type { EngineFindings, EngineName, PassesWhen } from './findings.ts'
import type { IssueCode, IssueSection, IssueType } from './issues.ts'
import type { Judgement, SectionResult } from './judge.ts'

/** One rule as it was applied. `score`, `threshold` and `passes_when` are null where the rule measures nothing. */
export interface TracedRule {
  readonly section: IssueSection
  readonly rule: string
  readonly status: SectionStatus
  readonly score: number | null
  readonly threshold: number | null
  readonly passes_when: PassesWhen | null
  /** What the rule looked at came from here; null for rules about what the device told. */
  readonly engine: EngineName | null
}

/** An issue of the result, with the rule that raised it. An issue that two rules raised stands here twice. */
export interface TracedIssue extends TracedRule {
  readonly code: IssueCode
  readonly type: IssueType
}

/** Why a transaction was decided as it was: for operators, never for the device. It names no person. */
export interface Trace {
  readonly trace_version: 1
  /** Random, so that nothing of a trace can be guessed from its digest in the journal. */
  readonly salt: string
  readonly decided_at: string
  readonly decision: Decision
  readonly issues: readonly TracedIssue[]
  readonly rules: readonly TracedRule[]
  /** Every number and yes or no of the evidence by its path, such as `liveness.planarity.score`. */
  readonly measured: Readonly<Record<string, number | boolean>>
  /** As in the evidence. */
  readonly stages: EngineFindings['stages']
}

/** What a trace is made of. `decided_at` is in epoch milliseconds. */
export interface TraceInput {
  readonly judgement: Judgement
  readonly findings: EngineFindings
  readonly decided_at: number
  readonly salt: string
}

type Measurement = readonly [path: string, value: number | boolean]

/** A face's template and imprint are nobody's to read; engines and stages stand elsewhere in the trace. */
const omittedMembers = ['template', 'fingerprints', 'engine', 'stages']

/** Members of a list go by their name, where they have one. */
const keyForMember = (item: unknown, index: string): string => {
  const { name = null, action = null } = (item ?? {}) as { name?: unknown; action?: unknown }
  return [name, action].find(candidate => typeof candidate === 'string') ?? index
}

/** The numbers and truths within a value. Texts are left out: they are what a document says of a person. */
const listMeasurements = (value: unknown, path: string): readonly Measurement[] => {
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return [[path, value]]
  if (typeof value !== 'object' || value === null) return []
  const within = path === '' ? '' : `${path}.`
  return Object.entries(value)
    .filter(([key]) => !omittedMembers.includes(key))
    .flatMap(([key, item]) => listMeasurements(item, within + (Array.isArray(value) ? keyForMember(item, key) : key)))
}

const findEngine = (evidence: EngineFindings, section: IssueSection): EngineName | null => {
  if (section !== 'document' && section !== 'liveness' && section !== 'face') return null
  return evidence[section]?.engine ?? null
}

const traceRule = (evidence: EngineFindings, { section, check }: SectionResult): TracedRule => ({
  section,
  rule: check.name,
  status: check.status,
  score: check.score,
  threshold: check.threshold,
  passes_when: check.passes_when,
  engine: findEngine(evidence, section),
})

/** The rules that raised an issue of the result, with what they measured of it. */
const traceIssues = ({
  judgement: { result_data, ruleResults: findings },
  findings: evidence,
}: TraceInput): TracedIssue[] =>
  result_data.issues.flatMap(({ code, type }) =>
    findings
      .filter(({ issues }) => issues.some(issue => issue.code === code))
      .map(found => ({ code, type, ...traceRule(evidence, found) })),
  )

/** The trace of a judgement: a pure function of what it rests on. */
export const buildTrace = (input: TraceInput): Trace => {
  const { judgement, findings: evidence, decided_at, salt } = input
  return {
    trace_version: 1,
    salt,
    decided_at: isoTimestamp(decided_at),
    decision: judgement.decision,
    issues: traceIssues(input),
    rules: judgement.ruleResults.map(found => traceRule(evidence, found)),
    measured: Object.fromEntries(listMeasurements(evidence, '')),
    stages: evidence.stages,
  }
}
