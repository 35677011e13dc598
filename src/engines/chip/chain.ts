import { isRoot, isSameName, isSignedBy, type StateCertificate } from './certificates.ts'
import type { RevocationList } from './revocation_list.ts'

/** What an operator imported for some states. */
export interface TrustAnchors {
  /** Roots, and links between them. */
  readonly authorities: readonly StateCertificate[]
  /** Signers of documents, for an EF.SOD that brings none. */
  readonly signers: readonly StateCertificate[]
  readonly revocation_lists: readonly RevocationList[]
}

/** From a signer up to a root. A link takes the place of a root that signed the next one. */
const maxLength = 5
/** Signatures that one search verifies. */
const maxSignatures = 40

/**
 * `UNKNOWN`: nobody that was imported issued it. `FORGED`: it names the key of one who did not sign it. `OUT_OF_TIME`: there
 * is a chain, and not at that time. `NOT_EVALUABLE`: an algorithm or a key that we do not accept.
 */
export type ChainResult =
  | { readonly status: 'PASSED'; readonly chain: readonly StateCertificate[]; readonly revoked: boolean }
  | { readonly status: 'UNKNOWN' | 'FORGED' | 'OUT_OF_TIME' | 'NOT_EVALUABLE' }

function mayHaveIssued(issuer: StateCertificate, certificate: StateCertificate): boolean {
  return isSameName(issuer.subject, certificate.issuer) || namesKeyOf(certificate, issuer)
}

function namesKeyOf({ authority_key_id }: StateCertificate, { key_id }: StateCertificate): boolean {
  return key_id !== null && authority_key_id === key_id
}

/** A span in epoch milliseconds, both ends included. */
interface Span {
  readonly from: number
  readonly to: number
}

function within(span: Span, { not_before, not_after }: StateCertificate): Span {
  return { from: Math.max(span.from, not_before), to: Math.min(span.to, not_after) }
}

/** Of two results without a chain, the one that says more. */
const order = ['UNKNOWN', 'NOT_EVALUABLE', 'FORGED', 'OUT_OF_TIME', 'PASSED'] as const

interface Search {
  readonly anchors: TrustAnchors
  signatures: number
}

function search(run: Search, chain: readonly StateCertificate[], span: Span): ChainResult {
  const last = chain.at(-1)
  let best: ChainResult = { status: 'UNKNOWN' }
  if (last === undefined || chain.length >= maxLength) return best
  const candidates = run.anchors.authorities.filter(one => !chain.includes(one) && mayHaveIssued(one, last))
  for (const issuer of candidates) {
    const found = climb(run, [...chain, issuer], span)
    if (found.status === 'PASSED') return found
    if (order.indexOf(found.status) > order.indexOf(best.status)) best = found
  }
  return best
}

/** The search goes on from the last of a chain, if it signed the one before. */
function climb(run: Search, chain: readonly StateCertificate[], before: Span): ChainResult {
  const [certificate, issuer] = chain.slice(-2)
  run.signatures++
  if (certificate === undefined || issuer === undefined || run.signatures > maxSignatures) return { status: 'UNKNOWN' }
  const isSigned = isSignedBy(certificate, issuer)
  if (isSigned === null) return { status: 'NOT_EVALUABLE' }
  if (!isSigned) return { status: namesKeyOf(certificate, issuer) ? 'FORGED' : 'UNKNOWN' }
  const span = within(before, issuer)
  if (!isRoot(issuer)) return search(run, chain, span)
  if (span.from > span.to) return { status: 'OUT_OF_TIME' }
  return { status: 'PASSED', chain, revoked: isRevoked(chain, run.anchors.revocation_lists) }
}

/** Whether a list of its issuer's names one of a chain. Whoever the root is, it revokes others and never itself. */
function isRevoked(chain: readonly StateCertificate[], lists: readonly RevocationList[]): boolean {
  return chain.some((certificate, at) => {
    const issuer = chain[at + 1]
    return (
      issuer !== undefined &&
      lists.some(
        list =>
          list.serials.has(certificate.serial) &&
          isSameName(list.issuer, certificate.issuer) &&
          isSignedBy(list, issuer) === true,
      )
    )
  })
}

/**
 * A chain from a signer to an imported root, each valid when the document was signed. Where that time is not known, there
 * must be one at which all of them were valid, and not in the future.
 */
export function findChain(
  signer: StateCertificate,
  anchors: TrustAnchors,
  time: { readonly signed_at: number | null; readonly now: number },
): ChainResult {
  const span =
    time.signed_at === null
      ? { from: Number.NEGATIVE_INFINITY, to: time.now }
      : { from: time.signed_at, to: Math.min(time.signed_at, time.now) }
  return search({ anchors, signatures: 0 }, [signer], within(span, signer))
}
