import type { IssueCode } from './issues.ts'
import type { ResultData } from './judge.ts'
import type { CapturePart } from './words.ts'

export type ResubmittedPart = CapturePart | 'challenge'

/** Issues about a capture that could not be judged, and the parts to take again. None of them is a suspicion. */
const causes: Readonly<Partial<Record<IssueCode, readonly ResubmittedPart[]>>> = {
  DOCUMENT_NOT_READABLE: ['front', 'back'],
  DOCUMENT_PORTRAIT_MISSING: ['front'],
  LIVENESS_CHALLENGE_FAILED: ['challenge'],
  LIVENESS_NOT_EVALUABLE: ['challenge'],
  NO_FACE_DETECTED: ['selfie'],
  SELFIE_LOW_QUALITY: ['selfie'],
}

/**
 * Returns the parts that the person should take again if nothing else prevents an approval: empty for none. A rejection
 * for any other reason is final, so that a second try teaches nothing about it.
 */
export function findResubmittedParts(
  { decision, issues }: Pick<ResultData, 'decision' | 'issues'>,
  hasBack: boolean,
): readonly ResubmittedPart[] {
  const isFinal = issues.some(({ type, code }) => type === 'REJECT' && causes[code] === undefined)
  if (decision === 'APPROVED' || isFinal) return []
  const parts = issues.flatMap(({ code }) => causes[code] ?? [])
  return [...new Set(parts)].filter(part => part !== 'back' || hasBack)
}
