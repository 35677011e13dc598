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
