import type { Check, JudgedSection, RuleResult } from './decision.ts'
import { atLeast, atMost, conclude, report, sectionStatus } from './decision.ts'
import { onlyFinite, toDetails } from './document_checks.ts'
import type { EngineName, LivenessFindings, Measured, Score } from './findings.ts'
import { createIssue, type IssueCode } from './issues.ts'
import type { LivenessAction } from './words.ts'

/** `liveness.data`: every key is always there. */
export interface LivenessData {
  readonly engine: EngineName | null
  readonly method: LivenessFindings['method'] | null
  readonly challenge: readonly { readonly action: LivenessAction; readonly passed: boolean | null }[]
  readonly planarity: Score | null
  readonly continuity: Score | null
  readonly presence: Score | null
  /** Every rule that was applied, with its measurement. */
  readonly checks: readonly Check[]
  /** Number of challenges that the transaction issued. */
  readonly attempts: number | null
}

function concludeUnmeasured(name: string, needed: boolean): RuleResult {
  return needed
    ? conclude(name, 'UNDETERMINED', [createIssue('LIVENESS_NOT_EVALUABLE')])
    : conclude(name, 'NOT_EXECUTED')
}

function checkChallenge(findings: LivenessFindings): RuleResult {
  const { challenge, method } = findings
  const failed = challenge.filter(step => step.passed === false)
  if (failed.length > 0) {
    const details = { failed: failed.map(step => step.action) }
    const [first] = failed
    return conclude(
      'challenge',
      'REJECTED',
      [createIssue('LIVENESS_CHALLENGE_FAILED', details)],
      first?.measured && atLeast(first.measured),
    )
  }
  if (challenge.some(step => step.passed === null)) return concludeUnmeasured('challenge', true)
  return challenge.length > 0 ? conclude('challenge', 'PASSED') : concludeUnmeasured('challenge', method === 'ACTIVE')
}

/** Only a head that moves distinguishes a face from a flat picture; a blink or an open mouth does not. */
function needsPlanarity({ method, challenge }: LivenessFindings): boolean {
  return method === 'ACTIVE' && challenge.some(step => ['TURN_LEFT', 'TURN_RIGHT', 'LOOK_UP'].includes(step.action))
}

/** A measurement and the issue that it raises beyond its threshold. */
interface MeasuredRule {
  readonly name: string
  readonly measured: Measured | null | undefined
  /** Whether the section stays open without the measurement. */
  readonly needed?: boolean
  /** The threshold is a maximum instead of a minimum. */
  readonly isMaximum?: boolean
  readonly code: IssueCode
  readonly reason?: string
}

/** A measurement that is not a finite number leaves the section open; an absent one only where it is needed. */
function checkMeasurement({
  name,
  measured,
  needed = false,
  isMaximum = false,
  code,
  reason,
}: MeasuredRule): RuleResult {
  const finite = onlyFinite(measured ?? null)
  if (finite === null) return concludeUnmeasured(name, needed || measured != null)
  const found = isMaximum ? atMost(finite) : atLeast(finite)
  const { score, threshold } = found
  if (isMaximum ? score <= threshold : score >= threshold) return conclude(name, 'PASSED', [], found)
  const issue = createIssue(code, { ...(reason !== undefined && { reason }), ...toDetails(found) })
  return conclude(name, issue.type === 'REJECT' ? 'REJECTED' : 'UNDETERMINED', [issue], found)
}

function checkMeasurements(findings: LivenessFindings): readonly RuleResult[] {
  const { seen_before, planarity, surroundings, continuity, nearest, presence } = findings
  const isActive = findings.method === 'ACTIVE'
  const rules: readonly MeasuredRule[] = [
    // A recording of an earlier transaction proves nothing about this one.
    { name: 'seen_before', measured: seen_before, code: 'LIVENESS_CHALLENGE_FAILED', reason: 'SEEN_BEFORE' },
    { name: 'planarity', measured: planarity, needed: needsPlanarity(findings), code: 'FLAT_FACE_SUSPECTED' },
    // Hair in one place may be as still as a photo's: a person looks.
    { name: 'surroundings', measured: surroundings, isMaximum: true, code: 'FACE_RENDERED_SUSPECTED' },
    {
      name: 'continuity',
      measured: continuity,
      needed: isActive,
      isMaximum: true,
      code: 'FACE_CHANGED_DURING_CAPTURE',
    },
    // A face that resembles the selfie's, though less than a comparison requires, is no reason to reject.
    {
      name: 'selfie_was_there',
      measured: nearest,
      isMaximum: true,
      code: 'LIVENESS_NOT_EVALUABLE',
      reason: 'SELFIE_DIFFERS',
    },
    // Without a challenge, another method must show that a person is present.
    { name: 'presence', measured: presence, needed: !isActive, code: 'PRESENTATION_ATTACK_SUSPECTED' },
  ]
  return rules.map(checkMeasurement)
}

/** Reported only: a phone may take selfies and frames with different cameras. */
function checkSizes({ sizes_differ }: LivenessFindings): RuleResult {
  if (sizes_differ === undefined) return report('frame_size', 'NOT_EXECUTED')
  return report('frame_size', 'PASSED', sizes_differ ? [createIssue('LIVENESS_FRAMES_DIFFER_IN_SIZE')] : [])
}

/** Reported only: a camera that mirrors does so in good faith, and a turn that is asked for is still made. */
function checkMirror({ mirrored }: LivenessFindings): RuleResult {
  if (mirrored === undefined) return report('mirror', 'NOT_EXECUTED')
  return report('mirror', 'PASSED', mirrored ? [createIssue('MIRRORED')] : [])
}

function reportScore(measured: Measured | null | undefined, scored: (measured: Measured) => Score): Score | null {
  const found = onlyFinite(measured ?? null)
  return found && scored(found)
}

function toLivenessData(findings: LivenessFindings): Omit<LivenessData, 'checks' | 'attempts'> {
  return {
    engine: { name: findings.engine.name, version: findings.engine.version },
    method: findings.method,
    challenge: findings.challenge.map(({ action, passed }) => ({ action, passed })),
    planarity: reportScore(findings.planarity, atLeast),
    continuity: reportScore(findings.continuity, atMost),
    presence: reportScore(findings.presence, atLeast),
  }
}

const absentResult = conclude('liveness', 'NOT_EXECUTED', [createIssue('LIVENESS_NOT_EVALUABLE')])
const absentResults = { issues: absentResult.issues, results: [absentResult] }

function judgeAbsentLiveness(attempts: number | null): JudgedSection<LivenessData> {
  return {
    section: {
      status: 'NOT_EXECUTED',
      data: {
        engine: null,
        method: null,
        challenge: [],
        planarity: null,
        continuity: null,
        presence: null,
        checks: [],
        attempts,
      },
    },
    ...absentResults,
  }
}

/**
 * An active challenge passes only when every action was followed, the face stayed the same and, where the head had to move,
 * it moved like a solid one. Another method passes by its own measure of presence.
 */
export function judgeLiveness(findings: LivenessFindings | null, attempts: number | null): JudgedSection<LivenessData> {
  if (findings === null) return judgeAbsentLiveness(attempts)
  const results = [
    checkChallenge(findings),
    ...checkMeasurements(findings),
    checkMirror(findings),
    checkSizes(findings),
  ]
  const checks = results.map(({ check }) => check)
  const status = sectionStatus(checks.map(check => check.status))
  const judged = status === 'NOT_EXECUTED' ? absentResults : { issues: results.flatMap(found => found.issues), results }
  return {
    section: { status, data: { ...toLivenessData(findings), checks, attempts } },
    ...judged,
  }
}
