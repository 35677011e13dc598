import type { Day } from './dates.ts'
import { judgeDocument } from './document_rules.ts'
import { judgeFace } from './face_rules.ts'
import type { DocumentFindings, FaceFindings, LivenessFindings, SelfieFault } from './findings.ts'
import { unacceptedKinds } from './findings.ts'
import { toTypeOfZone } from './holder.ts'
import type { Issue, IssueCode } from './issues.ts'
import { isTitledCard } from './unaccepted_kinds.ts'
import type { DocumentType } from './words.ts'

/**
 * Feedback to a device about an image that has just arrived, in this order: issues that the result would have and that
 * another picture may avoid. Nothing about the person, about how similar faces are, or about how a forgery is
 * recognised.
 */
export const feedbackCatalogue = {
  EXPIRED_DOCUMENT: 'Show a document that is still valid.',
  UNSUPPORTED_DOCUMENT: 'Show a document of another kind; `reasons` may name this one.',
  DOCUMENT_NOT_READABLE: 'Lay the document flat and show all of it, or its other side: nothing could be read.',
  DOCUMENT_SIDE_MISSING: 'Show the document’s other side, too.',
  DOCUMENT_PORTRAIT_MISSING: 'Show the side with the photo, large and without glare.',
  LIVENESS_CHALLENGE_FAILED: 'Do what is asked more clearly; turn by some 35 degrees, not to a profile.',
  MIRRORED: 'Turn the other way; or the app mirrors, and must send what the camera sees.',
  LIVENESS_NOT_EVALUABLE: 'Face the camera, in good light: no face could be judged.',
  MULTIPLE_FACES_DETECTED: 'Be alone before the camera.',
  NO_FACE_DETECTED: 'Face the camera, in good light.',
  SELFIE_LOW_QUALITY: 'Take the picture again; `reasons` says why.',
} as const satisfies Partial<Record<IssueCode, string>>

export type FeedbackCode = keyof typeof feedbackCatalogue

/** `CARD`: a side of a card, where a passport was chosen; `PASSPORT`: a passport, where a card was. */
export const shownReasons = [...unacceptedKinds, 'CARD', 'PASSPORT'] as const

type FeedbackReason = SelfieFault | (typeof shownReasons)[number]

export interface CaptureFeedback {
  readonly warnings: readonly FeedbackCode[]
  /** The reasons why a selfie can't be compared, or the thing that is shown instead of an accepted document. */
  readonly reasons: readonly FeedbackReason[]
}

export const noFeedback: CaptureFeedback = { warnings: [], reasons: [] }

const documentCodes: readonly FeedbackCode[] = [
  'EXPIRED_DOCUMENT',
  'UNSUPPORTED_DOCUMENT',
  'DOCUMENT_NOT_READABLE',
  'DOCUMENT_PORTRAIT_MISSING',
]
const selfieCodes: readonly FeedbackCode[] = ['MULTIPLE_FACES_DETECTED', 'NO_FACE_DETECTED', 'SELFIE_LOW_QUALITY']

function select(issues: readonly Issue[], allowed: readonly FeedbackCode[]): readonly FeedbackCode[] {
  return allowed.filter(code => issues.some(issue => issue.code === code))
}

/** The rules about a single picture. Rules that compare pictures are left to the analysis. */
const pictureRules: readonly string[] = ['legibility', 'mrz_codes', 'document_type', 'expiry', 'portrait']

/** Facts about a document beside the findings in its side. */
export interface DocumentCapture {
  /** The other side is still to come, and may have the zone or the barcode. */
  readonly awaitsBack: boolean
  /** The kind that the person chose; null: none. */
  readonly declared: DocumentType | null
  readonly today: Day
}

/**
 * Names a card where a passport was chosen, and the reverse: they have another number of sides. Kinds of cards count as
 * one, and a card that was read needs no other side. Null where nothing on it says so.
 */
function findOtherKind(
  { reading, mrz, missing_side, printed_lines }: DocumentFindings,
  declared: DocumentType | null,
): CaptureFeedback | null {
  if (declared === null) return null
  const isUnread = reading === 'NOT_READABLE'
  if (declared === 'PASSPORT') {
    const isCard = missing_side != null || (isUnread && isTitledCard(printed_lines ?? []))
    return isCard ? { warnings: ['DOCUMENT_SIDE_MISSING'], reasons: ['CARD'] } : null
  }
  const isPassport = !isUnread && mrz?.format === 'TD3' && toTypeOfZone(mrz) === 'PASSPORT'
  return isPassport ? { warnings: ['UNSUPPORTED_DOCUMENT'], reasons: ['PASSPORT'] } : null
}

/** Whether the part that an issue is about may be on the side that is not there. */
function isOnOtherSide(code: FeedbackCode, { missing_side }: DocumentFindings, awaitsBack: boolean): boolean {
  if (code === 'DOCUMENT_PORTRAIT_MISSING')
    return missing_side === 'FRONT' ? !awaitsBack : awaitsBack || missing_side != null
  return code === 'DOCUMENT_NOT_READABLE' && missing_side === 'BACK'
}

/** Judges a side of a document. */
export function judgeDocumentCapture(
  findings: DocumentFindings,
  { awaitsBack, declared, today }: DocumentCapture,
): CaptureFeedback {
  const other = findOtherKind(findings, declared)
  if (other !== null) return other
  const isUnread = findings.reading === 'NOT_READABLE'
  const { unaccepted_kind: kind = null } = findings
  if (isUnread && kind !== null) return { warnings: ['UNSUPPORTED_DOCUMENT'], reasons: [kind] }
  if (awaitsBack && isUnread)
    return { ...noFeedback, warnings: findings.portrait_found ? [] : ['DOCUMENT_PORTRAIT_MISSING'] }
  // The machine-readable part is on the side that was not shown.
  if (isUnread && findings.missing_side != null) return { ...noFeedback, warnings: ['DOCUMENT_SIDE_MISSING'] }
  const rules = judgeDocument(findings, {}, today).results.filter(({ check }) => pictureRules.includes(check.name))
  const warnings = select(
    rules.flatMap(({ issues }) => issues),
    documentCodes,
  )
  return {
    ...noFeedback,
    warnings: [
      ...warnings.filter(code => !isOnOtherSide(code, findings, awaitsBack)),
      ...(findings.missing_side != null && !awaitsBack ? (['DOCUMENT_SIDE_MISSING'] as const) : []),
    ],
  }
}

export function judgeSelfieCapture(findings: FaceFindings): CaptureFeedback {
  const { issues } = judgeFace(findings, 'DOCUMENT_AND_BIOMETRIC')
  const warnings = select(issues, selfieCodes)
  const faults = (findings.quality ?? []).filter(({ passed }) => !passed)
  // A document's portrait is small and may be blurred, and a second one is its copy: none of that is advice.
  if (faults.some(({ reason }) => reason === 'DOCUMENT'))
    return { warnings: ['SELFIE_LOW_QUALITY'], reasons: ['DOCUMENT'] }
  const reasons = warnings.includes('SELFIE_LOW_QUALITY') ? faults.map(({ reason }) => reason) : []
  return { warnings, reasons: [...new Set(reasons)] }
}

/** Judges the frame of action `n`. Without a selfie to compare with, most actions can't be judged yet. */
export function judgeFrameCapture(
  { challenge }: LivenessFindings,
  { n, hasSelfie }: { readonly n: number; readonly hasSelfie: boolean },
): CaptureFeedback {
  const answered = challenge[n]
  const measured = answered?.measured ?? null
  // The other actions have no opposite.
  const isOpposite =
    (answered?.action === 'TURN_LEFT' || answered?.action === 'TURN_RIGHT') &&
    measured !== null &&
    measured.score <= -measured.threshold
  if (isOpposite) return { ...noFeedback, warnings: ['MIRRORED'] }
  if (answered?.passed === false) return { ...noFeedback, warnings: ['LIVENESS_CHALLENGE_FAILED'] }
  return answered?.passed === null && hasSelfie ? { ...noFeedback, warnings: ['LIVENESS_NOT_EVALUABLE'] } : noFeedback
}
