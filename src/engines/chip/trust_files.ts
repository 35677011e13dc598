import { Set as Asn1Set, Sequence } from 'asn1js'
import { isRoot, isSignedBy, readCertificate, type StateCertificate } from './certificates.ts'
import { findChain, type TrustAnchors } from './chain.ts'
import { parseBlocks } from './der.ts'
import { type RevocationList, readRevocationList } from './revocation_list.ts'
import { isContentSignedBy, isOfSigner, readSignedData, readSigningTime, type SignedContent } from './signed_data.ts'
import { readOrNull, UnreadableFileError } from './unreadable_file_error.ts'

/** ICAO 9303 part 12, 9.1: `id-icao-cscaMasterList`, and the purpose of who signs one. */
const masterListType = '2.23.136.1.1.2'
const masterListSigner = '2.23.136.1.1.3'

const maxListBytes = 16 * 1024 * 1024

/** What an operator's files hold. */
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
  const blocks = text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/g)
  return joinFiles([...blocks].map(([, , body = '']) => readDer(Buffer.from(body, 'base64'))))
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
  const signer = list.certificates.find(one => isOfSigner(list.signer, one))
  if (signer === undefined) return 'SIGNER_UNKNOWN'
  const isSigned = isContentSignedBy(list, signer)
  if (isSigned === null) return 'NOT_EVALUABLE'
  if (!isSigned || !signer.purposes.includes(masterListSigner)) return 'NOT_SIGNED'
  const { status } = findChain(signer, anchors, { signed_at: readSigningTime(list), now })
  if (status === 'UNKNOWN') return 'SIGNER_UNKNOWN'
  return status === 'FORGED' ? 'NOT_SIGNED' : status
}

/** What a certificate is for; null for one that nothing can rest on: a root that did not sign itself, or another's signer. */
export function classifyCertificate(certificate: StateCertificate): 'ROOT' | 'LINK' | 'SIGNER' | null {
  if (isRoot(certificate)) return isSignedBy(certificate, certificate) === true ? 'ROOT' : null
  if (certificate.is_authority) return 'LINK'
  return certificate.purposes.some(purpose => purpose.startsWith('2.23.136.1.1.')) ? null : 'SIGNER'
}
