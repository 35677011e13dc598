import { isSignedBy, namesAsIssuer, type StateCertificate } from '../chip/certificates.ts'
import { judgeRevocation, type Revocation } from '../chip/revocation.ts'
import type { RevocationList } from '../chip/revocation_list.ts'
import { maySignFor, mayStandAbove, type WalletPurpose } from './certificate_profile.ts'

export interface WalletAnchor {
  readonly certificate: StateCertificate
  readonly may_sign: readonly WalletPurpose[]
}

export interface WalletTrust {
  readonly anchors: readonly WalletAnchor[]
  /** Lists of certificates that the anchors revoked. */
  readonly revocation_lists: readonly RevocationList[]
  /** Tokens that were fetched, by their address; null: it could not be had. */
  readonly status_lists: ReadonlyMap<string, Buffer | null>
}

/**
 * `UNKNOWN`: no anchor vouches for it. `NOT_ALLOWED`: one does, for something else, or the signer's certificate is for
 * something else. `NOT_EVALUABLE`: an algorithm that we do not accept.
 */
export type WalletChain =
  | { readonly status: 'PASSED'; readonly anchor: StateCertificate; readonly revocation: Revocation }
  | { readonly status: 'UNKNOWN' | 'EXPIRED' | 'NOT_YET_VALID' | 'NOT_EVALUABLE' | 'NOT_ALLOWED' }

interface Path {
  readonly status: 'SIGNED' | 'NOT_EVALUABLE'
  /** The chain from the signer up to the anchor. */
  readonly chain: readonly StateCertificate[]
  readonly anchor: WalletAnchor
}

/**
 * Whether an issuer vouches for a certificate. Issuers name each other rightly, unlike states' old roots, so only the
 * named one is tried.
 */
function vouch(issuer: StateCertificate, certificate: StateCertificate): boolean | null {
  return namesAsIssuer(certificate, issuer) && issuer.is_authority !== false ? isSignedBy(certificate, issuer) : false
}

/** Every way from the signer through the certificates that came with it to an anchor. */
function listPaths(certificates: readonly StateCertificate[], anchors: readonly WalletAnchor[]): readonly Path[] {
  const paths: Path[] = []
  const chain: StateCertificate[] = []
  for (const certificate of certificates) {
    const below = chain.at(-1)
    if (below !== undefined && (certificate.is_authority !== true || vouch(certificate, below) !== true)) break
    chain.push(certificate)
    for (const anchor of anchors) {
      const isAnchor = anchor.certificate.fingerprint === certificate.fingerprint
      const isVouched = isAnchor ? true : vouch(anchor.certificate, certificate)
      if (isVouched === false) continue
      const whole = isAnchor ? [...chain] : [...chain, anchor.certificate]
      paths.push({ status: isVouched === true ? 'SIGNED' : 'NOT_EVALUABLE', chain: whole, anchor })
    }
  }
  return paths
}

/** Null: in time. */
function findLapse(chain: readonly StateCertificate[], { now, signed_at }: Times): 'EXPIRED' | 'NOT_YET_VALID' | null {
  const times = chain.map((certificate, at) => ({ certificate, at: at === 0 ? [now, signed_at ?? now] : [now] }))
  if (times.some(({ certificate, at }) => Math.max(...at) > certificate.not_after)) return 'EXPIRED'
  return times.some(({ certificate, at }) => Math.min(...at) < certificate.not_before) ? 'NOT_YET_VALID' : null
}

interface Times {
  readonly now: number
  /** Null: the signer does not say when. */
  readonly signed_at: number | null
}

/** The anchor may vouch for one of these at least, and the signer's certificate must be for the other. */
interface Purposes {
  readonly anchored: readonly WalletPurpose[]
  readonly profile: WalletPurpose
}

/** From the weakest result to the strongest. */
const order: readonly WalletChain['status'][] = [
  ...(['UNKNOWN', 'NOT_EVALUABLE', 'NOT_ALLOWED', 'EXPIRED', 'NOT_YET_VALID', 'PASSED'] as const),
]

/**
 * Whether an anchor vouches for the first of some certificates, through the others, for a purpose. Every certificate must be
 * valid now; the signer's was also valid when it signed.
 */
export function findWalletChain(
  certificates: readonly StateCertificate[],
  { anchored, profile }: Purposes,
  { anchors, revocation_lists }: Pick<WalletTrust, 'anchors' | 'revocation_lists'>,
  times: Times,
): WalletChain {
  const [signer] = certificates
  const authorities = anchors.map(({ certificate }) => certificate)
  const results = listPaths(certificates, anchors).map(({ status, chain, anchor }): WalletChain => {
    if (status === 'NOT_EVALUABLE') return { status }
    const mayVouch = anchored.some(purpose => anchor.may_sign.includes(purpose))
    const isAllowed = mayVouch && chain.slice(1).every((one, at) => mayStandAbove(one, at))
    if (signer === undefined || !isAllowed || !maySignFor(signer, profile)) return { status: 'NOT_ALLOWED' }
    const lapse = findLapse(chain, times)
    if (lapse !== null) return { status: lapse }
    const revocation = judgeRevocation(chain, { authorities, revocation_lists })
    return { status: 'PASSED', anchor: anchor.certificate, revocation }
  })
  const rank = ({ status }: WalletChain): number => order.indexOf(status)
  return results.reduce((best, one) => (rank(one) > rank(best) ? one : best), { status: 'UNKNOWN' } as WalletChain)
}
