import { type FeedbackCode, feedbackCatalogue } from './capture_feedback.ts'
import type { Issue } from './issues.ts'
import type { Decision } from './words.ts'

/** It decides nothing. */
const withoutWeight: readonly string[] = ['MIRRORED']

function mayBeKnown({ code }: Issue): boolean {
  return Object.hasOwn(feedbackCatalogue, code)
}

/**
 * Returns the reasons against an approval that the person may know, as an upload could have given them. None if another
 * reason rejects, too, or a reviewer decided: then this advice would not have helped.
 */
export function adviseAtEnd(decision: Decision, issues: readonly Issue[]): readonly FeedbackCode[] {
  const rejecting = issues.filter(({ type }) => type === 'REJECT')
  const isReviewed = issues.some(({ code }) => code === 'REVIEWED_BY_PERSON')
  if (decision === 'APPROVED' || isReviewed || !rejecting.every(mayBeKnown)) return []
  const codes = new Set<string>(issues.map(({ code }) => code))
  return (Object.keys(feedbackCatalogue) as FeedbackCode[]).filter(
    code => codes.has(code) && !withoutWeight.includes(code),
  )
}
