import type { CaptureKind } from '../../database/words.ts'

/** A stored capture that is missing, cannot be decrypted with its customer's key, or does not match its digest. */
export class UnreadableCaptureError extends Error {
  override name = 'UnreadableCaptureError'
}

/** A capture before it is stored: an image, or JSON that the device reported. */
export interface NewCapture {
  readonly account_id: string
  readonly transaction_id: string
  readonly kind: CaptureKind
  readonly media_type: string
  readonly content: Uint8Array
  /** The row has the keyed digest alone, which nobody can look for a known picture by once the key is gone. */
  readonly digest?: 'KEYED'
}
