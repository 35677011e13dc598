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

/** Who signs in a state: a root, or a signer of documents or lists. */
export interface Authority {
  readonly country: string
  readonly name: string
  /** By which it counts its keys, in its name. */
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

/** Invented states have ten years of it, from 2020. */
export const usualValidity: Validity = { not_before: Date.UTC(2020, 0, 1), not_after: Date.UTC(2035, 0, 1) }

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

interface Extensions {
  readonly is_authority: boolean
  readonly issuer_keys: KeyPair
  readonly purpose?: string
}

function extensionsOf(keys: KeyPair, { is_authority, issuer_keys, purpose }: Extensions): Buffer {
  const usage = is_authority ? bits(Buffer.from([0x06]), 1) : bits(Buffer.from([0x80]), 7)
  const authority = sequence(tlv(0x01, Buffer.from([0xff])), integer(0))
  return tlv(
    0xa3,
    sequence(
      extension('2.5.29.14', octets(keyIdOf(keys))),
      extension('2.5.29.35', sequence(tlv(0x80, keyIdOf(issuer_keys)))),
      extension('2.5.29.15', usage),
      ...(is_authority ? [extension('2.5.29.19', authority)] : []),
      ...(purpose === undefined ? [] : [extension('2.5.29.37', sequence(oid(purpose)))]),
    ),
  )
}

function issue(
  subject: Omit<Authority, 'certificate'>,
  issuer: Pick<Authority, 'country' | 'name' | 'number' | 'keys'>,
  extensions: Omit<Extensions, 'issuer_keys'>,
): Authority {
  const tbs = sequence(
    tlv(0xa0, integer(2)),
    integer(subject.serial),
    signatureAlgorithm(issuer.keys.algorithm),
    nameOf(issuer),
    sequence(time(subject.not_before), time(subject.not_after)),
    nameOf(subject),
    subject.keys.spki,
    extensionsOf(subject.keys, { ...extensions, issuer_keys: issuer.keys }),
  )
  const signature = bits(signWith(issuer.keys, tbs))
  return { ...subject, certificate: sequence(tbs, signatureAlgorithm(issuer.keys.algorithm), signature) }
}

/** A country signing authority, which signs its own certificate. */
export function createRoot(
  country: string,
  algorithm: Algorithm,
  { name = `CSCA ${country}`, ...more }: Partial<Validity> & { readonly name?: string; readonly number?: number } = {},
): Authority {
  const root = { country, name, keys: generateKeys(algorithm), serial: 1, ...usualValidity, ...more }
  return issue(root, root, { is_authority: true })
}

/** The certificate by which an old root vouches for a new one's key. */
export function issueLink(old: Authority, next: Authority): Authority {
  return issue({ ...next, serial: 1000 }, old, { is_authority: true })
}

export function issueSigner(
  root: Authority,
  algorithm: Algorithm,
  {
    purpose,
    serial = 7,
    ...validity
  }: Partial<Validity> & { readonly purpose?: string; readonly serial?: number } = {},
): Authority {
  const { country } = root
  const signer = {
    country,
    name: `Signer ${serial} ${country}`,
    keys: generateKeys(algorithm),
    serial,
    ...usualValidity,
  }
  return issue({ ...signer, ...validity }, root, { is_authority: false, ...(purpose === undefined ? {} : { purpose }) })
}

/** How a revocation list is written, where not as usual. */
export interface ListOptions {
  /** RFC 5280, 5.3.1: a reason for every entry. */
  readonly reason?: number
  /** Whose certificates the entries are, where not the issuer's own (RFC 5280, 5.3.3). */
  readonly of?: Authority
  /** An object identifier of a critical extension of the list. */
  readonly critical?: string
  /** Version 1 has neither a version nor extensions. */
  readonly version?: 1 | 2
}

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  return sequence(oid(id), ...(isCritical ? [tlv(0x01, Buffer.from([0xff]))] : []), octets(value))
}

/** A revocation list with the serial numbers of some certificates of a root, or of what `of` issued. */
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
  /** The algorithm of the key where the signature's belongs, as some states write. */
  readonly names_key_algorithm?: boolean
  /** The parts of the issuer's name in another order than its own, as Malaysia writes them. */
  readonly reverses_name?: boolean
}

const keyAlgorithms = { rsa: '1.2.840.113549.1.1.1', ecdsa: '1.2.840.10045.2.1', pss: '1.2.840.113549.1.1.10' }

/** CMS signed data with content (RFC 5652). */
export function signContent(
  signer: Authority,
  issuer: Authority,
  type: string,
  content: Buffer,
  options: SigningOptions,
): Buffer {
  const { digest, signed_at, with_certificate = true, names_key_algorithm = false, reverses_name } = options
  const attribute = (id: string, value: Buffer): Buffer => sequence(oid(id), setOf(value))
  const attributes = [
    attribute('1.2.840.113549.1.9.3', oid(type)),
    attribute('1.2.840.113549.1.9.4', octets(createHash(digest).update(content).digest())),
    ...(signed_at === null ? [] : [attribute('1.2.840.113549.1.9.5', time(signed_at))]),
  ]
  const signedSet = setOf(...attributes)
  const stored = Buffer.from(signedSet)
  stored[0] = 0xa0
  const { algorithm } = signer.keys
  const signerInfo = sequence(
    integer(1),
    sequence(nameOf(issuer, reverses_name), integer(signer.serial)),
    digestAlgorithm(digest),
    stored,
    names_key_algorithm ? sequence(oid(keyAlgorithms[algorithm.type]), nothing) : signatureAlgorithm(algorithm),
    octets(signWith(signer.keys, signedSet)),
  )
  const signedData = sequence(
    integer(3),
    setOf(digestAlgorithm(digest)),
    sequence(oid(type), tlv(0xa0, octets(content))),
    ...(with_certificate ? [tlv(0xa0, signer.certificate)] : []),
    setOf(signerInfo),
  )
  return sequence(oid('1.2.840.113549.1.7.2'), tlv(0xa0, signedData))
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

/** What many states use. */
export const usualAlgorithm: Algorithm = { type: 'ecdsa', digest: 'sha256', curve: 'brainpoolP256r1' }

export function createState(algorithm: Algorithm = usualAlgorithm): State {
  const root = createRoot('UT', algorithm)
  return { root, signer: issueSigner(root, algorithm) }
}
