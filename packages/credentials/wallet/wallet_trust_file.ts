import { readTrustFile } from '../chip/trust_files.ts'
import { listLimits, type TrustFileOptions, toAnchors, type WalletTrustFile } from './issuer_list.ts'
import { refuse } from './place.ts'
import { readTrustedEntities } from './trusted_entities.ts'
import { readVical } from './vical.ts'

/** PEM, LDIF or DER: certificates of issuers, and lists of certificates that were revoked. */
function readCertificates(bytes: Buffer, { may_sign }: TrustFileOptions): WalletTrustFile {
  const { certificates, revocation_lists, unreadable, master_lists } = readTrustFile(bytes)
  const read = toAnchors(certificates.map(certificate => ({ certificate, may_sign })))
  return {
    kind: 'CERTIFICATES',
    anchors: read.anchors,
    revocation_lists,
    unreadable: unreadable + master_lists.length,
    signature: null,
  }
}

/** A COSE_Sign1: an array of four, with its tag or without. */
function isCose(bytes: Buffer): boolean {
  return bytes[0] === 0x84 || bytes[0] === 0xd2
}

/**
 * Reads a file of trusted parties: certificates, a VICAL, or a list of trusted entities of the EU's. It counts
 * unreadable entries, and leaves the judgement of a list's signature to its caller. @throws {UnreadableFileError} for a
 * list that is none
 */
export function readWalletTrustFile(bytes: Buffer, options: TrustFileOptions): WalletTrustFile {
  if (bytes.length > listLimits.max_bytes) throw refuse('file', `must have at most ${listLimits.max_bytes} bytes`)
  if (isCose(bytes)) return readVical(bytes, options)
  const text = bytes.toString('latin1').trim()
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(text)
    ? readTrustedEntities(text, options)
    : readCertificates(bytes, options)
}
