import { createHash } from 'node:crypto'
import { CertificateList } from '@peculiar/asn1-x509'
import { describeName, type StateCertificate, toHex, toTime } from './certificates.ts'
import { parseDer } from './der.ts'
import { toScheme } from './signatures.ts'
import { UnreadableFileError } from './unreadable_file_error.ts'

/** A state's list of certificates that are no longer to be trusted. It counts until a newer one: old lists revoke too. */
export interface RevocationList extends Pick<StateCertificate, 'signed' | 'signature' | 'scheme'> {
  readonly der: Buffer
  readonly fingerprint: string
  readonly issuer: string
  /** Two letters in capitals, of the issuer; empty where it names none. */
  readonly country: string
  readonly issued_at: number
  readonly next_at: number | null
  /** Serial numbers in hex. */
  readonly serials: ReadonlySet<string>
}

/** Throws `UnreadableFileError`. */
export function readRevocationList(der: Uint8Array): RevocationList {
  const limits = { max_bytes: 4 * 1024 * 1024, max_nodes: 500_000 }
  const list = parseDer('a revocation list', der, CertificateList, limits)
  const { tbsCertList: tbs, tbsCertListRaw, signatureAlgorithm, signature } = list
  if (tbsCertListRaw === undefined) throw new UnreadableFileError('a revocation list cannot be read')
  const issuer = describeName(tbs.issuer)
  return {
    der: Buffer.from(der),
    fingerprint: createHash('sha256').update(der).digest('hex'),
    issuer,
    country: (/(?:^|, )C=(\w{2})/.exec(issuer)?.[1] ?? '').toUpperCase(),
    issued_at: toTime(tbs.thisUpdate),
    next_at: tbs.nextUpdate === undefined ? null : toTime(tbs.nextUpdate),
    serials: new Set((tbs.revokedCertificates ?? []).map(one => toHex(one.userCertificate))),
    signed: new Uint8Array(tbsCertListRaw),
    signature: new Uint8Array(signature),
    scheme: toScheme(signatureAlgorithm),
  }
}
