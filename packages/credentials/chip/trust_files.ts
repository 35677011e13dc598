import { Set as Asn1Set, Sequence } from 'asn1js'
import { isSameName, isSelfSigned, readCertificate, type StateCertificate } from './certificates.ts'
import { findChain, type TrustAnchors } from './chain.ts'
import { parseBlocks } from './der.ts'
import { type RevocationList, readRevocationList } from './revocation_list.ts'
import {
  type ContentSigner,
  isContentSignedBy,
  isOfSigner,
  listCandidates,
  readSignedData,
  readSigningTime,
  type SignedContent,
} from './signed_data.ts'
import { readOrNull, UnreadableFileError } from './unreadable_file_error.ts'

/** ICAO 9303 part 12, 9.1: `id-icao-cscaMasterList`, and the purpose of its signers. */
const masterListType = '2.23.136.1.1.2'
const masterListSigner = '2.23.136.1.1.3'

const maxListBytes = 16 * 1024 * 1024

/** The contents of an operator's files. */
export interface TrustFile {
  readonly certificates: readonly StateCertificate[]
  readonly revocation_lists: readonly RevocationList[]
  /** Signed lists of roots, whose signatures are still to be checked. */
  readonly master_lists: readonly SignedContent[]
  /** Entries that cannot be read: states' lists have some. */
  readonly unreadable: number
}

const nothing: TrustFile = { certificates: [], revocation_lists: [], master_lists: [], unreadable: 0 }

function joinFiles(files: readonly TrustFile[]): TrustFile {
  return {
    certificates: files.flatMap(({ certificates }) => certificates),
    revocation_lists: files.flatMap(({ revocation_lists }) => revocation_lists),
    master_lists: files.flatMap(({ master_lists }) => master_lists),
    unreadable: files.reduce((sum, { unreadable }) => sum + unreadable, 0),
  }
}

/** DER of any of the three: they begin alike, so each is tried. */
function readDer(bytes: Buffer): TrustFile {
  const certificate = readOrNull(() => readCertificate(bytes))
  if (certificate !== null) return { ...nothing, certificates: [certificate] }
  const list = readOrNull(() => readRevocationList(bytes))
  if (list !== null) return { ...nothing, revocation_lists: [list] }
  const masterList = readOrNull(() =>
    readSignedData('a master list', bytes, { max_bytes: maxListBytes, max_nodes: 1_000_000 }),
  )
  if (masterList?.content_type === masterListType) return { ...nothing, master_lists: [masterList] }
  return { ...nothing, unreadable: 1 }
}

function readPem(text: string): TrustFile {
  // Each block ends before the next one begins: one that nothing closes is not searched to the end of the file.
  const files = text.split('-----BEGIN ').slice(1).map(readBlock)
  return joinFiles(files.filter(file => file !== null))
}

/** Returns null for a block without a label, and an unreadable entry for one that is not closed. */
function readBlock(block: string): TrustFile | null {
  const labelEnd = block.indexOf('-----')
  const label = block.slice(0, Math.max(0, labelEnd))
  if (!/^[A-Z0-9 ]{1,64}$/.test(label)) return null
  const end = block.indexOf(`-----END ${label}-----`, labelEnd)
  return end === -1 ? { ...nothing, unreadable: 1 } : readDer(Buffer.from(block.slice(labelEnd + 5, end), 'base64'))
}

/** RFC 2849: values after `::` are base64, and go on in lines that begin with a space. ICAO's directory is given out so. */
function readLdif(text: string): TrustFile {
  const values = text
    .replace(/\r?\n /g, '')
    .matchAll(
      /^(?:userCertificate|cACertificate|certificateRevocationList|pkdMasterListContent|CscaMasterListData)(?:;binary)?:: *(\S+)/gim,
    )
  return joinFiles([...values].map(([, value = '']) => readDer(Buffer.from(value, 'base64'))))
}

/** Reads a file of certificates, revocation lists or master lists: PEM, LDIF or DER. */
export function readTrustFile(bytes: Buffer): TrustFile {
  if (bytes.subarray(0, 1).equals(Buffer.from([0x30]))) return readDer(bytes)
  const text = bytes.toString('latin1')
  return text.includes('-----BEGIN ') ? readPem(text) : readLdif(text)
}

/** The certificates of a master list (ICAO 9303 part 12, 9.1); those that cannot be read are counted. */
export function readMasterList({ content }: SignedContent): TrustFile {
  const result = parseBlocks('the master list', content, { max_bytes: maxListBytes, max_nodes: 1_000_000 })
  const set = result instanceof Sequence ? result.valueBlock.value[1] : null
  if (!(set instanceof Asn1Set)) throw new UnreadableFileError('the master list cannot be read')
  const certificates = set.valueBlock.value.map(one =>
    readOrNull(() => readCertificate(new Uint8Array(one.valueBeforeDecodeView))),
  )
  return {
    ...nothing,
    certificates: certificates.filter(one => one !== null),
    unreadable: certificates.filter(one => one === null).length,
  }
}

export type MasterListSignature = 'PASSED' | 'SIGNER_UNKNOWN' | 'NOT_SIGNED' | 'OUT_OF_TIME' | 'NOT_EVALUABLE'

/** Whether a state whose root is already trusted signed a master list. */
export function checkMasterList(list: SignedContent, anchors: TrustAnchors, now: number): MasterListSignature {
  return readOrNull(() => checkSigner(list, anchors, now)) ?? 'NOT_EVALUABLE'
}

function checkSigner(list: SignedContent, anchors: TrustAnchors, now: number): MasterListSignature {
  const results = list.signers.map(signer => checkOneSigner(list, signer, anchors, now))
  return orderOfResults.find(result => results.includes(result)) ?? 'SIGNER_UNKNOWN'
}

/** The results, the best first: one of several signers is enough. */
const orderOfResults: readonly MasterListSignature[] = ['PASSED', 'OUT_OF_TIME', 'NOT_EVALUABLE', 'NOT_SIGNED']

function checkOneSigner(
  list: SignedContent,
  signer: ContentSigner,
  anchors: TrustAnchors,
  now: number,
): MasterListSignature {
  const candidates = listCandidates(signer, list, [])
  const answers = candidates.map(certificate => ({
    certificate,
    isSigned: isContentSignedBy(list, signer, certificate),
  }))
  const found = answers.find(({ isSigned }) => isSigned === true)?.certificate
  if (found === undefined) {
    if (!candidates.some(certificate => isOfSigner(signer, certificate))) return 'SIGNER_UNKNOWN'
    return answers.some(({ isSigned }) => isSigned === null) ? 'NOT_EVALUABLE' : 'NOT_SIGNED'
  }
  if (!found.purposes.includes(masterListSigner)) return 'NOT_SIGNED'
  const { status } = findChain(found, anchors, { signed_at: readSigningTime(signer), now })
  return status === 'UNKNOWN' ? 'SIGNER_UNKNOWN' : status
}

/** ICAO's purposes (9303 part 12, table 5), of which one is of documents. */
const icaoPurposes = '2.23.136.1.1.'
const documentSigner = '2.23.136.1.1.1'

function isOfAnother({ purposes }: StateCertificate): boolean {
  return purposes.some(purpose => purpose.startsWith(icaoPurposes) && purpose !== documentSigner)
}

export type CertificateKind = 'ROOT' | 'LINK' | 'SIGNER'

/**
 * Returns the use of a certificate. A root is known by its own signature, as names and extensions are missing from
 * some. Null for one that nothing can rest on: one that claims to be a root but did not sign itself, and a signer of
 * lists or visible digital seals.
 */
export function classifyCertificate(certificate: StateCertificate): CertificateKind | null {
  const { is_authority, subject, issuer, key_id, authority_key_id } = certificate
  if (isSelfSigned(certificate)) return is_authority === false ? null : 'ROOT'
  const isOfOwnName = isSameName(subject, issuer)
  if (isOfOwnName && key_id !== null && key_id === authority_key_id) return null
  if (is_authority ?? isOfOwnName) return 'LINK'
  return isOfAnother(certificate) ? null : 'SIGNER'
}

/**
 * Returns the use of a certificate of a master list: the list has only authorities, so one that does not say so is one
 * too.
 */
export function classifyListed(certificate: StateCertificate): CertificateKind | null {
  const kind = classifyCertificate(certificate)
  return kind === 'SIGNER' && certificate.is_authority === null ? 'LINK' : kind
}
