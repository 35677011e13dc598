import type { CaptureReference, TransactionContext } from '../../../machines/transaction.ts'
import { ApiError } from '../../base/api_error.ts'
import { isDocument } from '../../engines/sections.ts'
import type { UploadedImage } from './actor.ts'
import { listHeldCaptures } from './held_captures.ts'

/**
 * These checks of a device's call run when it comes in, and again in the commit of its event: a concurrent call may
 * have changed the transaction meanwhile.
 */

interface Device {
  /** Number of the device: 0 is the first, and each hand-off adds one. */
  readonly device: number
}

/** Whether a device is the one that captures. Each hand-off passes that on to another device. */
export function isCapturer({ device }: Device, context: TransactionContext): boolean {
  return device === context.device
}

/** Whether a device has the token that the backend got: it can always capture again, in spite of other devices. */
export function isFirstDevice({ device }: Device): boolean {
  return device === 0
}

/** @throws {ApiError} `not_allowed_in_state` */
export function requireCapturer(device: Device, context: TransactionContext): void {
  if (!isCapturer(device, context))
    throw new ApiError('not_allowed_in_state', 'sdk_token: the capture continues on another device')
}

/** A capture that came with a signature has its nonce, also in the journal. */
export function addSignature(reference: CaptureReference, signed: string | null): CaptureReference {
  return signed === null ? reference : { ...reference, signed }
}

/** @throws {ApiError} `signature_refused` */
export function requireUnusedNonce(isUsed: boolean): void {
  if (isUsed) throw new ApiError('signature_refused', 'signature-input: the nonce was used before')
}

export function repeatedImageError(what: string): ApiError {
  return new ApiError('unusable_capture', `image: must be a new photo, this one was already used as ${what}`)
}

/** Whether the transaction holds exactly this image for this capture: its upload is repeated. */
export function isHeld(context: TransactionContext, { capture, digests }: UploadedImage): boolean {
  return listHeldCaptures(context).some(held => held.capture === capture && digests.includes(held.reference.digest))
}

/** @throws {ApiError} `unusable_capture` for the bytes of this capture itself, or for a face those of another face */
export function requireNewImage(context: TransactionContext, image: UploadedImage): void {
  if (isHeld(context, image)) throw repeatedImageError('this capture')
  if (isDocument(image.capture)) return
  const faces = listHeldCaptures(context).filter(({ capture }) => !isDocument(capture))
  const used = faces.find(({ reference }) => image.digests.includes(reference.digest))
  if (used !== undefined)
    throw repeatedImageError(used.capture === 'selfie' ? 'the selfie' : 'a frame of the challenge')
}
