import { isSelfSigned, isSignedBy, namesAsIssuer, type StateCertificate } from './certificates.ts'
import { judgeRevocation, type Revocation } from './revocation.ts'
import type { RevocationList } from './revocation_list.ts'

/** The certificates and lists that an operator imported for some states. */
export interface TrustAnchors {
  /** Roots, and links between them. */
  readonly authorities: readonly StateCertificate[]
  /** Signers of documents, for an EF.SOD that brings none. */
  readonly signers: readonly StateCertificate[]
  readonly revocation_lists: readonly RevocationList[]
}

/** Longest chain from a signer up to a root. A link takes the place of a root that signed the next one. */
const maxLength = 5
/** Signatures that one search verifies. */
const maxSignatures = 80

/**
 * `UNKNOWN`: no imported certificate signed it. `OUT_OF_TIME`: there is a chain, but it was not valid at that time.
 * `NOT_EVALUABLE`: an algorithm or a key that we do not accept.
 */
export type ChainResult =
  | { readonly status: 'PASSED'; readonly chain: readonly StateCertificate[]; readonly revocation: Revocation }
  | { readonly status: 'UNKNOWN' | 'OUT_OF_TIME' | 'NOT_EVALUABLE' }

/** A span in epoch milliseconds, both ends included. */
interface Span {
  readonly from: number
  readonly to: number
}

function within(span: Span, { not_before, not_after }: StateCertificate): Span {
  return { from: Math.max(span.from, not_before), to: Math.min(span.to, not_after) }
}

/** From the weakest result to the strongest. A chain that nobody revoked counts before another. */
const order = ['UNKNOWN', 'NOT_EVALUABLE', 'OUT_OF_TIME', 'REVOKED', 'REVOCATION_NOT_EVALUABLE', 'PASSED'] as const

function rank(result: ChainResult): number {
  if (result.status !== 'PASSED' || result.revocation === 'PASSED') return order.indexOf(result.status)
  return order.indexOf(result.revocation === 'REVOKED' ? 'REVOKED' : 'REVOCATION_NOT_EVALUABLE')
}

interface Search {
  readonly anchors: TrustAnchors
  signatures: number
}

/**
 * Lists the authorities that may have signed the last of a chain: every authority, and first those that it names.
 * States keep names and identifiers of keys through a change of either, or write them wrongly, so only signatures
 * exclude one.
 */
function listCandidates({ authorities }: TrustAnchors, chain: readonly StateCertificate[]): StateCertificate[] {
  const last = chain.at(-1)
  if (last === undefined) return []
  const others = authorities.filter(one => !chain.includes(one))
  const named = others.filter(one => namesAsIssuer(last, one))
  return [...named, ...others.filter(one => !named.includes(one))]
}

function search(run: Search, chain: readonly StateCertificate[], span: Span): ChainResult {
  let best: ChainResult = { status: 'UNKNOWN' }
  if (chain.length >= maxLength) return best
  for (const issuer of listCandidates(run.anchors, chain)) {
    const found = climb(run, [...chain, issuer], span)
    if (rank(found) > rank(best)) best = found
    if (rank(best) === order.indexOf('PASSED')) return best
  }
  return best
}

/** The search goes on from the last of a chain, if it signed the one before. */
function climb(run: Search, chain: readonly StateCertificate[], before: Span): ChainResult {
  const [certificate, issuer] = chain.slice(-2)
  if (certificate === undefined || issuer === undefined || run.signatures >= maxSignatures) return { status: 'UNKNOWN' }
  run.signatures++
  const isSigned = isSignedBy(certificate, issuer)
  if (isSigned === null && namesAsIssuer(certificate, issuer)) return { status: 'NOT_EVALUABLE' }
  if (isSigned !== true) return { status: 'UNKNOWN' }
  const span = within(before, issuer)
  if (!isSelfSigned(issuer)) return search(run, chain, span)
  if (span.from > span.to) return { status: 'OUT_OF_TIME' }
  return { status: 'PASSED', chain, revocation: judgeRevocation(chain, run.anchors) }
}

/**
 * Finds a chain from a signer to an imported root, each valid when the document was signed. If that time is not known,
 * there must be one at which all of them were valid, and not in the future.
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
