import { readPublicKey } from '@attestor/credentials/attestation'
import { ApiError } from '../base/api_error.ts'
import type { FeatureDeps } from '../feature_work.ts'
import { prepareDigest } from '../verification/captures/digest.ts'
import { actorNow, parseConfig } from '../verification/transactions/rows.ts'
import type { Session } from '../verification/transactions/session.ts'
import type { ReadSignature } from '../verification/transactions/signatures.ts'
import { findAttestation, type StoredAttestation } from './feature.ts'
import { type CaptureKey, hasSignature, verifyMessage } from './message_signature.ts'

function toKey({ public_key, app_id_sha256 }: StoredAttestation): CaptureKey {
  const key = readPublicKey(Buffer.from(public_key, 'base64'))
  return app_id_sha256 === null
    ? { kind: 'es256', public_key: key }
    : { kind: 'assertion', public_key: key, app_id_sha256 }
}

/** @throws {ApiError} `signature_refused` */
async function readKey({ captures }: FeatureDeps, session: Session): Promise<{ key_id: string; key: CaptureKey }> {
  const reference = findAttestation(session.context)
  if (reference === null) throw new ApiError('signature_refused', 'signature: this device has attested no key')
  const getContent = await captures.read(session.key, [reference])
  const stored = JSON.parse(Buffer.from(getContent(reference)).toString()) as StoredAttestation
  if (!stored.signs)
    throw new ApiError('signature_refused', 'signature: the attested key signs none: it must be of P-256, to sign')
  return { key_id: reference.challenge_id, key: toKey(stored) }
}

/** Reads the signatures of a node's uploads, and counts those that are refused. */
export function createSignatureReader(deps: FeatureDeps): ReadSignature {
  const read: ReadSignature = async (session, request, content) => {
    const { requires_signatures } = parseConfig(session.row).attestation
    if (!hasSignature(request)) {
      if (!requires_signatures) return null
      throw new ApiError('signature_refused', 'signature: is required, by the key that the device has attested')
    }
    await prepareDigest(content)
    return verifyMessage(request, content, { ...(await readKey(deps, session)), now: actorNow(deps, session.row) })
  }
  return async (...of) => {
    try {
      return await read(...of)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'signature_refused') deps.count('refused_proofs', 'signature')
      throw error
    }
  }
}
