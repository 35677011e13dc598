import type { TransactionContext } from '../../machines/transaction.ts'
import { ApiError } from '../base/api_error.ts'
import type { FaceImage } from './actor.ts'

/**
 * What is checked of a device's call when it comes in, and again in the commit of its event: a concurrent call may have
 * changed the transaction meanwhile.
 */

interface Device {
  /** Which device of the transaction it is: 0 is the first, and each hand-off counts one on. */
  readonly device: number
}

/** Whether a device is the one that captures. Each hand-off passes that on to another device. */
export const isCapturer = ({ device }: Device, context: TransactionContext): boolean => device === context.device

/** @throws {ApiError} `not_allowed_in_state` */
export const requireCapturer = (device: Device, context: TransactionContext): void => {
  if (!isCapturer(device, context))
    throw new ApiError('not_allowed_in_state', 'sdk_token: the capture continues on another device')
}

export const repeatedImageError = (what: string): ApiError =>
  new ApiError('unusable_capture', `image: must be a new photo, this one was already used as ${what}`)

/** @throws {ApiError} `unusable_capture` for the bytes of a frame of the open challenge, or of the selfie */
export const requireNewFace = ({ challenge, selfie }: TransactionContext, { digests, position }: FaceImage): void => {
  const frames = challenge?.frames.filter((_, n) => n !== position) ?? []
  const isHeld = (reference: TransactionContext['selfie']): boolean =>
    reference !== null && digests.includes(reference.digest)
  if (frames.some(isHeld)) throw repeatedImageError('a frame of the challenge')
  if (position !== null && isHeld(selfie)) throw repeatedImageError('the selfie')
}
