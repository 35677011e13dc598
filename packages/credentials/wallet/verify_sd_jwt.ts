import type { WalletCheck } from '@attestor/rules'
import { readStrictCertificate } from './certificate_profile.ts'
import { readClaims } from './claims.ts'
import { findKind } from './credential_kinds.ts'
import { isJwsSigned, readCertificateChain, readJwtTime } from './jws.ts'
import { memberOf, refuse, requireText } from './place.ts'
import type { Proof } from './proof.ts'
import type { WalletRequest } from './request_types.ts'
import { readHolderKey, readSdJwt, readStatusClaim, revealClaims, type SdJwt } from './sd_jwt.ts'
import { readKey } from './signature_algorithms.ts'
import type { WalletPresentation } from './wallet_answer.ts'
import { checkSigner, checkValidity, failed, maxSkew_ms, passed, toCheck, undetermined } from './wallet_checks.ts'
import type { WalletTrust } from './wallet_trust.ts'

/** The holder signs nonce, audience, time and all that is before (RFC 9901, 4.3; OpenID4VP 1.0, B.3.6). */
function checkHolder(
  { issuer, holder, sd_hash }: SdJwt,
  { nonce, created_at }: WalletRequest,
  { audience, received_at }: { readonly audience: string; readonly received_at: number },
): WalletCheck {
  const key = readHolderKey(issuer)
  if (key === null) return undetermined('binding', 'ALGORITHM_NOT_ACCEPTED')
  const check = toCheck('binding', isJwsSigned(holder, key))
  if (check.status !== 'PASSED') return check
  const { payload } = holder
  if (memberOf(payload, 'nonce') !== nonce || memberOf(payload, 'aud') !== audience)
    return failed('binding', 'ANOTHER_REQUEST')
  if (memberOf(payload, 'sd_hash') !== sd_hash) return failed('binding', 'DIGEST_DIFFERS')
  const signedAt = readJwtTime('kb_jwt.payload', payload, 'iat')
  if (signedAt === null) throw refuse('kb_jwt.payload.iat', 'is missing')
  if (signedAt > received_at + maxSkew_ms) return failed('binding', 'NOT_YET_VALID')
  return signedAt < created_at - maxSkew_ms ? failed('binding', 'EXPIRED') : check
}

function checkSignature({ issuer }: SdJwt, spki: Uint8Array | null, unsigned: number): WalletCheck {
  if (spki === null) return undetermined('signature', 'SIGNER_UNKNOWN')
  const check = toCheck('signature', isJwsSigned(issuer, readKey('sd_jwt.header.x5c[0]', spki)))
  return check.status === 'PASSED' && unsigned > 0 ? failed('signature', 'DIGEST_DIFFERS') : check
}

/** @throws {UnreadableFileError} */
export function verifySdJwt(
  request: WalletRequest,
  { presentation, credential, received_at }: WalletPresentation,
  { audience, trust, now }: { readonly audience: string; readonly trust: WalletTrust; readonly now: number },
): Proof {
  const read = readSdJwt(presentation)
  const { payload } = read.issuer
  const vct = requireText('sd_jwt.payload.vct', memberOf(payload, 'vct'))
  const kind = findKind('SD_JWT_VC', vct)
  if (kind === null || kind.id !== credential) throw refuse('sd_jwt.payload.vct', 'must be a type that was asked')
  const { claims, unsigned } = revealClaims(read)
  const certificates = readCertificateChain(read.issuer).map((der, at) =>
    readStrictCertificate(`sd_jwt.header.x5c[${at}]`, der),
  )
  const disclosed = readClaims(kind, request.query, name => memberOf(claims, name))
  const signature = checkSignature(read, certificates[0]?.spki ?? null, unsigned)
  const checks = [passed('answer'), checkHolder(read, request, { audience, received_at }), signature]
  const status = readStatusClaim(read.issuer)
  const signer = certificates[0]?.fingerprint ?? null
  const base = { format: kind.format, kind, credential_type: vct, disclosed, status, signer }
  if (signature.status !== 'PASSED') return { ...base, checks, root: null }
  const time = (name: string): number | null => readJwtTime('sd_jwt.payload', payload, name)
  const country = disclosed.claims.issuing_country
  const issued = checkSigner({ certificates, signed_at: time('iat'), status, country }, kind, trust, now)
  const [issuer, ...revocation] = issued.checks
  const validity = checkValidity({ from: time('nbf') ?? time('iat'), until: time('exp') }, now)
  return {
    ...base,
    checks: [...checks, ...(issuer === undefined ? [] : [issuer]), validity, ...revocation],
    root: issued.root?.fingerprint ?? null,
  }
}
