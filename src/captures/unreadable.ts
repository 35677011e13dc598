/** A stored capture that is missing, doesn't open with its customer's key, or is not what its digest says. */
export class UnreadableCaptureError extends Error {
  override name = 'UnreadableCaptureError'
}
