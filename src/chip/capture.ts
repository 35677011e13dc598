import { type ChipFileName, type ChipFiles, UnreadableFileError } from '@attestor/credentials'
import type { ChipAbsence } from '@attestor/rules'
import { countTakesLeft, type TransactionEvent, takesPhotographs } from '../../machines/transaction.ts'
import { ApiError } from '../base/api_error.ts'
import { isoTimestamp } from '../base/clock.ts'
import { drawBytes, drawUuid } from '../base/random.ts'
import type { TransactionDeps } from '../verification/transactions/deps.ts'
import { addSignature } from '../verification/transactions/device_checks.ts'
import { actorNow, parseConfig } from '../verification/transactions/rows.ts'
import { sendCapture, sendFromDevice } from '../verification/transactions/send_capture.ts'
import { maxJournalEntries, requireCapturing, type Session } from '../verification/transactions/session.ts'
import { requireNewNonce } from '../verification/transactions/signatures.ts'
import { chip, readChipPolicy } from './feature.ts'

/** A validated call: the files that a reader read, or why there are none. */
export type ChipCall =
  | {
      readonly sod: Buffer
      readonly data_groups: ChipFiles['data_groups']
      readonly active_authentication: { readonly challenge_id: string; readonly response: Buffer } | null
    }
  | { readonly unavailable: ChipAbsence }

/** The stored form, encrypted: files in base64. */
export type StoredChip =
  | {
      readonly sod: string
      readonly data_groups: Readonly<Partial<Record<ChipFileName, string>>>
      readonly answer: { readonly challenge: string; readonly response: string } | null
    }
  | { readonly unavailable: ChipAbsence }

/** @throws {ApiError} `not_allowed_in_state` */
export function requireChipStep(session: Session): void {
  requireCapturing(session)
  const config = parseConfig(session.row)
  if (!takesPhotographs(session.context) || readChipPolicy(config) === 'IGNORE')
    throw new ApiError('not_allowed_in_state', 'document_chip: this transaction reads no chip')
  if (session.row.version >= maxJournalEntries)
    throw new ApiError('not_allowed_in_state', 'document_chip: was sent too often')
  if (countTakesLeft(session.context, 'chip') <= 0)
    throw new ApiError('not_allowed_in_state', 'document_chip: no attempts left')
}

/** Eight random bytes for active authentication. An earlier challenge becomes void. @throws {ApiError} `not_allowed_in_state` */
export async function issueChipChallenge(deps: TransactionDeps, session: Session) {
  requireChipStep(session)
  const { challengeBytes } = await import('@attestor/credentials')
  const nonce = drawBytes(challengeBytes)
  const now = actorNow(deps, session.row)
  const expires_at = now + session.context.limits.challenge_ms
  const challenge_id = drawUuid()
  const event: TransactionEvent = {
    type: 'CHIP_CHALLENGE_ISSUED',
    challenge_id,
    nonce: nonce.toString('hex'),
    expires_at,
  }
  await sendFromDevice(deps, session, event)
  return {
    challenge_id,
    challenge: nonce.toString('base64'),
    expires_at: isoTimestamp(expires_at),
    server_time: isoTimestamp(now),
  }
}

/** Compares the files with the signed digests. The reader of ASN.1 is loaded when the first chip comes. */
async function listChanged(files: ChipFiles): Promise<ChipFileName[]> {
  const { listChangedFiles, readSecurityObject } = await import('@attestor/credentials')
  try {
    return listChangedFiles(readSecurityObject(files.sod), files)
  } catch (error) {
    if (error instanceof UnreadableFileError) throw new ApiError('unusable_capture', 'sod: cannot be read')
    throw error
  }
}

/** The challenge that a call answers. @throws {ApiError} `gone` */
function findChallenge(deps: TransactionDeps, session: Session, challengeId: string): string {
  const open = session.context.chip_challenge
  if (open?.challenge_id !== challengeId || actorNow(deps, session.row) >= open.expires_at)
    throw new ApiError('gone', 'active_authentication.challenge_id: the challenge is not open')
  return open.nonce
}

function toStored(deps: TransactionDeps, session: Session, call: ChipCall): StoredChip {
  if ('unavailable' in call) return call
  const { sod, data_groups, active_authentication: answered } = call
  const encode = ([name, file]: [string, Buffer]) => [name, file.toString('base64')] as const
  return {
    sod: sod.toString('base64'),
    data_groups: Object.fromEntries(Object.entries(data_groups).map(encode)),
    answer:
      answered === null
        ? null
        : {
            challenge: findChallenge(deps, session, answered.challenge_id),
            response: answered.response.toString('base64'),
          },
  }
}

/**
 * Stores the files that were read from the document's chip, or the reason why there are none. That uses up the
 * challenge. `changed_files` differ from those that the state signed: the reader read them badly, or somebody changed
 * them.
 * @throws {ApiError} `not_allowed_in_state`, `unusable_capture` for an EF.SOD that is none, `gone` for a challenge that
 * is void
 */
export async function putChip(deps: TransactionDeps, session: Session, call: ChipCall, signed: string | null) {
  requireChipStep(session)
  await requireNewNonce(deps, session, signed)
  const changed_files = 'unavailable' in call ? [] : await listChanged({ ...call, answer: null })
  const challenge_id = 'unavailable' in call ? null : (call.active_authentication?.challenge_id ?? null)
  const stored = toStored(deps, session, call)
  const { kind, media_type } = chip.capture
  const capture = { kind, media_type, content: Buffer.from(JSON.stringify(stored)) } as const
  const { step } = await sendCapture(deps, session, capture, reference => ({
    type: 'CHIP_READ',
    challenge_id,
    capture: addSignature(reference, signed),
    ...('unavailable' in call ? { unavailable: call.unavailable } : {}),
  }))
  return { accepted: true as const, changed_files, attempts_left: countTakesLeft(step.context, 'chip') }
}
