import type { JudgedSection, RuleResult } from './decision.ts'
import { atLeast, atMost, conclude, sectionStatus } from './decision.ts'
import { onlyFinite, toDetails } from './document_checks.ts'
import type { EngineName, LivenessAction, LivenessFindings, Measured, Score } from './findings.ts'
import { createIssue, type IssueCode } from './issues.ts'

/** `liveness.data` (decisions, "Decision"): every key always there. */
export interface LivenessData {
  readonly engine: EngineName | null
  readonly method: LivenessFindings['method'] | null
  readonly challenge: readonly { readonly action: LivenessAction; readonly passed: boolean | null }[]
  readonly planarity: Score | null
  readonly continuity: Score | null
  readonly presence: Score | null
  /** How many challenges the transaction issued. */
  readonly attempts: number | null
}

const concludeUnmeasured = (name: string, needed: boolean): RuleResult =>
  needed ? conclude(name, 'UNDETERMINED', [createIssue('LIVENESS_NOT_EVALUABLE')]) : conclude(name, 'NOT_EXECUTED')

/** A frame that is a copy of the selfie or of another frame shows nothing that happened. */
const findRepeated = ({ repetition }: LivenessFindings): readonly string[] =>
  repetition && onlyFinite(repetition) && repetition.score < repetition.threshold ? repetition.between : []

const checkChallenge = (evidence: LivenessFindings): RuleResult => {
  const { challenge, method, repetition = null } = evidence
  const failed = challenge.filter(step => step.passed === false).map(step => step.action)
  const repeated = findRepeated(evidence)
  if (failed.length > 0 || repeated.length > 0) {
    const details = { ...(failed.length > 0 && { failed }), ...(repeated.length > 0 && { repeated }) }
    const measured = repeated.length > 0 ? repetition : challenge.find(step => !step.passed)?.measured
    return conclude(
      'challenge',
      'REJECTED',
      [createIssue('LIVENESS_CHALLENGE_FAILED', details)],
      measured && atLeast(measured),
    )
  }
  const uncompared = repetition !== null && onlyFinite(repetition) === null
  if (uncompared || challenge.some(step => step.passed === null)) return concludeUnmeasured('challenge', true)
  return challenge.length > 0 ? conclude('challenge', 'PASSED') : concludeUnmeasured('challenge', method === 'ACTIVE')
}

/** Only a head that moves in space tells a face from a flat picture; a blink or a mouth doesn't. */
const needsPlanarity = ({ method, challenge }: LivenessFindings): boolean =>
  method === 'ACTIVE' && challenge.some(step => ['TURN_LEFT', 'TURN_RIGHT', 'LOOK_UP'].includes(step.action))

/** A measurement beside its limit, and what is said where it misses that. */
interface MeasuredRule {
  readonly name: string
  readonly measured: Measured | null | undefined
  /** Whether the section stays open where nobody has measured it. */
  readonly needed?: boolean
  /** The score may be the threshold at most, where others must reach it. */
  readonly isMaximum?: boolean
  readonly code: IssueCode
  /** Without one the issue's code says it all. */
  readonly reason?: string
}

/** What was measured and came to no number shows nothing; that is not the same as nobody having measured it. */
const checkMeasurement = ({
  name,
  measured,
  needed = false,
  isMaximum = false,
  code,
  reason,
}: MeasuredRule): RuleResult => {
  const reliably = onlyFinite(measured ?? null)
  if (reliably === null) return concludeUnmeasured(name, needed || measured != null)
  const found = isMaximum ? atMost(reliably) : atLeast(reliably)
  const { score, threshold } = found
  if (isMaximum ? score <= threshold : score >= threshold) return conclude(name, 'PASSED', [], found)
  const issue = createIssue(code, { ...(reason !== undefined && { reason }), ...toDetails(found) })
  return conclude(name, issue.type === 'REJECT' ? 'REJECTED' : 'UNDETERMINED', [issue], found)
}

const checkMeasurements = (evidence: LivenessFindings): readonly RuleResult[] => {
  const { seen_before, planarity, relief, continuity, nearest, presence } = evidence
  const isActive = evidence.method === 'ACTIVE'
  const rules: readonly MeasuredRule[] = [
    // What was recorded in an earlier transaction shows nothing that happened in this one.
    { name: 'seen_before', measured: seen_before, code: 'LIVENESS_CHALLENGE_FAILED', reason: 'SEEN_BEFORE' },
    { name: 'planarity', measured: planarity, needed: needsPlanarity(evidence), code: 'FLAT_FACE_SUSPECTED' },
    // A head that turned too little can't be told from a bent picture: left open, and no accusation.
    { name: 'relief', measured: relief, code: 'LIVENESS_NOT_EVALUABLE', reason: 'TURNED_TOO_LITTLE' },
    {
      ...{ name: 'continuity', measured: continuity, needed: isActive, isMaximum: true },
      code: 'FACE_CHANGED_DURING_CAPTURE',
    },
    // Nobody is accused for a face that is like the selfie's and not as like as a comparison asks.
    {
      ...{ name: 'selfie_was_there', measured: nearest, isMaximum: true },
      ...{ code: 'LIVENESS_NOT_EVALUABLE', reason: 'SELFIE_DIFFERS' },
    },
    // Where no challenge is judged, a live person has to be told from a picture by other means.
    { name: 'presence', measured: presence, needed: !isActive, code: 'PRESENTATION_ATTACK_SUSPECTED' },
  ]
  return rules.map(checkMeasurement)
}

/** Suspicious and no more: a phone may take selfies and frames by different means. */
const checkSizes = ({ sizes_differ }: LivenessFindings): RuleResult => {
  if (sizes_differ === undefined) return conclude('frame_size', 'NOT_EXECUTED')
  return conclude('frame_size', 'PASSED', sizes_differ ? [createIssue('LIVENESS_FRAMES_DIFFER_IN_SIZE')] : [])
}

/** As it is reported; null where nothing reliable was measured. */
const reportScore = (measured: Measured | null | undefined, scored: (measured: Measured) => Score): Score | null => {
  const found = onlyFinite(measured ?? null)
  return found && scored(found)
}

const toLivenessData = (evidence: LivenessFindings): Omit<LivenessData, 'attempts'> => ({
  engine: { name: evidence.engine.name, version: evidence.engine.version },
  method: evidence.method,
  challenge: evidence.challenge.map(({ action, passed }) => ({ action, passed })),
  planarity: reportScore(evidence.planarity, atLeast),
  continuity: reportScore(evidence.continuity, atMost),
  presence: reportScore(evidence.presence, atLeast),
})

const absentResult = conclude('liveness', 'NOT_EXECUTED', [createIssue('LIVENESS_NOT_EVALUABLE')])
const absentResults = { issues: absentResult.issues, results: [absentResult] }

const judgeAbsentLiveness = (attempts: number | null): JudgedSection<LivenessData> => ({
  section: {
    status: 'NOT_EXECUTED',
    data: { engine: null, method: null, challenge: [], planarity: null, continuity: null, presence: null, attempts },
  },
  ...absentResults,
})

/**
 * Evidence of liveness as its section and issues (decisions, "Decision"). An active challenge passes only when every
 * action was followed, the face stayed the same and, where the head had to move, it moved like a solid one. Another
 * method passes by its own measure of a live person's presence.
 */
export const judgeLiveness = (
  evidence: LivenessFindings | null,
  attempts: number | null,
): JudgedSection<LivenessData> => {
  if (evidence === null) return judgeAbsentLiveness(attempts)
  const results = [checkChallenge(evidence), ...checkMeasurements(evidence), checkSizes(evidence)]
  const status = sectionStatus(results.map(({ check }) => check.status))
  const judged = status === 'NOT_EXECUTED' ? absentResults : { issues: results.flatMap(found => found.issues), results }
  return {
    section: { status, data: { ...toLivenessData(evidence), attempts } },
    ...judged,
  }
}
