import type { Finding, Judged } from './decision.ts'
import { finding, sectionStatus } from './decision.ts'
import { detailsOf, reliable } from './document_checks.ts'
import { issueOf } from './issues.ts'
import type { EngineName, LivenessAction, LivenessEvidence, Measured } from './port.ts'

/** `liveness.data` (decisions, "Decision"): every key always there. */
export interface LivenessData {
  readonly engine: EngineName | null
  readonly method: LivenessEvidence['method'] | null
  readonly challenge: readonly { readonly action: LivenessAction; readonly passed: boolean | null }[]
  readonly planarity: Measured | null
  readonly continuity: Measured | null
  readonly presence: Measured | null
  /** How many challenges the transaction issued. */
  readonly attempts: number | null
}

const unmeasured = (name: string, needed: boolean): Finding =>
  needed ? finding(name, 'UNDETERMINED', [issueOf('LIVENESS_NOT_EVALUABLE')]) : finding(name, 'NOT_EXECUTED')

/** A frame that is a copy of the selfie or of another frame shows nothing that happened. */
const repeatedIn = ({ repetition }: LivenessEvidence): readonly string[] =>
  repetition && reliable(repetition) && repetition.score < repetition.threshold ? repetition.between : []

/** What was measured and came to no number shows nothing; that is not the same as nobody having measured it. */
const isBroken = (measured: Measured | null | undefined): boolean => measured != null && reliable(measured) === null

const challengeFinding = (evidence: LivenessEvidence): Finding => {
  const { challenge, method } = evidence
  const failed = challenge.filter(step => step.passed === false).map(step => step.action)
  const repeated = repeatedIn(evidence)
  if (failed.length > 0 || repeated.length > 0) {
    const details = { ...(failed.length > 0 && { failed }), ...(repeated.length > 0 && { repeated }) }
    const measured = repeated.length > 0 ? evidence.repetition : challenge.find(step => !step.passed)?.measured
    return finding('challenge', 'REJECTED', [issueOf('LIVENESS_CHALLENGE_FAILED', details)], measured)
  }
  if (challenge.some(step => step.passed === null) || isBroken(evidence.repetition))
    return unmeasured('challenge', true)
  return challenge.length > 0 ? finding('challenge', 'PASSED') : unmeasured('challenge', method === 'ACTIVE')
}

/** Only a head that moves in space tells a face from a flat picture; a blink or a mouth doesn't. */
const needsPlanarity = ({ method, challenge }: LivenessEvidence): boolean =>
  method === 'ACTIVE' && challenge.some(step => ['TURN_LEFT', 'TURN_RIGHT', 'LOOK_UP'].includes(step.action))

const planarityFinding = (evidence: LivenessEvidence, planarity: Measured | null): Finding => {
  if (planarity === null) return unmeasured('planarity', needsPlanarity(evidence) || isBroken(evidence.planarity))
  if (planarity.score >= planarity.threshold) return finding('planarity', 'PASSED', [], planarity)
  return finding('planarity', 'REJECTED', [issueOf('FLAT_FACE_SUSPECTED', detailsOf(planarity))], planarity)
}

/** A head that turned too little can't be told from a bent picture: left open, and no accusation. */
const reliefFinding = (evidence: LivenessEvidence): Finding => {
  const relief = reliable(evidence.relief ?? null)
  if (relief === null) return unmeasured('relief', isBroken(evidence.relief))
  if (relief.score >= relief.threshold) return finding('relief', 'PASSED', [], relief)
  const details = { reason: 'TURNED_TOO_LITTLE', ...detailsOf(relief) }
  return finding('relief', 'UNDETERMINED', [issueOf('LIVENESS_NOT_EVALUABLE', details)], relief)
}

/** What was recorded in an earlier transaction shows nothing that happened in this one. */
const seenBeforeFinding = (evidence: LivenessEvidence): Finding => {
  const seen = reliable(evidence.seen_before ?? null)
  if (seen === null) return finding('seen_before', 'NOT_EXECUTED')
  if (seen.score >= seen.threshold) return finding('seen_before', 'PASSED', [], seen)
  const details = { reason: 'SEEN_BEFORE', ...detailsOf(seen) }
  return finding('seen_before', 'REJECTED', [issueOf('LIVENESS_CHALLENGE_FAILED', details)], seen)
}

/** Suspicious and no more: a phone may take selfies and frames by different means. */
const sizeFinding = ({ sizes_differ }: LivenessEvidence): Finding => {
  if (sizes_differ === undefined) return finding('frame_size', 'NOT_EXECUTED')
  return finding('frame_size', 'PASSED', sizes_differ ? [issueOf('LIVENESS_FRAMES_DIFFER_IN_SIZE')] : [])
}

const continuityFinding = (evidence: LivenessEvidence, continuity: Measured | null): Finding => {
  if (continuity === null)
    return unmeasured('continuity', evidence.method === 'ACTIVE' || isBroken(evidence.continuity))
  if (continuity.score <= continuity.threshold) return finding('continuity', 'PASSED', [], continuity)
  return finding('continuity', 'REJECTED', [issueOf('FACE_CHANGED_DURING_CAPTURE', detailsOf(continuity))], continuity)
}

/** Nobody is accused for a face that is like the selfie's and not as like as a comparison asks. */
const nearestFinding = (evidence: LivenessEvidence): Finding => {
  const nearest = reliable(evidence.nearest ?? null)
  if (nearest === null) return unmeasured('selfie_was_there', isBroken(evidence.nearest))
  if (nearest.score <= nearest.threshold) return finding('selfie_was_there', 'PASSED', [], nearest)
  const details = { reason: 'SELFIE_DIFFERS', ...detailsOf(nearest) }
  return finding('selfie_was_there', 'UNDETERMINED', [issueOf('LIVENESS_NOT_EVALUABLE', details)], nearest)
}

/** Where no challenge is judged, a live person has to be told from a picture by other means. */
const presenceFinding = (evidence: LivenessEvidence, presence: Measured | null): Finding => {
  if (presence === null) return unmeasured('presence', evidence.method !== 'ACTIVE' || isBroken(evidence.presence))
  if (presence.score >= presence.threshold) return finding('presence', 'PASSED', [], presence)
  return finding('presence', 'REJECTED', [issueOf('PRESENTATION_ATTACK_SUSPECTED', detailsOf(presence))], presence)
}

const plain = (measured: Measured | null): Measured | null =>
  measured === null ? null : { score: measured.score, threshold: measured.threshold }

const livenessData = (
  evidence: LivenessEvidence,
  { planarity, continuity, presence }: Pick<LivenessData, 'planarity' | 'continuity' | 'presence'>,
): Omit<LivenessData, 'attempts'> => ({
  engine: { name: evidence.engine.name, version: evidence.engine.version },
  method: evidence.method,
  challenge: evidence.challenge.map(({ action, passed }) => ({ action, passed })),
  planarity: plain(planarity),
  continuity: plain(continuity),
  presence: plain(presence),
})

const nothing_found = finding('liveness', 'NOT_EXECUTED', [issueOf('LIVENESS_NOT_EVALUABLE')])
const nothingToJudge = { issues: nothing_found.issues, findings: [nothing_found] }

const absentLiveness = (attempts: number | null): Judged<LivenessData> => ({
  section: {
    status: 'NOT_EXECUTED',
    data: { engine: null, method: null, challenge: [], planarity: null, continuity: null, presence: null, attempts },
  },
  ...nothingToJudge,
})

/**
 * Evidence of liveness as its section and issues (decisions, "Decision"). An active challenge passes only when every
 * action was followed, the face stayed the same and, where the head had to move, it moved like a solid one. Another
 * method passes by its own measure of a live person's presence.
 */
export const judgeLiveness = (evidence: LivenessEvidence | null, attempts: number | null): Judged<LivenessData> => {
  if (evidence === null) return absentLiveness(attempts)
  const [planarity, continuity] = [reliable(evidence.planarity), reliable(evidence.continuity)]
  const presence = reliable(evidence.presence ?? null)
  const findings = [
    challengeFinding(evidence),
    seenBeforeFinding(evidence),
    planarityFinding(evidence, planarity),
    reliefFinding(evidence),
    continuityFinding(evidence, continuity),
    nearestFinding(evidence),
    presenceFinding(evidence, presence),
    sizeFinding(evidence),
  ]
  const status = sectionStatus(findings.map(({ check }) => check.status))
  const judged =
    status === 'NOT_EXECUTED' ? nothingToJudge : { issues: findings.flatMap(found => found.issues), findings }
  return {
    section: { status, data: { ...livenessData(evidence, { planarity, continuity, presence }), attempts } },
    ...judged,
  }
}
