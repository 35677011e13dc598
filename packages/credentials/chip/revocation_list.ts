import { createHash } from 'node:crypto'
import {
  CertificateIssuer,
  CertificateList,
  CRLReason,
  CRLReasons,
  type Extension,
  type RevokedCertificate,
} from '@peculiar/asn1-x509'
import {
  countryOf,
  describeName,
  describeSerial,
  readExtension,
  readKeyId,
  type StateCertificate,
  toTime,
} from './certificates.ts'
import { parseDer } from './der.ts'
import { toScheme } from './signatures.ts'
import { UnreadableFileError } from './unreadable_file_error.ts'

/** A state's list of certificates that are no longer to be trusted. It counts until a newer one: old lists revoke too. */
export interface RevocationList
  extends Pick<StateCertificate, 'signed' | 'signature' | 'scheme' | 'authority_key_id' | 'issuer' | 'country'> {
  readonly der: Buffer
  readonly fingerprint: string
  readonly issued_at: number
  readonly next_at: number | null
  /** Serial numbers in hex, of the authority's own certificates. */
  readonly serials: ReadonlySet<string>
  /** Those of `serials` that may be taken off the list again (RFC 5280, 5.3.1: `certificateHold`). */
  readonly held: ReadonlySet<string>
  /** Issuers' names by serial number, where an entry names another issuer (RFC 5280, 5.3.3). */
  readonly others: ReadonlyMap<string, readonly string[]>
  /** False: it has a critical extension that we do not know, and RFC 5280, 5.2 forbids us to rely on it. */
  readonly is_understood: boolean
}

/** Extensions of a list that do not affect its entries: points of distribution, and lists of changes. */
const knownOfList: ReadonlySet<string> = new Set(['2.5.29.18', '2.5.29.20', '2.5.29.27', '2.5.29.28', '2.5.29.35'])
const knownOfEntry: ReadonlySet<string> = new Set(['2.5.29.21', '2.5.29.23', '2.5.29.24', '2.5.29.29'])

function isUnderstood(extensions: readonly Extension[] | undefined, known: ReadonlySet<string>): boolean {
  return (extensions ?? []).every(({ critical, extnID }) => !critical || known.has(extnID))
}

interface Entry {
  readonly serial: string
  readonly reason: CRLReasons
  /** Null: it names none, and is of the same issuer as the entry before. */
  readonly issuer: string | null
}

function readEntry({ userCertificate, crlEntryExtensions = [] }: RevokedCertificate): Entry {
  const names = readExtension(crlEntryExtensions, '2.5.29.29', CertificateIssuer)
  const issuer = names?.find(({ directoryName }) => directoryName !== undefined)?.directoryName
  return {
    serial: describeSerial(userCertificate),
    reason: readExtension(crlEntryExtensions, '2.5.29.21', CRLReason)?.reason ?? CRLReasons.unspecified,
    issuer: issuer === undefined ? null : describeName(issuer),
  }
}

function readEntries(revoked: readonly RevokedCertificate[]): Pick<RevocationList, 'serials' | 'held' | 'others'> {
  const [serials, held, others] = [new Set<string>(), new Set<string>(), new Map<string, string[]>()]
  let current: string | null = null
  for (const { serial, reason, issuer } of revoked.map(readEntry)) {
    current = issuer ?? current
    if (reason === CRLReasons.removeFromCRL) continue
    if (current !== null) others.set(serial, [...(others.get(serial) ?? []), current])
    else serials.add(serial)
    if (current === null && reason === CRLReasons.certificateHold) held.add(serial)
  }
  return { serials, held, others }
}

/** Throws `UnreadableFileError`. */
export function readRevocationList(der: Uint8Array): RevocationList {
  const limits = { max_bytes: 4 * 1024 * 1024, max_nodes: 500_000 }
  const list = parseDer('a revocation list', der, CertificateList, limits)
  const { tbsCertList: tbs, tbsCertListRaw, signatureAlgorithm, signature } = list
  if (tbsCertListRaw === undefined) throw new UnreadableFileError('a revocation list cannot be read')
  const revoked = tbs.revokedCertificates ?? []
  return {
    der: Buffer.from(der),
    fingerprint: createHash('sha256').update(der).digest('hex'),
    issuer: describeName(tbs.issuer),
    country: countryOf(tbs.issuer),
    issued_at: toTime(tbs.thisUpdate),
    next_at: tbs.nextUpdate === undefined ? null : toTime(tbs.nextUpdate),
    ...readEntries(revoked),
    is_understood:
      isUnderstood(tbs.crlExtensions, knownOfList) &&
      revoked.every(({ crlEntryExtensions }) => isUnderstood(crlEntryExtensions, knownOfEntry)),
    authority_key_id: readKeyId(tbs.crlExtensions ?? []),
    signed: new Uint8Array(tbsCertListRaw),
    signature: new Uint8Array(signature),
    scheme: toScheme(signatureAlgorithm),
  }
}
