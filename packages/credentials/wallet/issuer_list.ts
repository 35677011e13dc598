import type { StateCertificate } from '../chip/certificates.ts'
import type { RevocationList } from '../chip/revocation_list.ts'
import { readStrictCertificate, type WalletPurpose } from './certificate_profile.ts'
import { findWalletChain, type WalletAnchor } from './wallet_trust.ts'

/** Whether somebody who may sign lists of issuers has signed one; null: certificates alone have no signature. */
type ListSignature = 'PASSED' | 'SIGNER_UNKNOWN' | 'NOT_SIGNED' | 'OUT_OF_TIME' | 'NOT_EVALUABLE' | null

/** An operator's file of trusted parties. */
export interface WalletTrustFile {
  readonly kind: 'CERTIFICATES' | 'VICAL' | 'TRUSTED_ENTITIES'
  readonly anchors: readonly WalletAnchor[]
  readonly revocation_lists: readonly RevocationList[]
  /** Entries that cannot be read. */
  readonly unreadable: number
  readonly signature: ListSignature
}

export interface TrustFileOptions {
  /** Default purposes of certificates, if the file states none. */
  readonly may_sign: readonly WalletPurpose[]
  /** The anchors that lists are checked against: those that may sign `LIST`. */
  readonly anchors: readonly WalletAnchor[]
  readonly now: number
}

export const listLimits = { max_bytes: 8 * 1024 * 1024, max_items: 200_000, shortest: false }
export const maxEntries = 5000

/** A list's own signer, and its statement about time. */
export interface Signature {
  readonly certificates: readonly Buffer[]
  readonly isSignedBy: (spki: Uint8Array) => boolean | null
  /** Epoch milliseconds; null: it does not say. */
  readonly next_at: number | null
}

export function checkListSignature(
  { certificates, isSignedBy, next_at }: Signature,
  { anchors, now }: TrustFileOptions,
): ListSignature {
  const chain = certificates.map(der => readStrictCertificate('x5chain', der))
  const [signer] = chain
  if (signer === undefined) return 'SIGNER_UNKNOWN'
  const isSigned = isSignedBy(signer.spki)
  if (isSigned !== true) return isSigned === null ? 'NOT_EVALUABLE' : 'NOT_SIGNED'
  const purposes = { anchored: ['LIST'], profile: 'LIST' } as const
  const found = findWalletChain(chain, purposes, { anchors, revocation_lists: [] }, { now, signed_at: null })
  if (found.status === 'EXPIRED' || found.status === 'NOT_YET_VALID') return 'OUT_OF_TIME'
  if (found.status === 'NOT_EVALUABLE') return 'NOT_EVALUABLE'
  if (found.status !== 'PASSED') return 'SIGNER_UNKNOWN'
  return next_at !== null && next_at < now ? 'OUT_OF_TIME' : 'PASSED'
}

export interface ListEntry {
  /** Null: it cannot be read. */
  readonly certificate: StateCertificate | null
  readonly may_sign: readonly WalletPurpose[]
}

/** Entries for nothing that we verify are left out; a certificate that is there more than once is one anchor. */
export function toAnchors(entries: readonly ListEntry[]): Pick<WalletTrustFile, 'anchors' | 'unreadable'> {
  const wanted = entries.filter(({ may_sign }) => may_sign.length > 0)
  const found = new Map<string, { certificate: StateCertificate; purposes: Set<WalletPurpose> }>()
  for (const { certificate, may_sign } of wanted) {
    if (certificate === null) continue
    const known = found.get(certificate.fingerprint) ?? { certificate, purposes: new Set() }
    for (const purpose of may_sign) known.purposes.add(purpose)
    found.set(certificate.fingerprint, known)
  }
  return {
    anchors: [...found.values()].map(({ certificate, purposes }) => ({ certificate, may_sign: [...purposes] })),
    unreadable: wanted.filter(({ certificate }) => certificate === null).length,
  }
}
