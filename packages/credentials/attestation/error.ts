/** An attestation that does not hold. The message says why, for the caller, and names nothing of its content. */
export class AttestationError extends Error {
  override readonly name = 'AttestationError'
}
