/** The types of documents that are accepted, in the order in which a person is asked for them. */
export const documentTypes = ['PASSPORT', 'ID_CARD', 'DRIVING_LICENSE', 'RESIDENCE_PERMIT'] as const

/** `PASSPORT` has one side, a card two. */
export type DocumentType = (typeof documentTypes)[number]

/** A full onboarding with a document, a step-up of an enrolled person by their face, or an age without a name. */
export const transactionTypes = ['DOCUMENT_AND_BIOMETRIC', 'BIOMETRIC_ONLY', 'AGE'] as const

export type TransactionType = (typeof transactionTypes)[number]

/** The types that say who a person is. An age is judged by what an onboarding shows, and engines know no difference. */
export type IdentityType = Exclude<TransactionType, 'AGE'>

export const decisions = ['APPROVED', 'REJECTED', 'UNDETERMINED'] as const

export type Decision = (typeof decisions)[number]

/** A transaction FAILED for one of these: nothing could be decided. A bad document or another face is FINISHED, and rejected. */
export type FailureCode = 'ANALYSIS_ERROR' | 'ANALYSIS_TIMEOUT' | 'CAPTURE_UNREADABLE' | 'CANCELLED'

/** The parts that are captured: each may be taken and retaken a limited number of times. */
export type CapturePart = 'front' | 'back' | 'selfie'

/** The actions that a liveness challenge asks for. Left and right are the person's own. */
export const livenessActions = ['TURN_LEFT', 'TURN_RIGHT', 'BLINK', 'OPEN_MOUTH', 'LOOK_UP'] as const

export type LivenessAction = (typeof livenessActions)[number]

/** A device reads no chip for one of these. */
export const chipAbsences = ['NO_NFC', 'NFC_OFF', 'NO_CHIP', 'NOT_PERMITTED', 'READ_FAILED'] as const

export type ChipAbsence = (typeof chipAbsences)[number]
