/** The types of documents that are accepted, in the order in which a person is asked for them. */
export const documentTypes = ['PASSPORT', 'ID_CARD', 'DRIVING_LICENSE', 'RESIDENCE_PERMIT'] as const

/** `PASSPORT` has one side, a card two. */
export type DocumentType = (typeof documentTypes)[number]

/** A full onboarding with a document, or a step-up of an enrolled person by their face. */
export const transactionTypes = ['DOCUMENT_AND_BIOMETRIC', 'BIOMETRIC_ONLY'] as const

export const decisions = ['APPROVED', 'REJECTED', 'UNDETERMINED'] as const

/** The actions that a liveness challenge asks for. Left and right are the person's own. */
export const livenessActions = ['TURN_LEFT', 'TURN_RIGHT', 'BLINK', 'OPEN_MOUTH', 'LOOK_UP'] as const

/** The colours of a screen that waits for an action: white less red, green or blue, far apart in a face's colour. */
export const screenColours = ['CYAN', 'MAGENTA', 'YELLOW'] as const

/** Each state of the transaction's chart has one of these as its tag. */
export const statuses = ['CREATED', 'INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED', 'FAILED', 'EXPIRED'] as const

/** Each state of a delivery's chart has one of these as its tag. */
export const deliveryStates = [
  'PENDING',
  'ATTEMPTING',
  'BACKING_OFF',
  'DELAYED',
  'DELIVERED',
  'EXHAUSTED',
  'GONE',
] as const

/** The ends of a delivery's attempt. */
export const attemptOutcomes = ['delivered', 'failed', 'gone'] as const
