import type { IssueCode } from './issues.ts'
import type { ResultData } from './judge.ts'
import type { CapturePart } from './words.ts'

export type ResubmittedPart = CapturePart | 'challenge'

/** What was not seen well enough to be judged, and what to take again. Nobody is suspected of anything by these. */
const causes: Readonly<Partial<Record<IssueCode, readonly ResubmittedPart[]>>> = {
  DOCUMENT_NOT_READABLE: ['front', 'back'],
  DOCUMENT_PORTRAIT_MISSING: ['front'],
  LIVENESS_CHALLENGE_FAILED: ['challenge'],
  LIVENESS_NOT_EVALUABLE: ['challenge'],
  NO_FACE_DETECTED: ['selfie'],
  SELFIE_LOW_QUALITY: ['selfie'],
}

/**
 * What the person should take again, where that alone stands against an approval: empty for none. A rejection for any
 * other reason is final, so that a second try teaches nothing about it.
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
