import { createHash } from 'node:crypto'
import { bits, integer, nothing, octets, oid, sequence, setOf, text, time, tlv } from './der_writer.ts'
import {
  type Algorithm,
  type Digest,
  digestAlgorithm,
  generateKeys,
  type KeyPair,
  signatureAlgorithm,
  signWith,
} from './keys.ts'

/** A signer in a state: a root, or a signer of documents or lists. */
export interface Authority {
  readonly country: string
  readonly name: string
  /** Number of the key, which its name carries. */
  readonly number?: number
  readonly keys: KeyPair
  readonly certificate: Buffer
  readonly serial: number
  readonly not_before: number
  readonly not_after: number
}

export interface Validity {
  readonly not_before: number
  readonly not_after: number
}

/** The validity of invented states' certificates: fifteen years from 2020. */
const usualValidity: Validity = { not_before: Date.UTC(2020, 0, 1), not_after: Date.UTC(2035, 0, 1) }

function nameOf({ country, name, number }: Pick<Authority, 'country' | 'name' | 'number'>, isReversed = false): Buffer {
  const part = (id: string, value: Buffer): Buffer => setOf(sequence(oid(id), value))
  const parts = [
    part('2.5.4.6', text(0x13, country)),
    ...(number === undefined ? [] : [part('2.5.4.5', text(0x13, `${number}`))]),
    part('2.5.4.3', text(0x0c, name)),
  ]
  return sequence(...(isReversed ? parts.reverse() : parts))
}

function keyIdOf({ spki }: KeyPair): Buffer {
  return createHash('sha1').update(spki).digest()
}

/** Deviations of a certificate from the usual form. */
export interface CertificateOptions {
  /** Version 1 has no extensions. */
  readonly version?: 1 | 3
  /** Identifiers of keys: none, or of a key that is not there. */
  readonly key_ids?: 'NONE' | 'WRONG'
  /** False: no BasicConstraints. */
  readonly constraints?: boolean
  readonly country_written?: string
  /** Names of hosts, as a server's certificate has them. */
  readonly hosts?: readonly string[]
}

interface Extensions extends CertificateOptions {
  readonly is_authority: boolean
  readonly issuer_keys: KeyPair
  readonly purpose?: string
}

function extensionsOf(
  keys: KeyPair,
  { is_authority, issuer_keys, purpose, key_ids, constraints = true, hosts = [] }: Extensions,
): Buffer {
  const usage = is_authority ? bits(Buffer.from([0x06]), 1) : bits(Buffer.from([0x80]), 7)
  const authority = sequence(tlv(0x01, Buffer.from([0xff])), integer(0))
  return tlv(
    0xa3,
    sequence(
      ...(key_ids === 'NONE' ? [] : [extension('2.5.29.14', octets(keyIdOf(keys)))]),
      ...(key_ids === undefined ? [extension('2.5.29.35', sequence(tlv(0x80, keyIdOf(issuer_keys))))] : []),
      ...(key_ids === 'WRONG' ? [extension('2.5.29.35', sequence(tlv(0x80, Buffer.alloc(20, 7))))] : []),
      extension('2.5.29.15', usage),
      ...(is_authority && constraints ? [extension('2.5.29.19', authority)] : []),
      ...(purpose === undefined ? [] : [extension('2.5.29.37', sequence(oid(purpose)))]),
      ...(hosts.length === 0
        ? []
        : [extension('2.5.29.17', sequence(...hosts.map(host => tlv(0x82, Buffer.from(host)))))]),
    ),
  )
}

function issue(
  subject: Omit<Authority, 'certificate'>,
  issuer: Pick<Authority, 'country' | 'name' | 'number' | 'keys'>,
  extensions: Omit<Extensions, 'issuer_keys'>,
): Authority {
  const { version = 3, country_written } = extensions
  const written = (one: Pick<Authority, 'country' | 'name' | 'number'>): Buffer =>
    nameOf({ ...one, country: country_written ?? one.country })
  const tbs = sequence(
    ...(version === 3 ? [tlv(0xa0, integer(2))] : []),
    integer(subject.serial),
    signatureAlgorithm(issuer.keys.algorithm),
    written(issuer),
    sequence(time(subject.not_before), time(subject.not_after)),
    written(subject),
    subject.keys.spki,
    ...(version === 3 ? [extensionsOf(subject.keys, { ...extensions, issuer_keys: issuer.keys })] : []),
  )
  const signature = bits(signWith(issuer.keys, tbs))
  return { ...subject, certificate: sequence(tbs, signatureAlgorithm(issuer.keys.algorithm), signature) }
}

/** A country signing authority, which signs its own certificate. */
export function createRoot(
  country: string,
  algorithm: Algorithm,
  {
    name = `CSCA ${country}`,
    written = {},
    keys = generateKeys(algorithm),
    ...more
  }: Partial<Validity> & {
    readonly name?: string
    readonly keys?: KeyPair
    readonly number?: number
    readonly written?: CertificateOptions
  } = {},
): Authority {
  const root = { country, name, keys, serial: 1, ...usualValidity, ...more }
  return issue(root, root, { is_authority: true, ...written })
}

/** The certificate by which an old root vouches for a new one's key. */
export function issueLink(old: Authority, next: Authority, written: CertificateOptions = {}): Authority {
  return issue({ ...next, serial: 1000 }, old, { is_authority: true, ...written })
}

export function issueSigner(
  root: Authority,
  algorithm: Algorithm,
  {
    purpose,
    serial = 7,
    written = {},
    keys = generateKeys(algorithm),
    ...validity
  }: Partial<Validity> & {
    readonly keys?: KeyPair
    readonly purpose?: string
    readonly serial?: number
    readonly written?: CertificateOptions
  } = {},
): Authority {
  const { country } = root
  const signer = { country, name: `Signer ${serial} ${country}`, keys, serial, ...usualValidity }
  const extensions = { is_authority: false, ...written, ...(purpose === undefined ? {} : { purpose }) }
  return issue({ ...signer, ...validity }, root, extensions)
}

/** Deviations of a revocation list from the usual form. */
export interface ListOptions {
  /** RFC 5280, 5.3.1: a reason for every entry. */
  readonly reason?: number
  /** The issuer of the entries' certificates, if it is not the list's own (RFC 5280, 5.3.3). */
  readonly of?: Authority
  /** An object identifier of a critical extension of the list. */
  readonly critical?: string
  /** Version 1 has neither a version nor extensions. */
  readonly version?: 1 | 2
}

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  return sequence(oid(id), ...(isCritical ? [tlv(0x01, Buffer.from([0xff]))] : []), octets(value))
}

/**
 * Issues a revocation list with the serial numbers of some certificates of a root, or of certificates that `of` issued.
 */
export function issueRevocationList(
  root: Authority,
  serials: readonly number[],
  at: number,
  { reason, of, critical, version = 2 }: ListOptions = {},
): Buffer {
  const entryExtensions = [
    ...(reason === undefined ? [] : [extension('2.5.29.21', tlv(0x0a, Buffer.from([reason])))]),
    ...(of === undefined ? [] : [extension('2.5.29.29', sequence(tlv(0xa4, nameOf(of))), true)]),
  ]
  const entries = serials.map(serial =>
    sequence(integer(serial), time(at), ...(entryExtensions.length === 0 ? [] : [sequence(...entryExtensions)])),
  )
  const tbs = sequence(
    ...(version === 2 ? [integer(1)] : []),
    signatureAlgorithm(root.keys.algorithm),
    nameOf(root),
    time(at),
    time(at + 90 * 86_400_000),
    ...(entries.length === 0 ? [] : [sequence(...entries)]),
    ...(critical === undefined ? [] : [tlv(0xa0, sequence(extension(critical, nothing, true)))]),
  )
  return sequence(tbs, signatureAlgorithm(root.keys.algorithm), bits(signWith(root.keys, tbs)))
}

export interface SigningOptions {
  readonly digest: Digest
  /** Null: the signer does not say when. */
  readonly signed_at: number | null
  /** False: the list or document brings no certificate. */
  readonly with_certificate?: boolean
  /** Certificates beside the signer's. */
  readonly certificates?: readonly Buffer[]
  /** The algorithm of the key where the signature's belongs, as some states write. */
  readonly names_key_algorithm?: boolean
  /** The parts of the issuer's name in another order than its own, as Malaysia writes them. */
  readonly reverses_name?: boolean
  /** The signer's identification, if it is not the issuer and serial number of its certificate. */
  readonly identity?: 'KEY_ID' | 'PADDED_SERIAL' | 'OTHER_ISSUER' | 'OTHER_SERIAL'
  /** Reverses the order of the signed attributes: their DER is signed, unless `signs_stored`. */
  readonly reverses_attributes?: boolean
  readonly signs_stored?: boolean
  /** Attributes that are left out: all of them, or one. */
  readonly without?: 'ALL_ATTRIBUTES' | 'CONTENT_TYPE' | 'MESSAGE_DIGEST'
  /** The type of content in the attributes, where it is another one. */
  readonly attribute_type?: string
  /** The digest that is named beside the signature, where it is not the one that was used. */
  readonly named_digest?: Digest
  /** Digests without parameters instead of NULL (RFC 5754, 2). */
  readonly without_null?: boolean
  /** The AlgorithmIdentifier of the signature, where not as usual. */
  readonly signature_algorithm?: Buffer
  /** Changes the bytes of the signature. */
  readonly changes_signature?: (signature: Buffer) => Buffer
  /** The time of signing as it is written, where not as usual. */
  readonly written_time?: Buffer
  /** BER with indefinite lengths, and the content in two pieces. */
  readonly indefinite?: boolean
  /** Signatures beside this one, before it. */
  readonly other_signers?: readonly Buffer[]
}

const keyAlgorithms = { rsa: '1.2.840.113549.1.1.1', ecdsa: '1.2.840.10045.2.1', pss: '1.2.840.113549.1.1.10' }

/** An object of indefinite length (ITU-T X.690, 8.1.3.6). */
function indefinite(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat([Buffer.from([tag, 0x80]), ...parts, Buffer.from([0, 0])])
}

function identify(signer: Authority, issuer: Authority, { identity, reverses_name }: SigningOptions): Buffer {
  if (identity === 'KEY_ID') return tlv(0x80, keyIdOf(signer.keys))
  const name = identity === 'OTHER_ISSUER' ? nameOf({ ...issuer, name: 'Somebody' }) : nameOf(issuer, reverses_name)
  const serial = integer(signer.serial + (identity === 'OTHER_SERIAL' ? 1 : 0))
  return sequence(name, identity === 'PADDED_SERIAL' ? tlv(0x02, Buffer.from([0, 0]), serial.subarray(2)) : serial)
}

function attributesOf(type: string, content: Buffer, options: SigningOptions): Buffer[] {
  const { digest, signed_at, without, attribute_type = type } = options
  const attribute = (id: string, value: Buffer): Buffer => sequence(oid(id), setOf(value))
  return [
    ...(without === 'CONTENT_TYPE' ? [] : [attribute('1.2.840.113549.1.9.3', oid(attribute_type))]),
    ...(without === 'MESSAGE_DIGEST'
      ? []
      : [attribute('1.2.840.113549.1.9.4', octets(createHash(digest).update(content).digest()))]),
    ...(signed_at === null ? [] : [attribute('1.2.840.113549.1.9.5', options.written_time ?? time(signed_at))]),
  ]
}

/** One signature over some content (RFC 5652, 5.3). */
export function createSignerInfo(
  signer: Authority,
  issuer: Authority,
  { type, content }: { readonly type: string; readonly content: Buffer },
  options: SigningOptions,
): Buffer {
  const { digest, names_key_algorithm, reverses_attributes, signs_stored, without, without_null } = options
  const { algorithm } = signer.keys
  const attributes = attributesOf(type, content, options)
  const der = setOf(...attributes)
  const reversed = tlv(0x31, ...[...attributes].sort(Buffer.compare).reverse())
  const stored = Buffer.from(reverses_attributes === true ? reversed : der)
  const data = without === 'ALL_ATTRIBUTES' ? content : signs_stored === true ? stored : der
  const signature = signWith(signer.keys, data)
  const tagged = Buffer.from(options.indefinite === true ? indefinite(0xa0, ...attributes) : stored)
  tagged[0] = 0xa0
  const usual = names_key_algorithm
    ? sequence(oid(keyAlgorithms[algorithm.type]), nothing)
    : signatureAlgorithm(algorithm)
  return sequence(
    integer(1),
    identify(signer, issuer, options),
    digestAlgorithm(options.named_digest ?? digest, without_null),
    ...(without === 'ALL_ATTRIBUTES' ? [] : [tagged]),
    options.signature_algorithm ?? usual,
    octets(options.changes_signature?.(signature) ?? signature),
  )
}

/** CMS signed data with content (RFC 5652). */
export function signContent(
  signer: Authority,
  issuer: Authority,
  type: string,
  content: Buffer,
  options: SigningOptions,
): Buffer {
  const { digest, with_certificate = true, certificates = [], other_signers = [] } = options
  const isIndefinite = options.indefinite === true
  const wrap = (tag: number, ...parts: readonly Uint8Array[]): Buffer =>
    isIndefinite ? indefinite(tag, ...parts) : tlv(tag, ...parts)
  const pieces = [content.subarray(0, 40), content.subarray(40)].map(octets)
  const all = [...certificates, ...(with_certificate ? [signer.certificate] : [])]
  const signedData = wrap(
    0x30,
    integer(3),
    setOf(digestAlgorithm(digest, options.without_null)),
    wrap(0x30, oid(type), wrap(0xa0, isIndefinite ? indefinite(0x24, ...pieces) : octets(content))),
    ...(all.length > 0 ? [wrap(0xa0, ...all)] : []),
    wrap(0x31, ...other_signers, createSignerInfo(signer, issuer, { type, content }, options)),
  )
  return wrap(0x30, oid('1.2.840.113549.1.7.2'), wrap(0xa0, signedData))
}

/** A list of roots, signed by a signer of lists of one state. */
export function issueMasterList(
  { root, signer, signed_at }: { readonly root: Authority; readonly signer: Authority; readonly signed_at: number },
  certificates: readonly Buffer[],
): Buffer {
  const content = sequence(integer(0), setOf(...certificates))
  return signContent(signer, root, '2.23.136.1.1.2', content, { digest: 'sha256', signed_at })
}

/** A root, and a signer of documents that it issued. */
export interface State {
  readonly root: Authority
  readonly signer: Authority
}

/** The algorithm that many states use. */
export const usualAlgorithm: Algorithm = { type: 'ecdsa', digest: 'sha256', curve: 'brainpoolP256r1' }

export function createState(algorithm: Algorithm = usualAlgorithm): State {
  const root = createRoot('UT', algorithm)
  return { root, signer: issueSigner(root, algorithm) }
}
