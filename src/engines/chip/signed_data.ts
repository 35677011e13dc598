import { createHash } from 'node:crypto'
import { SignedData, type SignerInfo } from '@peculiar/asn1-cms'
import { OctetString } from '@peculiar/asn1-schema'
import { Time } from '@peculiar/asn1-x509'
import { BaseBlock, Constructed, ObjectIdentifier, Sequence } from 'asn1js'
import { describeName, isSameName, readCertificate, type StateCertificate, toHex, toTime } from './certificates.ts'
import { convertBlock, type DerLimits, parseBlocks, parseDer } from './der.ts'
import { toDigest, toScheme, verifySignature } from './signatures.ts'
import { UnreadableFileError } from './unreadable_file_error.ts'

const signedDataType = '1.2.840.113549.1.7.2'
const attributeTypes = {
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
}

/** A CMS with content, of which one signer is looked at. */
export interface SignedContent {
  readonly content_type: string
  readonly content: Buffer
  readonly certificates: readonly StateCertificate[]
  readonly signer: SignerInfo
  /** The signed attributes as they are stored; null: none, and the content itself is signed. */
  readonly attributes: Constructed | null
}

function childrenOf(block: unknown): readonly unknown[] {
  return block instanceof Constructed ? block.valueBlock.value : []
}

/**
 * The one signer's signed attributes, which stand after the digest's algorithm. What they say is read from the same bytes
 * that the signature is verified over: the library gives the values apart from them.
 */
function findAttributes(signedData: unknown): Constructed | null {
  const [signer] = childrenOf(childrenOf(signedData).at(-1))
  const found = childrenOf(signer)[3]
  const isFound = found instanceof Constructed && found.idBlock.tagClass === 3 && found.idBlock.tagNumber === 0
  return isFound ? found : null
}

/** The certificates as they are stored, of `[0]` after the content. */
function listCertificates(signedData: unknown): Uint8Array[] {
  const set = childrenOf(signedData)[3]
  const isSet = set instanceof Constructed && set.idBlock.tagClass === 3 && set.idBlock.tagNumber === 0
  return (isSet ? childrenOf(set) : []).flatMap(one => (one instanceof Sequence ? [one.valueBeforeDecodeView] : []))
}

/** Throws `UnreadableFileError`. */
export function readSignedData(what: string, bytes: Uint8Array, limits: DerLimits = {}): SignedContent {
  const [type, content] = childrenOf(parseBlocks(what, bytes, limits))
  const [block] = childrenOf(content)
  if (!(type instanceof ObjectIdentifier) || type.getValue() !== signedDataType || !(block instanceof Sequence))
    throw new UnreadableFileError(`${what} is not signed data`)
  const data = convertBlock(what, block, SignedData)
  const { eContent, eContentType } = data.encapContentInfo
  const [signer] = data.signerInfos
  const inner = eContent?.single?.buffer
  if (inner === undefined || signer === undefined || data.signerInfos.length > 1)
    throw new UnreadableFileError(`${what} has no content, or not one signer`)
  const certificates = listCertificates(block)
  if (certificates.length > 8) throw new UnreadableFileError(`${what} has too many certificates`)
  const attributes = findAttributes(block)
  if ((attributes === null) !== (signer.signedAttrs === undefined))
    throw new UnreadableFileError(`${what} cannot be read`)
  return {
    content_type: eContentType,
    content: Buffer.from(inner),
    certificates: certificates.map(readCertificate),
    signer,
    attributes,
  }
}

/** Whether a certificate is the one that a signer names. */
export function isOfSigner({ sid }: SignerInfo, certificate: StateCertificate): boolean {
  const { issuerAndSerialNumber, subjectKeyIdentifier } = sid
  if (subjectKeyIdentifier !== undefined) return certificate.key_id === toHex(subjectKeyIdentifier.buffer)
  return (
    issuerAndSerialNumber !== undefined &&
    certificate.serial === toHex(issuerAndSerialNumber.serialNumber) &&
    isSameName(certificate.issuer, describeName(issuerAndSerialNumber.issuer))
  )
}

/** The one value of a signed attribute, in DER. */
function attributeOf({ attributes }: SignedContent, oid: string): Uint8Array | null {
  for (const attribute of childrenOf(attributes)) {
    const [type, values] = childrenOf(attribute)
    if (!(type instanceof ObjectIdentifier) || type.getValue() !== oid) continue
    const [value] = childrenOf(values)
    return value instanceof BaseBlock ? value.valueBeforeDecodeView : null
  }
  return null
}

/** When it was signed, in epoch milliseconds, as the signer says; null where it does not say. */
export function readSigningTime(signed: SignedContent): number | null {
  const value = attributeOf(signed, attributeTypes.signingTime)
  return value === null ? null : toTime(parseDer('the time of signing', value, Time))
}

/** The bytes that the signer signed; null where its signed attributes are not of this content (RFC 5652, 5.4). */
function signedBytes(signed: SignedContent, digest: string): Uint8Array | null {
  const { content, content_type, attributes } = signed
  if (attributes === null) return content
  const type = attributeOf(signed, attributeTypes.contentType)
  const expected = attributeOf(signed, attributeTypes.messageDigest)
  if (type === null || expected === null) return null
  const contentDigest = createHash(digest).update(content).digest()
  const isItsDigest = contentDigest.equals(Buffer.from(parseDer('a digest', expected, OctetString).buffer))
  const isItsType = Buffer.from(new ObjectIdentifier({ value: content_type }).toBER()).equals(Buffer.from(type))
  if (!isItsDigest || !isItsType) return null
  const bytes = Buffer.from(attributes.valueBeforeDecodeView)
  // They are stored as [0], and signed as the SET that they are.
  bytes[0] = 0x31
  return bytes
}

/** Whether a certificate's key signed the content; null where we do not accept the algorithm or the key. */
export function isContentSignedBy(signed: SignedContent, { spki }: StateCertificate): boolean | null {
  const { digestAlgorithm, signatureAlgorithm, signature } = signed.signer
  const digest = toDigest(digestAlgorithm.algorithm)
  const scheme = toScheme(signatureAlgorithm, digest)
  if (digest === null || scheme === null) return null
  const data = signedBytes(signed, digest)
  if (data === null) return false
  return verifySignature({ data, signature: new Uint8Array(signature.buffer), scheme, spki })
}
