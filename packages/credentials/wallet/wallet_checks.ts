import type { WalletCheck, WalletReason } from '@attestor/rules'
import type { StateCertificate } from '../chip/certificates.ts'
import type { CredentialKind } from './credential_kinds.ts'
import { judgeStatus } from './status_list.ts'
import type { NamedStatus } from './status_reference.ts'
import { findWalletChain, type WalletChain, type WalletTrust } from './wallet_trust.ts'

export function passed(name: WalletCheck['name']): WalletCheck {
  return { name, status: 'PASSED', reason: null }
}

export function failed(name: WalletCheck['name'], reason: WalletReason): WalletCheck {
  return { name, status: 'FAILED', reason }
}

export function undetermined(name: WalletCheck['name'], reason: WalletReason): WalletCheck {
  return { name, status: 'UNDETERMINED', reason }
}

/** Clocks of issuers, wallets and ours differ by some minutes. */
export const maxSkew_ms = 5 * 60_000

/** Converts the result of `node:crypto` for a signature; null: an algorithm or a key that we do not accept. */
export function toCheck(name: WalletCheck['name'], isSigned: boolean | null): WalletCheck {
  if (isSigned === null) return undetermined(name, 'ALGORITHM_NOT_ACCEPTED')
  return isSigned ? passed(name) : failed(name, 'NOT_SIGNED')
}

/** A span in epoch milliseconds; null: the issuer sets no end. */
export interface Validity {
  readonly from: number | null
  readonly until: number | null
}

export function checkValidity({ from, until }: Validity, now: number): WalletCheck {
  if (from !== null && now + maxSkew_ms < from) return failed('validity', 'NOT_YET_VALID')
  return until !== null && now > until ? failed('validity', 'EXPIRED') : passed('validity')
}

function toIssuer(chain: WalletChain): WalletCheck {
  if (chain.status === 'PASSED') return passed('issuer')
  if (chain.status === 'UNKNOWN') return undetermined('issuer', 'NO_TRUST_ANCHOR')
  if (chain.status === 'NOT_EVALUABLE') return undetermined('issuer', 'ALGORITHM_NOT_ACCEPTED')
  return failed('issuer', chain.status === 'NOT_ALLOWED' ? 'SIGNER_NOT_ALLOWED' : chain.status)
}

export interface Signer {
  /** The signer's first, and those that vouch for it. */
  readonly certificates: readonly StateCertificate[]
  readonly signed_at: number | null
  readonly status: NamedStatus
  /** The country that the credential says has issued it; null: it does not say. */
  readonly country: string | null
}

/** Checks issuer and revocation of a credential whose signature is good; returns its root, too. */
export function checkSigner(
  { certificates, signed_at, status, country }: Signer,
  kind: CredentialKind,
  trust: WalletTrust,
  now: number,
): { readonly checks: readonly WalletCheck[]; readonly root: StateCertificate | null } {
  const chain = findWalletChain(certificates, { anchored: [kind.credential], profile: kind.credential }, trust, {
    now,
    signed_at,
  })
  if (chain.status !== 'PASSED') return { checks: [toIssuer(chain)], root: null }
  const named = certificates[0]?.country ?? ''
  // ISO/IEC 18013-5, 9.3.3: a country's signer signs the licences of that country.
  const isForeign = kind.credential === 'MDL' && named !== '' && country !== null && named !== country
  const issuer = isForeign ? failed('issuer', 'SIGNER_NOT_ALLOWED') : passed('issuer')
  return { checks: [issuer, checkRevocation(chain, { kind, status }, trust, now)], root: chain.anchor }
}

function checkRevocation(
  { anchor, revocation }: Extract<WalletChain, { status: 'PASSED' }>,
  { kind, status }: { readonly kind: CredentialKind; readonly status: NamedStatus },
  trust: WalletTrust,
  now: number,
): WalletCheck {
  if (revocation === 'REVOKED') return failed('revocation', 'CERTIFICATE_REVOKED')
  if (revocation === 'NOT_EVALUABLE') return undetermined('revocation', 'ALGORITHM_NOT_ACCEPTED')
  if (status === null) return passed('revocation')
  const issuer = { anchor, credential: kind.credential }
  const answer = status === 'UNKNOWN' ? null : judgeStatus(status, issuer, trust, now)
  if (answer === 'VALID') return passed('revocation')
  return answer === null ? undetermined('revocation', 'STATUS_UNAVAILABLE') : failed('revocation', answer)
}
