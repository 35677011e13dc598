import { AttestorError } from '../../../clients/typescript/src/errors.ts'
import type { FailureReason } from '../../../machines/capture.ts'

/** A call, or the camera, failed for a reason that the chart knows. */
export class CaptureError extends Error {
  override name = 'CaptureError'
  readonly reason: FailureReason

  constructor(reason: FailureReason) {
    super(reason)
    this.reason = reason
  }
}

const reasons: Readonly<Record<number, FailureReason>> = {
  401: 'unknown_link',
  404: 'changed',
  408: 'busy',
  409: 'changed',
  413: 'too_large',
  415: 'wrong_type',
  422: 'unreadable',
  429: 'busy',
  // No token is that long.
  431: 'unknown_link',
  502: 'busy',
  503: 'busy',
  504: 'busy',
}

/** The field that a response of 410 names shows what is gone. */
const goneReasons: Readonly<Record<string, FailureReason>> = {
  challenge_id: 'challenge_over',
  code: 'used_link',
  request_id: 'wallet_over',
}

function toReason({ status, message }: AttestorError): FailureReason | null {
  if (status === 410) return goneReasons[message.split(':')[0] ?? ''] ?? 'gone'
  if (status === 422 && /used|same|repeat/.test(message)) return 'repeated'
  return reasons[status] ?? null
}

/** Rethrows an error; a failed fetch is a TypeError. @throws {CaptureError} if the chart knows the reason */
export function rethrow(error: unknown): never {
  const reason = error instanceof TypeError ? 'offline' : error instanceof AttestorError ? toReason(error) : null
  throw reason === null ? error : new CaptureError(reason)
}
