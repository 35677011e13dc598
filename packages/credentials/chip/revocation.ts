import { isSameName, isSelfSigned, isSignedBy, namesAsIssuer, type StateCertificate } from './certificates.ts'
import type { RevocationList } from './revocation_list.ts'

/** `NOT_EVALUABLE`: a list names the certificate, and we cannot judge the list. */
export type Revocation = 'PASSED' | 'REVOKED' | 'NOT_EVALUABLE'

/** The parts of a name without the number by which states count their keys (ICAO 9303 part 12, table 5: `serialNumber`). */
function withoutNumber(name: string): string {
  return name
    .split(', ')
    .filter(part => !part.startsWith('serialNumber='))
    .join(', ')
}

/** Whether both are one state's authority: by name, or since one vouches for the other's key with a link. */
function isRelated(one: StateCertificate, other: StateCertificate): boolean {
  return (
    isSameName(withoutNumber(one.subject), withoutNumber(other.subject)) || isLinkOf(one, other) || isLinkOf(other, one)
  )
}

/** Whether an authority signed the certificate of another one's key. */
function isLinkOf(link: StateCertificate, old: StateCertificate): boolean {
  return namesAsIssuer(link, old) && !isSelfSigned(link) && isSignedBy(link, old) === true
}

/**
 * Lists all imported certificates of one authority, for all its keys. States sign one list, with their newest key, of
 * the certificates that any of their keys issued (ICAO 9303 part 12, 4.1.5; RFC 5280, 6.3.3).
 */
function listFamily(first: StateCertificate, authorities: readonly StateCertificate[]): readonly StateCertificate[] {
  const family = [first]
  // The list grows while it is walked: relatives of relatives are found too.
  for (const member of family)
    family.push(...authorities.filter(one => !family.includes(one) && (one === member || isRelated(one, member))))
  return family
}

/** Whether a list has an entry for a certificate. An entry of an issuer by name is of that issuer's certificates alone. */
function names(list: RevocationList, { serial, issuer }: StateCertificate): boolean {
  return list.serials.has(serial) || list.others.get(serial)?.some(name => isSameName(name, issuer)) === true
}

/** Whether one of a family signed a list; null where its algorithm, its key or an extension is none that we can judge. */
function isListOf(list: RevocationList, family: readonly StateCertificate[]): boolean | null {
  const results = family.map(member => isSignedBy(list, member))
  if (results.includes(true)) return list.is_understood ? true : null
  return results.includes(null) && family.some(({ subject }) => isSameName(subject, list.issuer)) ? null : false
}

/** Whether one of these authorities signed a list. A list of an unknown signer revokes nothing. */
export function isListOfKnown(list: RevocationList, authorities: readonly StateCertificate[]): boolean {
  return authorities.some(one => isSignedBy(list, one) === true)
}

/** Whether an entry counts. A certificate on hold is free again when a later list of its authority does not name it. */
function counts(
  list: RevocationList,
  certificate: StateCertificate,
  lists: readonly RevocationList[],
  family: readonly StateCertificate[],
): boolean {
  if (!list.held.has(certificate.serial)) return true
  const later = lists.filter(other => other.issued_at > list.issued_at && !names(other, certificate))
  return !later.some(other => isListOf(other, family) === true)
}

function judge(
  certificate: StateCertificate,
  issuer: StateCertificate,
  { authorities, revocation_lists }: Authorities,
): Revocation {
  const isRoot = certificate === issuer
  const naming = revocation_lists.filter(list => names(list, certificate))
  // No number is unique beyond one authority: that of a root counts only where the list is of exactly its name.
  const found = isRoot ? naming.filter(list => isSameName(list.issuer, certificate.issuer)) : naming
  if (found.length === 0) return 'PASSED'
  const family = listFamily(issuer, authorities)
  const signers = isRoot ? family.filter(({ spki }) => !Buffer.from(spki).equals(certificate.spki)) : family
  const judged = found.map(list => ({ list, isSigned: isListOf(list, signers) }))
  const isCounted = (list: RevocationList): boolean => counts(list, certificate, revocation_lists, family)
  if (judged.some(({ list, isSigned }) => isSigned === true && isCounted(list))) return 'REVOKED'
  return judged.some(({ isSigned }) => isSigned === null) ? 'NOT_EVALUABLE' : 'PASSED'
}

interface Authorities {
  readonly authorities: readonly StateCertificate[]
  readonly revocation_lists: readonly RevocationList[]
}

/**
 * Whether lists of its state revoke one of a chain, from a signer up to a root. Only another key of its authority
 * revokes a root: a thief could sign anything with the root itself.
 */
export function judgeRevocation(chain: readonly StateCertificate[], anchors: Authorities): Revocation {
  const all = chain.map((certificate, at) => judge(certificate, chain[at + 1] ?? certificate, anchors))
  return (['REVOKED', 'NOT_EVALUABLE'] as const).find(result => all.includes(result)) ?? 'PASSED'
}
