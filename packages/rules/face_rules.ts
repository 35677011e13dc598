import type { JudgedSection, RuleResult, SectionStatus } from './decision.ts'
import { atLeast, atMost, conclude, report, sectionStatus } from './decision.ts'
import { onlyFinite, toDetails } from './document_checks.ts'
import type { ChipComparison, EngineName, FaceFindings, PassesWhen } from './findings.ts'
import type { IssueDetails } from './issues.ts'
import { createIssue, type IssueCode } from './issues.ts'
import type { IdentityType } from './words.ts'

/** The picture or template that a selfie is compared with. */
export const faceReferences = ['DOCUMENT', 'DOCUMENT_CHIP', 'DOCUMENT_WALLET', 'ENROLLED_FACE'] as const

type FaceReference = (typeof faceReferences)[number]

/** The portrait of a document that counts: the printed one, or one that its issuer has signed. `NONE`: a wallet’s without one. */
export type DocumentPortrait = 'PRINTED' | 'CHIP' | 'WALLET' | 'NONE'

/** `face_comparison.data`: every key is always there. Scores are 0 to 1; higher is more alike. */
export interface FaceComparisonData {
  readonly engine: EngineName | null
  readonly score: number | null
  readonly threshold: number | null
  readonly passes_when: PassesWhen | null
  readonly reference: FaceReference | null
}

const requiredReference = { DOCUMENT_AND_BIOMETRIC: 'DOCUMENT', BIOMETRIC_ONLY: 'ENROLLED_FACE' } as const
type RequiredReference = (typeof requiredReference)[IdentityType]

const referenceMissing = { DOCUMENT: 'DOCUMENT_PORTRAIT_MISSING', ENROLLED_FACE: 'FACE_NOT_ENROLLED' } as const

function checkComparison(face: FaceFindings): RuleResult {
  const { distance, accept_below, reject_above } = face
  const similarity = onlyFinite(face.similarity)
  const details: IssueDetails | undefined = similarity === null ? undefined : toDetails(atLeast(similarity))
  const known = distance !== null && [distance, accept_below, reject_above].every(Number.isFinite)
  if (!known) return conclude('comparison', 'UNDETERMINED', [createIssue('FACE_MATCH_INCONCLUSIVE')])
  const measured = similarity === null ? atMost({ score: distance, threshold: accept_below }) : atLeast(similarity)
  if (distance > reject_above)
    return conclude('comparison', 'REJECTED', [createIssue('FACE_MISMATCH', details)], measured)
  // An engine may report both a distance and a similarity: both must pass.
  const alike = similarity === null || similarity.score >= similarity.threshold
  if (distance > accept_below || !alike)
    return conclude('comparison', 'UNDETERMINED', [createIssue('FACE_MATCH_INCONCLUSIVE', details)], measured)
  return conclude('comparison', 'PASSED', [], measured)
}

/** A selfie of poor quality is inconclusive, never a mismatch. */
function checkSelfie(face: FaceFindings | null): RuleResult {
  const faces = face?.faces_in_selfie ?? 0
  if (faces > 1)
    return conclude(
      'selfie',
      'REJECTED',
      [createIssue('MULTIPLE_FACES_DETECTED')],
      atMost({ score: faces, threshold: 1 }),
    )
  if (faces !== 1) return conclude('selfie', 'NOT_EXECUTED', [createIssue('NO_FACE_DETECTED')])
  if (face?.usable) return conclude('selfie', 'PASSED')
  const faults = (face?.quality ?? []).filter(({ passed }) => !passed)
  const reasons = [...new Set(faults.map(({ reason }) => reason))]
  const details = reasons.length === 0 ? undefined : { reasons }
  return conclude('selfie', 'UNDETERMINED', [createIssue('SELFIE_LOW_QUALITY', details)], faults[0])
}

function checkReference(face: FaceFindings, wanted: RequiredReference, missing: IssueCode): RuleResult {
  if (face.reference !== wanted) return conclude('reference', 'NOT_EXECUTED', [createIssue(missing)])
  if (!face.reference_outdated) return conclude('reference', 'PASSED')
  return conclude('reference', 'UNDETERMINED', [createIssue('FACE_TEMPLATE_OUTDATED')])
}

/** The rules in order, up to the first that does not pass. A missing reference is reported beside a poor selfie. */
function applyFaceRules(
  face: FaceFindings | null,
  wanted: RequiredReference,
  missing: IssueCode,
): readonly RuleResult[] {
  const selfie = checkSelfie(face)
  if (face === null) return [selfie]
  const reference = checkReference(face, wanted, missing)
  if (selfie.check.status !== 'PASSED')
    return reference.check.status === 'NOT_EXECUTED' ? [selfie, reference] : [selfie]
  return reference.check.status === 'PASSED' ? [selfie, reference, checkComparison(face)] : [selfie, reference]
}

/** Reported only: the selfie may be a copy of the document's portrait. */
function checkSamePicture(face: FaceFindings): RuleResult {
  const issues = face.same_picture ? [createIssue('SELFIE_MATCHES_DOCUMENT_IMAGE')] : []
  const [distance, residual] = [face.picture_distance, face.picture_residual].map(found => onlyFinite(found ?? null))
  // A copy is near by both measurements. The one that distinguishes the pictures is reported.
  const isNear = distance != null && distance.score <= distance.threshold
  const measured = !face.same_picture && isNear && residual != null ? residual : distance
  return report('same_picture', 'PASSED', issues, measured ? atLeast(measured) : null)
}

/** A rejection, else a missing input, else the last rule that was reached. */
function deriveStatus(results: readonly RuleResult[]): SectionStatus {
  const statuses = results.map(({ check }) => check.status)
  const decisive = (['REJECTED', 'NOT_EXECUTED'] as const).find(status => statuses.includes(status))
  return decisive ?? sectionStatus(statuses.slice(-1))
}

/** The portrait that a state signed replaces the printed one. A selfie may be a copy of either. */
function replacePortrait(face: FaceFindings, chip: ChipComparison): FaceFindings {
  const { same_picture, picture_distance = null, picture_residual = null } = chip.same_picture ? chip : face
  return { ...face, ...chip, reference: 'DOCUMENT', same_picture, picture_distance, picture_residual }
}

const signedReferences = { CHIP: 'DOCUMENT_CHIP', WALLET: 'DOCUMENT_WALLET' } as const

/** Judges the selfie beside the enrolled face, or the document's portrait. */
export function judgeFace(
  found: FaceFindings | null,
  type: IdentityType,
  portrait: DocumentPortrait = 'PRINTED',
): JudgedSection<FaceComparisonData> {
  const wanted = requiredReference[type]
  const signed = portrait === 'CHIP' || portrait === 'WALLET' ? signedReferences[portrait] : null
  const chip = signed !== null && wanted === 'DOCUMENT' ? (found?.chip ?? null) : null
  const face = found === null || chip === null ? found : replacePortrait(found, chip)
  const missing = portrait === 'NONE' ? 'WALLET_WITHOUT_PORTRAIT' : referenceMissing[wanted]
  const judged = applyFaceRules(face, wanted, missing)
  const compared = face?.reference === wanted
  const measured = face !== null && compared ? onlyFinite(face.similarity) : null
  const results = face !== null && compared && wanted === 'DOCUMENT' ? [...judged, checkSamePicture(face)] : judged
  return {
    section: {
      status: deriveStatus(judged),
      data: {
        engine: face === null ? null : { name: face.engine.name, version: face.engine.version },
        score: measured?.score ?? null,
        threshold: measured?.threshold ?? null,
        passes_when: measured === null ? null : 'at_least',
        reference: compared ? (chip === null ? wanted : signed) : null,
      },
    },
    issues: results.flatMap(found => found.issues),
    results,
  }
}
