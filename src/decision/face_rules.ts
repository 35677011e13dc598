import type { Finding, Judged, SectionStatus } from './decision.ts'
import { atLeast, atMost, finding } from './decision.ts'
import { detailsOf, reliable } from './document_checks.ts'
import type { EngineName, FaceFindings, PassesWhen, TransactionType } from './findings.ts'
import type { IssueDetails } from './issues.ts'
import { issueOf } from './issues.ts'

/** What a selfie is compared with (decisions, "Decision"). */
export type FaceReference = 'DOCUMENT' | 'ENROLLED_FACE'

/** `face_comparison.data` (decisions, "Decision"): every key always there. Scores are 0 to 1, higher is more alike. */
export interface FaceComparisonData {
  readonly engine: EngineName | null
  readonly score: number | null
  readonly threshold: number | null
  readonly passes_when: PassesWhen | null
  readonly reference: FaceReference | null
}

const reference_of = { DOCUMENT_AND_BIOMETRIC: 'DOCUMENT', BIOMETRIC_ONLY: 'ENROLLED_FACE' } as const
const reference_missing = { DOCUMENT: 'DOCUMENT_PORTRAIT_MISSING', ENROLLED_FACE: 'FACE_NOT_ENROLLED' } as const

const compareFaces = (face: FaceFindings): Finding => {
  const { distance, accept_below, reject_above } = face
  const similarity = reliable(face.similarity)
  const details: IssueDetails | undefined = similarity === null ? undefined : detailsOf(atLeast(similarity))
  const known = distance !== null && [distance, accept_below, reject_above].every(Number.isFinite)
  if (!known) return finding('comparison', 'UNDETERMINED', [issueOf('FACE_MATCH_INCONCLUSIVE')])
  const measured = similarity === null ? atMost({ score: distance, threshold: accept_below }) : atLeast(similarity)
  if (distance > reject_above) return finding('comparison', 'REJECTED', [issueOf('FACE_MISMATCH', details)], measured)
  // An engine may tell both: what one of them denies is not shown.
  const alike = similarity === null || similarity.score >= similarity.threshold
  if (distance > accept_below || !alike)
    return finding('comparison', 'UNDETERMINED', [issueOf('FACE_MATCH_INCONCLUSIVE', details)], measured)
  return finding('comparison', 'PASSED', [], measured)
}

/** What the selfie alone allows. A poor face is never a mismatch. */
const checkSelfie = (face: FaceFindings | null): Finding => {
  const faces = face?.faces_in_selfie ?? 0
  if (faces > 1)
    return finding('selfie', 'REJECTED', [issueOf('MULTIPLE_FACES_DETECTED')], atMost({ score: faces, threshold: 1 }))
  if (faces !== 1) return finding('selfie', 'NOT_EXECUTED', [issueOf('NO_FACE_DETECTED')])
  if (face?.usable) return finding('selfie', 'PASSED')
  const faults = (face?.quality ?? []).filter(({ passed }) => !passed)
  const reasons = [...new Set(faults.map(({ reason }) => reason))]
  const details = reasons.length === 0 ? undefined : { reasons }
  return finding('selfie', 'UNDETERMINED', [issueOf('SELFIE_LOW_QUALITY', details)], faults[0])
}

const checkReference = (face: FaceFindings, wanted: FaceReference): Finding => {
  if (face.reference !== wanted) return finding('reference', 'NOT_EXECUTED', [issueOf(reference_missing[wanted])])
  if (!face.reference_outdated) return finding('reference', 'PASSED')
  return finding('reference', 'UNDETERMINED', [issueOf('FACE_TEMPLATE_OUTDATED')])
}

/** The rules in their order, up to the first that does not pass; a missing reference is told beside a poor selfie. */
const faceFindings = (face: FaceFindings | null, wanted: FaceReference): readonly Finding[] => {
  const selfie = checkSelfie(face)
  if (face === null) return [selfie]
  const reference = checkReference(face, wanted)
  if (selfie.check.status !== 'PASSED')
    return reference.check.status === 'NOT_EXECUTED' ? [selfie, reference] : [selfie]
  return reference.check.status === 'PASSED' ? [selfie, reference, compareFaces(face)] : [selfie, reference]
}

/** The selfie may be the document's portrait held up: told, and deciding nothing. */
const checkSamePicture = ({ same_picture, picture_distance = null }: FaceFindings): Finding => {
  const issues = same_picture ? [issueOf('SELFIE_MATCHES_DOCUMENT_IMAGE')] : []
  const distance = reliable(picture_distance)
  return finding('same_picture', 'PASSED', issues, distance && atLeast(distance))
}

/** What is compared decides; where a rule before it already can't be passed, that one does. */
const statusOf = (findings: readonly Finding[]): SectionStatus => {
  const statuses = findings.map(({ check }) => check.status)
  return (
    statuses.find(status => status === 'REJECTED') ??
    statuses.find(status => status === 'NOT_EXECUTED') ??
    statuses.at(-1) ??
    'NOT_EXECUTED'
  )
}

/** Evidence of the selfie as the face comparison's section and issues (decisions, "Decision" and "Transaction"). */
export const judgeFace = (face: FaceFindings | null, type: TransactionType): Judged<FaceComparisonData> => {
  const wanted = reference_of[type]
  const judged = faceFindings(face, wanted)
  const compared = face?.reference === wanted
  const measured = face !== null && compared ? reliable(face.similarity) : null
  const findings = face !== null && compared && wanted === 'DOCUMENT' ? [...judged, checkSamePicture(face)] : judged
  return {
    section: {
      status: statusOf(judged),
      data: {
        engine: face === null ? null : { name: face.engine.name, version: face.engine.version },
        score: measured?.score ?? null,
        threshold: measured?.threshold ?? null,
        passes_when: measured === null ? null : 'at_least',
        reference: compared ? wanted : null,
      },
    },
    issues: findings.flatMap(found => found.issues),
    findings,
  }
}
