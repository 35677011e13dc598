import { createHash } from 'node:crypto'
import { IssuerAndSerialNumber } from '@peculiar/asn1-cms'
import { AlgorithmIdentifier, Time } from '@peculiar/asn1-x509'
import { BaseBlock, Constructed, ObjectIdentifier, OctetString, Sequence } from 'asn1js'
import { toDer } from './canonical.ts'
import {
  countryOf,
  describeName,
  describeSerial,
  isSameName,
  readCertificate,
  type StateCertificate,
  toHex,
  toTime,
} from './certificates.ts'
import { convertBlock, type DerLimits, parseBlocks, parseDer } from './der.ts'
import { listDigests, type SignatureScheme, toDigest, toScheme, verifySignature } from './signatures.ts'
import { readOrNull, UnreadableFileError } from './unreadable_file_error.ts'

const signedDataType = '1.2.840.113549.1.7.2'
const attributeTypes = {
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
}

/** A list has one, and a chip too (ICAO 9303 part 10, 4.6.2.2). */
const maxSigners = 4
const maxCertificates = 8

/** One signature of a CMS, and the signer that it names: by issuer and serial number, or by the identifier of a key. */
export interface ContentSigner {
  readonly issuer: string | null
  readonly serial: string | null
  readonly key_id: string | null
  /** Country of the issuer, two letters in capitals; empty if it names none. */
  readonly country: string
  /** Null: one that we do not accept. */
  readonly digest: string | null
  readonly algorithm: AlgorithmIdentifier
  /** The signed attributes as they are stored; null: none, and the content itself is signed. */
  readonly attributes: Constructed | null
  readonly signature: Uint8Array
}

/** A CMS with content. */
export interface SignedContent {
  readonly content_type: string
  readonly content: Buffer
  readonly certificates: readonly StateCertificate[]
  readonly signers: readonly ContentSigner[]
}

function childrenOf(block: unknown): readonly unknown[] {
  return block instanceof Constructed ? block.valueBlock.value : []
}

/** Whether a block has a tag of its context, such as `[0]`. */
function isTagged(block: unknown, number: number): block is Constructed {
  return block instanceof Constructed && block.idBlock.tagClass === 3 && block.idBlock.tagNumber === number
}

type Identity = Pick<ContentSigner, 'issuer' | 'serial' | 'key_id' | 'country'>

function readIdentity(block: unknown): Identity {
  if (block instanceof Sequence) {
    const { issuer, serialNumber } = convertBlock('a signer', block, IssuerAndSerialNumber)
    return {
      issuer: describeName(issuer),
      serial: describeSerial(serialNumber),
      key_id: null,
      country: countryOf(issuer),
    }
  }
  const isKeyId = block instanceof BaseBlock && block.idBlock.tagClass === 3 && block.idBlock.tagNumber === 0
  if (!isKeyId) throw new UnreadableFileError('a signer is named in another way')
  const { valueBlock } = block as BaseBlock & { valueBlock: { valueHexView?: Uint8Array } }
  return { issuer: null, serial: null, key_id: toHex(valueBlock.valueHexView ?? new Uint8Array()), country: '' }
}

/**
 * Reads signed attributes from the same bytes that the signature is verified over. Unsigned parts, such as versions and
 * unsigned attributes, are ignored.
 */
function readSigner(block: unknown): ContentSigner {
  const [, identity, digest, ...rest] = childrenOf(block)
  const attributes = isTagged(rest[0], 0) ? rest[0] : null
  const [algorithm, signature] = attributes === null ? rest : rest.slice(1)
  if (!(digest instanceof Sequence && algorithm instanceof Sequence && signature instanceof OctetString))
    throw new UnreadableFileError('a signer cannot be read')
  return {
    ...readIdentity(identity),
    digest: toDigest(convertBlock('a digest', digest, AlgorithmIdentifier).algorithm),
    algorithm: convertBlock('an algorithm', algorithm, AlgorithmIdentifier),
    attributes,
    signature: new Uint8Array(signature.getValue()),
  }
}

/** Certificates as they are stored; those that cannot be read are no signer's. */
function readCertificates(what: string, set: Constructed | undefined): StateCertificate[] {
  const stored = childrenOf(set).flatMap(one => (one instanceof Sequence ? [one.valueBeforeDecodeView] : []))
  if (stored.length > maxCertificates) throw new UnreadableFileError(`${what} has too many certificates`)
  return stored.flatMap(one => readOrNull(() => readCertificate(one)) ?? [])
}

/** Throws `UnreadableFileError`. */
export function readSignedData(what: string, bytes: Uint8Array, limits: DerLimits = {}): SignedContent {
  const [type, wrapped] = childrenOf(parseBlocks(what, bytes, limits))
  const [data] = childrenOf(wrapped)
  if (!(type instanceof ObjectIdentifier) || type.getValue() !== signedDataType || !(data instanceof Sequence))
    throw new UnreadableFileError(`${what} is not signed data`)
  const [, , encapsulated, ...rest] = childrenOf(data)
  const [contentType, holder] = childrenOf(encapsulated)
  const [content] = childrenOf(holder)
  const signers = childrenOf(rest.at(-1)).flatMap(one => readOrNull(() => readSigner(one)) ?? [])
  if (!(contentType instanceof ObjectIdentifier) || !(content instanceof OctetString))
    throw new UnreadableFileError(`${what} has no content`)
  if (signers.length === 0 || signers.length > maxSigners)
    throw new UnreadableFileError(`${what} has no signer that can be read, or too many`)
  return {
    content_type: contentType.getValue(),
    content: Buffer.from(content.getValue()),
    certificates: readCertificates(
      what,
      rest.find(one => isTagged(one, 0)),
    ),
    signers,
  }
}

/** Whether a certificate may be the one that a signer names. It proves nothing: the signature does. */
export function isOfSigner({ serial, key_id }: ContentSigner, certificate: StateCertificate): boolean {
  return serial === null ? certificate.key_id === key_id : certificate.serial === serial
}

/** Those that a signer names, the one of the same issuer first, then the others that came with the content. */
export function listCandidates(
  signer: ContentSigner,
  { certificates }: SignedContent,
  imported: readonly StateCertificate[],
): readonly StateCertificate[] {
  const named = [...certificates, ...imported].filter(one => isOfSigner(signer, one))
  const isOfIssuer = ({ issuer }: StateCertificate): boolean =>
    signer.issuer !== null && isSameName(issuer, signer.issuer)
  return [...new Set([...named.filter(isOfIssuer), ...named, ...certificates])]
}

/** The one value of a signed attribute, in DER. */
function attributeOf({ attributes }: ContentSigner, oid: string): BaseBlock | null {
  for (const attribute of childrenOf(attributes)) {
    const [type, values] = childrenOf(attribute)
    if (!(type instanceof ObjectIdentifier) || type.getValue() !== oid) continue
    const [value] = childrenOf(values)
    return value instanceof BaseBlock ? value : null
  }
  return null
}

/** UTCTime and GeneralizedTime: the library makes some time of any other text, too. */
const writtenTime = /^\d{10,14}(?:\.\d+)?(?:Z|[+-]\d{4})?$/
/** Length of a time's tag and length. */
const headerBytes = 2

/**
 * Returns the time of signing that the signer states, in epoch milliseconds; null if it states none, or an unreadable
 * one.
 */
export function readSigningTime(signer: ContentSigner): number | null {
  const value = attributeOf(signer, attributeTypes.signingTime)
  if (value === null) return null
  const text = Buffer.from(value.valueBeforeDecodeView).subarray(headerBytes).toString('latin1')
  if (!writtenTime.test(text)) return null
  return readOrNull(() => toTime(parseDer('the time of signing', value.valueBeforeDecodeView, Time)))
}

/**
 * Whether signed attributes belong to this content (RFC 5652, 5.4 and 11.2). Any digest of the length will do, as some
 * states name another one than they used. Null if that cannot be judged.
 */
function areOfContent(signer: ContentSigner, { content, content_type }: SignedContent): boolean | null {
  const type = attributeOf(signer, attributeTypes.contentType)
  const digest = attributeOf(signer, attributeTypes.messageDigest)
  if (type instanceof ObjectIdentifier && type.getValue() !== content_type) return null
  if (!(digest instanceof OctetString)) return null
  const expected = Buffer.from(digest.getValue())
  const digests = listDigests(expected.length)
  if (digests.length === 0) return null
  return digests.some(name => createHash(name).update(content).digest().equals(expected))
}

/**
 * Lists the bytes that may have been signed: the DER of the attributes as a set, and the bytes as they are stored,
 * which OpenSSL signs.
 */
function listSignedBytes({ attributes }: ContentSigner, content: Buffer): readonly Uint8Array[] {
  if (attributes === null) return [content]
  const stored = Buffer.from(attributes.valueBeforeDecodeView)
  // The attributes are stored as [0], but signed as a SET.
  stored[0] = 0x31
  const der = toDer(stored)
  return der.equals(stored) ? [der] : [der, stored]
}

/**
 * Lists the named algorithm by the key's own type and the digest that is named beside it: some states contradict
 * themselves.
 */
function listSchemes({ algorithm, digest }: ContentSigner): readonly SignatureScheme[] {
  const named = toScheme(algorithm, digest)
  if (named === null) return []
  if (named.type === 'pss' || named.type === 'pss_unsaid') return [named]
  const digests = [...new Set([named.digest, digest ?? named.digest])]
  return digests.flatMap(one => (['rsa', 'ecdsa'] as const).map(type => ({ type, digest: one })))
}

/** Whether a certificate's key signed the content; null where we cannot judge it. */
export function isContentSignedBy(
  signed: SignedContent,
  signer: ContentSigner,
  { spki }: StateCertificate,
): boolean | null {
  const isOfContent = signer.attributes === null ? true : areOfContent(signer, signed)
  const schemes = listSchemes(signer)
  if (isOfContent === null || schemes.length === 0) return null
  if (!isOfContent) return false
  const { signature } = signer
  const results = listSignedBytes(signer, signed.content).flatMap(data =>
    schemes.map(scheme => verifySignature({ data, signature, scheme, spki })),
  )
  if (results.includes(true)) return true
  return results.includes(null) ? null : false
}
