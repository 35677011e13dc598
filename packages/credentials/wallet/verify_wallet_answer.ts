import type { WalletFindings } from '@attestor/rules'
import { describeEncryption } from './device_request.ts'
import type { Proof } from './proof.ts'
import { thumbprint } from './request_key.ts'
import type { WalletRequest } from './request_types.ts'
import { transcriptOfAnnexC, transcriptOfBrowser, transcriptOfLink } from './session_transcript.ts'
import type { StatusReference } from './status_reference.ts'
import { verifyMdoc } from './verify_mdoc.ts'
import { verifySdJwt } from './verify_sd_jwt.ts'
import type { WalletPresentation } from './wallet_answer.ts'
import type { WalletTrust } from './wallet_trust.ts'

export interface VerifiedAnswer {
  readonly findings: WalletFindings
  /** The picture as the issuer signed it; null: not asked for, or not disclosed. */
  readonly portrait: Buffer | null
  /** The place at which to look up whether the credential was revoked; null: the issuer names no place, or none that we know. */
  readonly status: StatusReference | null
}

function isByBrowser({ protocol }: WalletPresentation): boolean {
  return protocol === 'openid4vp-v1-signed' || protocol === 'openid4vp-v1-unsigned'
}

/** Writes the part of the request that the device must have signed, in CBOR. */
function writeTranscript(request: WalletRequest, answer: WalletPresentation): Buffer {
  const { origin, nonce, client_id, response_uri, is_encrypted, key } = request
  if (answer.protocol === 'org-iso-mdoc') return transcriptOfAnnexC(describeEncryption(request), origin)
  const print = is_encrypted ? thumbprint(key) : null
  return isByBrowser(answer)
    ? transcriptOfBrowser({ origin, nonce, thumbprint: print })
    : transcriptOfLink({ client_id, nonce, thumbprint: print, response_uri })
}

function verify(request: WalletRequest, answer: WalletPresentation, trust: WalletTrust, now: number): Proof {
  if (answer.format === 'MDOC')
    return verifyMdoc(request, answer, { transcript: writeTranscript(request, answer), trust, now })
  const audience = isByBrowser(answer) ? `origin:${request.origin}` : request.client_id
  return verifySdJwt(request, answer, { audience, trust, now })
}

/**
 * Verifies the credential that a wallet presented for a request: pure except for OpenSSL, and bounded by the size of
 * the answer. @throws {UnreadableFileError} that names the place, for bytes that are no answer of its format
 */
export function verifyWalletAnswer(
  request: WalletRequest,
  answer: WalletPresentation,
  trust: WalletTrust,
  now: number,
): VerifiedAnswer {
  const { kind, disclosed, status, ...proof } = verify(request, answer, trust, now)
  const { portrait, ...read } = disclosed
  return {
    findings: { ...proof, document_type: kind.document_type, ...read, has_portrait: portrait !== null },
    portrait,
    status: status === 'UNKNOWN' ? null : status,
  }
}
