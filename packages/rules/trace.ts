import type { AgeData, AgeResultData } from './age_rules.ts'
import type { CheckStatus, RuleEffect } from './decision.ts'
import type { CaptureRegions, EngineFindings, EngineName, PassesWhen } from './findings.ts'
import type { IssueCode, IssueSection, IssueType } from './issues.ts'
import type { Judgement, ResultData, SectionResult } from './judge.ts'
import type { WalletData } from './wallet_findings.ts'
import type { Decision } from './words.ts'

/** One rule that was applied. `score`, `threshold` and `passes_when` are null where the rule measures nothing. */
export interface TracedRule {
  readonly section: IssueSection
  readonly rule: string
  readonly status: CheckStatus
  readonly effect: RuleEffect
  readonly score: number | null
  readonly threshold: number | null
  readonly passes_when: PassesWhen | null
  /** The engine that made the findings; null for a rule about the device's signals. */
  readonly engine: EngineName | null
}

/** An issue of the result with the rule that raised it: two entries for an issue that two rules raised. */
export interface TracedIssue extends TracedRule {
  readonly code: IssueCode
  readonly type: IssueType
}

/** Why a transaction was decided as it was: for operators, never for the device. It holds no personal data. */
export interface Trace {
  readonly trace_version: 1
  /** Random, so that a trace can't be guessed by its digest in the journal. */
  readonly salt: string
  readonly decided_at: string
  readonly decision: Decision
  readonly issues: readonly TracedIssue[]
  readonly rules: readonly TracedRule[]
  /** Every number and boolean of the findings by its path, such as `liveness.planarity.score`. */
  readonly measured: Readonly<Record<string, number | boolean>>
  /** The places of what was found, by image. */
  readonly regions: Readonly<Record<string, CaptureRegions>>
  readonly stages: EngineFindings['stages']
  /** The answer of an AGE transaction, so that signed evidence has it. Absent in the others. */
  readonly age?: AgeData
  /** Absent where no wallet answered with an identity. */
  readonly wallet?: TracedWallet
}

/** The kinds and names of the claims that a wallet showed; of their values the country alone. */
interface TracedWallet extends Pick<WalletData, 'format' | 'credential_type' | 'disclosed' | 'withheld'> {
  readonly issuing_country: string | null
}

export interface TraceInput {
  readonly judgement: Judgement<ResultData | AgeResultData>
  readonly findings: EngineFindings
  /** Epoch milliseconds. */
  readonly decided_at: number
  readonly salt: string
}

type Measurement = readonly [path: string, value: number | boolean]

/** Biometric data, and members that the trace has elsewhere. */
const omittedMembers = ['template', 'fingerprint', 'fingerprints', 'engine', 'stages', 'regions']

/** The path element of a list's member: its name where it has one. */
function keyForMember(item: unknown, index: string): string {
  const { name = null, action = null } = (item ?? {}) as { name?: unknown; action?: unknown }
  return [name, action].find(candidate => typeof candidate === 'string') ?? index
}

/** The numbers and booleans within a value. Texts are omitted, as they may be personal data. */
function listMeasurements(value: unknown, path: string): readonly Measurement[] {
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return [[path, value]]
  if (typeof value !== 'object' || value === null) return []
  const within = path === '' ? '' : `${path}.`
  return Object.entries(value)
    .filter(([key]) => !omittedMembers.includes(key))
    .flatMap(([key, item]) => listMeasurements(item, within + (Array.isArray(value) ? keyForMember(item, key) : key)))
}

function findEngine(findings: EngineFindings, section: IssueSection): EngineName | null {
  if (section !== 'document' && section !== 'liveness' && section !== 'face') return null
  return findings[section]?.engine ?? null
}

function traceRule(findings: EngineFindings, { section, effect, check }: SectionResult): TracedRule {
  return {
    section,
    rule: check.name,
    status: check.status,
    effect,
    score: check.score,
    threshold: check.threshold,
    passes_when: check.passes_when,
    engine: findEngine(findings, section),
  }
}

function traceIssues({ judgement: { result_data, ruleResults }, findings }: TraceInput): TracedIssue[] {
  return result_data.issues.flatMap(({ code, type }) =>
    ruleResults
      .filter(({ issues }) => issues.some(issue => issue.code === code))
      .map(found => ({ code, type, ...traceRule(findings, found) })),
  )
}

function traceWallet(result: ResultData | AgeResultData): TracedWallet | null {
  const data = 'document' in result ? (result.document?.data ?? null) : null
  if (data?.wallet === undefined) return null
  const { format, credential_type, disclosed, withheld } = data.wallet
  return { format, credential_type, issuing_country: data.issuing_country, disclosed, withheld }
}

export function buildTrace(input: TraceInput): Trace {
  const { judgement, findings, decided_at, salt } = input
  const { result_data } = judgement
  const wallet = traceWallet(result_data)
  return {
    trace_version: 1,
    salt,
    decided_at: new Date(decided_at).toISOString(),
    decision: judgement.decision,
    issues: traceIssues(input),
    rules: judgement.ruleResults.map(found => traceRule(findings, found)),
    measured: Object.fromEntries(listMeasurements(findings, '')),
    // No two sections look at the same image.
    regions: { ...findings.document?.regions, ...findings.liveness?.regions, ...findings.face?.regions },
    stages: findings.stages,
    ...('age' in result_data ? { age: result_data.age } : {}),
    ...(wallet === null ? {} : { wallet }),
  }
}
