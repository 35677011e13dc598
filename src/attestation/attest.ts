import { createHash } from 'node:crypto'
import {
  type AndroidAttestation,
  type AppleAttestation,
  AttestationError,
  type AttestationRoots,
  UnreadableFileError,
  verifyAndroid,
  verifyApple,
} from '@attestor/credentials/attestation'
import type { AttestedDevice } from '@attestor/rules'
import { countTakesLeft, type TransactionEvent } from '../../machines/transaction.ts'
import { ApiError } from '../base/api_error.ts'
import { isoTimestamp } from '../base/clock.ts'
import { drawBytes, drawUuid } from '../base/random.ts'
import type { AccountApps } from '../database/apps.ts'
import type { TransactionDeps } from '../verification/transactions/deps.ts'
import { actorNow, parseConfig } from '../verification/transactions/rows.ts'
import { sendCapture, sendFromDevice } from '../verification/transactions/send_capture.ts'
import { maxJournalEntries, requireCapturing, type Session } from '../verification/transactions/session.ts'
import type { AttestationConfig, StoredAttestation } from './feature.ts'
import type { ReadRevoked } from './revoked_keys.ts'

/** The roots and settings that attestations are verified by. */
export interface AttestationParts {
  readonly roots: AttestationRoots
  readonly readRevoked: ReadRevoked
  readonly countRefused: () => void
}

/** A validated call: the statement that a device's maker signed. */
export type AttestationCall = { readonly challenge_id: string } & (
  | { readonly platform: 'android'; readonly certificates: readonly Buffer[] }
  | { readonly platform: 'ios'; readonly attestation: Buffer; readonly key_id: Buffer }
)

const challengeBytes = 32

/** @throws {ApiError} `not_allowed_in_state` */
function requireAttestable(session: Session): void {
  requireCapturing(session)
  if (session.status !== 'INITIATED')
    throw new ApiError('not_allowed_in_state', 'attestation: only before the captures are submitted')
  if (session.row.version >= maxJournalEntries)
    throw new ApiError('not_allowed_in_state', 'attestation: was asked for too often')
}

/** Random bytes that a key is to be attested for. An earlier challenge becomes void. @throws {ApiError} `not_allowed_in_state` */
export async function issueAttestationChallenge(deps: TransactionDeps, session: Session) {
  requireAttestable(session)
  if (countTakesLeft(session.context, 'attestation') <= 0)
    throw new ApiError('not_allowed_in_state', 'attestation: no attempts left')
  const nonce = drawBytes(challengeBytes)
  const now = actorNow(deps, session.row)
  const expires_at = now + session.context.limits.attestation_ms
  const challenge_id = drawUuid()
  const event: TransactionEvent = {
    type: 'ATTESTATION_CHALLENGED',
    challenge_id,
    nonce: nonce.toString('hex'),
    expires_at,
  }
  const { step } = await sendFromDevice(deps, session, event)
  return {
    challenge_id,
    challenge: nonce.toString('base64'),
    expires_at: isoTimestamp(expires_at),
    server_time: isoTimestamp(now),
    attempts_left: countTakesLeft(step.context, 'attestation'),
  }
}

/** @throws {ApiError} `gone` */
function requireChallenge(deps: TransactionDeps, session: Session, challengeId: string): Buffer {
  const open = session.context.attestation_challenge
  if (open?.challenge_id !== challengeId || actorNow(deps, session.row) >= open.expires_at)
    throw new ApiError('gone', 'challenge_id: the challenge is not open')
  return Buffer.from(open.nonce, 'hex')
}

/** An app that was signed by several is one of the account's where one of its packages and signers is. */
function isOwnAndroidApp({ app }: AndroidAttestation, { android }: AccountApps): boolean | null {
  if (android.length === 0) return null
  return android.some(own => app?.packages.includes(own.package) === true && app.signers.includes(own.signer))
}

function isOwnAppleApp({ app_id_sha256 }: AppleAttestation, { ios }: AccountApps): boolean | null {
  if (ios.length === 0) return null
  return ios.some(own => createHash('sha256').update(own).digest('hex') === app_id_sha256)
}

type Verified = Omit<StoredAttestation, 'evidence'>

function fromAndroid(found: AndroidAttestation, apps: AccountApps): Verified {
  const { level, root_of_trust, os_version, os_patch_level, app, spki, signs } = found
  const proven: Omit<AttestedDevice, 'signed_captures'> = {
    platform: 'android',
    security_level: level,
    boot_state: root_of_trust?.boot_state ?? null,
    bootloader_locked: root_of_trust?.is_locked ?? null,
    os_version,
    os_patch_level,
    apps: app?.packages ?? [],
    is_own_app: isOwnAndroidApp(found, apps),
  }
  return { proven, public_key: spki.toString('base64'), app_id_sha256: null, signs }
}

function fromApple(found: AppleAttestation, apps: AccountApps): Verified {
  const proven: Omit<AttestedDevice, 'signed_captures'> = {
    platform: 'ios',
    security_level: 'SECURE_ENCLAVE',
    boot_state: null,
    bootloader_locked: null,
    os_version: found.os_version,
    os_patch_level: null,
    apps: found.app_id === null ? [] : [found.app_id],
    is_own_app: isOwnAppleApp(found, apps),
  }
  return { proven, public_key: found.spki.toString('base64'), app_id_sha256: found.app_id_sha256, signs: true }
}

interface Verification {
  readonly challenge: Buffer
  readonly now: number
  readonly attestation: AttestationConfig
}

/** @throws {AttestationError} `UnreadableFileError` */
async function verifyCall(
  { roots, readRevoked }: AttestationParts,
  call: AttestationCall,
  { challenge, now, attestation: { apps, allows_development } }: Verification,
): Promise<Verified> {
  if (call.platform === 'android') {
    const found = verifyAndroid(call.certificates, challenge, { roots, revoked: await readRevoked(), now })
    return fromAndroid(found, apps)
  }
  const found = verifyApple(call.attestation, { key_id: call.key_id, challenge }, { roots, now })
  if (found.environment === 'development' && !allows_development)
    throw new AttestationError('is of Apple’s development environment, which test accounts alone accept')
  return fromApple(found, apps)
}

/** The fault of the request, in words for the caller. */
function readReason(error: unknown): string {
  if (error instanceof AttestationError || error instanceof UnreadableFileError) return error.message
  throw error
}

/**
 * Verifies the statement that a device's maker signed, and stores it. The challenge is used up, also by a refused one.
 * @throws {ApiError} `not_allowed_in_state`, `gone` for a challenge that is void, `attestation_refused`
 */
export async function putAttestation(
  parts: AttestationParts,
  deps: TransactionDeps,
  session: Session,
  call: AttestationCall,
) {
  requireAttestable(session)
  const { challenge_id } = call
  const challenge = requireChallenge(deps, session, challenge_id)
  // The chain's times are real ones, also of a test account whose clock was turned.
  const verification = { challenge, now: deps.clock.now(), attestation: parseConfig(session.row).attestation }
  let verified: Verified
  try {
    verified = await verifyCall(parts, call, verification)
  } catch (error) {
    const reason = readReason(error)
    parts.countRefused()
    await sendFromDevice(deps, session, { type: 'ATTESTATION_REFUSED', challenge_id, reason })
    throw new ApiError('attestation_refused', `attestation: ${reason}`)
  }
  const files = call.platform === 'android' ? call.certificates : [call.attestation, call.key_id]
  const stored: StoredAttestation = {
    ...verified,
    evidence: { challenge: challenge.toString('hex'), files: files.map(file => file.toString('base64')) },
  }
  const media_type = 'application/vnd.attestor.attestation+json'
  const content = Buffer.from(JSON.stringify(stored))
  await sendCapture(deps, session, { kind: 'attestation', media_type, content }, capture => ({
    type: 'ATTESTED',
    challenge_id,
    capture,
  }))
  return { accepted: true as const, signs_captures: verified.signs }
}
