import type { Judged, SectionStatus } from './decision.ts'
import { detailsOf, reliable } from './document_checks.ts'
import type { Issue, IssueDetails } from './issues.ts'
import { issueOf } from './issues.ts'
import type { EngineName, FaceEvidence, TransactionType } from './port.ts'

/** What a selfie is compared with (decisions, "Decision"). */
export type FaceReference = 'DOCUMENT' | 'ENROLLED_FACE'

/** `face_comparison.data` (decisions, "Decision"): every key always there. Scores are 0 to 1, higher is more alike. */
export interface FaceComparisonData {
  readonly engine: EngineName | null
  readonly score: number | null
  readonly threshold: number | null
  readonly reference: FaceReference | null
}

type Verdict = readonly [SectionStatus, ...Issue[]]

const reference_of = { DOCUMENT_AND_BIOMETRIC: 'DOCUMENT', BIOMETRIC_ONLY: 'ENROLLED_FACE' } as const
const reference_missing = { DOCUMENT: 'DOCUMENT_PORTRAIT_MISSING', ENROLLED_FACE: 'FACE_NOT_ENROLLED' } as const

const compareFaces = (face: FaceEvidence): Verdict => {
  const { distance, accept_below, reject_above } = face
  const measured = reliable(face.similarity)
  const details: IssueDetails | undefined = measured === null ? undefined : detailsOf(measured)
  const known = distance !== null && [distance, accept_below, reject_above].every(Number.isFinite)
  if (!known) return ['UNDETERMINED', issueOf('FACE_MATCH_INCONCLUSIVE')]
  if (distance > reject_above) return ['REJECTED', issueOf('FACE_MISMATCH', details)]
  if (distance > accept_below) return ['UNDETERMINED', issueOf('FACE_MATCH_INCONCLUSIVE', details)]
  return ['PASSED']
}

/** What the selfie alone allows; null where there is one usable face. A poor face is never a mismatch. */
const selfieVerdict = (face: FaceEvidence): Verdict | null => {
  if (face.faces_in_selfie > 1) return ['REJECTED', issueOf('MULTIPLE_FACES_DETECTED')]
  if (face.faces_in_selfie !== 1) return ['NOT_EXECUTED', issueOf('NO_FACE_DETECTED')]
  return face.usable ? null : ['UNDETERMINED', issueOf('SELFIE_LOW_QUALITY')]
}

const faceVerdict = (face: FaceEvidence | null, wanted: FaceReference): Verdict => {
  if (face === null) return ['NOT_EXECUTED', issueOf('NO_FACE_DETECTED')]
  const selfie = selfieVerdict(face)
  if (face.reference !== wanted) {
    const [status, ...issues]: Verdict = selfie ?? ['NOT_EXECUTED']
    return [status === 'REJECTED' ? status : 'NOT_EXECUTED', ...issues, issueOf(reference_missing[wanted])]
  }
  if (selfie !== null) return selfie
  if (face.reference_outdated) {
    return ['UNDETERMINED', issueOf('FACE_MATCH_INCONCLUSIVE', { reason: 'REFERENCE_OUTDATED' })]
  }
  return compareFaces(face)
}

/** Evidence of the selfie as the face comparison's section and issues (decisions, "Decision" and "Transaction"). */
export const judgeFace = (face: FaceEvidence | null, type: TransactionType): Judged<FaceComparisonData> => {
  const wanted = reference_of[type]
  const [status, ...issues] = faceVerdict(face, wanted)
  const compared = face?.reference === wanted
  const measured = face !== null && compared ? reliable(face.similarity) : null
  const copied = face?.same_picture === true && compared && wanted === 'DOCUMENT'
  return {
    section: {
      status,
      data: {
        engine: face === null ? null : { name: face.engine.name, version: face.engine.version },
        score: measured?.score ?? null,
        threshold: measured?.threshold ?? null,
        reference: compared ? wanted : null,
      },
    },
    issues: copied ? [...issues, issueOf('SELFIE_MATCHES_DOCUMENT_IMAGE')] : issues,
  }
}
