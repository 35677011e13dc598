import { createHash } from 'node:crypto'
import { toCountry } from '@attestor/rules'
import {
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  type Extension,
  KeyUsage,
  KeyUsageFlags,
  type Name,
  SubjectKeyIdentifier,
  type Time,
} from '@peculiar/asn1-x509'
import { Constructed } from 'asn1js'
import { convertBlock, parseBlocks, parseDer } from './der.ts'
import { type SignatureScheme, toScheme, verifySignature } from './signatures.ts'
import { UnreadableFileError } from './unreadable_file_error.ts'

/** A certificate of a state's: a root (CSCA), a link between two roots, or a signer of documents or lists. */
export interface StateCertificate {
  readonly der: Buffer
  /** SHA-256 of it, in hex. */
  readonly fingerprint: string
  readonly subject: string
  readonly issuer: string
  /** Serial number in hex, without leading zeros. */
  readonly serial: string
  /** Two letters in capitals, of the subject, else of the issuer; empty where neither names one. */
  readonly country: string
  /** Epoch milliseconds. */
  readonly not_before: number
  readonly not_after: number
  /** Whether its extensions let it sign certificates; null where they do not say, as none of version 1 does. */
  readonly is_authority: boolean | null
  readonly key_id: string | null
  readonly authority_key_id: string | null
  /** Purposes that it is limited to, as object identifiers; empty: not limited. */
  readonly purposes: readonly string[]
  /** SubjectPublicKeyInfo. */
  readonly spki: Uint8Array
  readonly signed: Uint8Array
  readonly signature: Uint8Array
  /** Null: an algorithm that we do not accept. */
  readonly scheme: SignatureScheme | null
}

const shortNames: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.5': 'serialNumber',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
}

function attributesOf(name: Name): [string, string][] {
  return name.flatMap(set => set.map((one): [string, string] => [one.type, one.value.toString().trim()]))
}

export function describeName(name: Name): string {
  return attributesOf(name)
    .map(([type, value]) => `${shortNames[type] ?? type}=${value}`)
    .join(', ')
}

function normalise(name: string): string {
  return name.toLowerCase().replace(/\s+/g, ' ').split(', ').sort().join()
}

/**
 * Whether names are equal, regardless of their strings' types, capitals and order: states write them differently in
 * root, signer and EF.SOD.
 */
export function isSameName(one: string, other: string): boolean {
  return normalise(one) === normalise(other)
}

export function toHex(bytes: ArrayBuffer | Uint8Array): string {
  return Buffer.from(bytes as Uint8Array).toString('hex')
}

/** Hex of a serial number, without the leading zeros that some states leave out, and others add. */
export function describeSerial(bytes: ArrayBuffer | Uint8Array): string {
  return toHex(bytes).replace(/^(?:00)+(?=..)/, '')
}

/** The two letters of the country that a name has, in capitals, also where it has three or small ones; empty without one. */
export function countryOf(name: Name): string {
  const code = (attributesOf(name).find(([type]) => type === '2.5.4.6')?.[1] ?? '').toUpperCase()
  return code.length === 2 ? code : (toCountry(code) ?? '')
}

/** A time of a certificate or a list, in epoch milliseconds. */
export function toTime(time: Time): number {
  const at = time.getTime().getTime()
  if (Number.isNaN(at)) throw new UnreadableFileError('a time cannot be read')
  return at
}

/** The value of an extension as its type; null where the certificate has none. */
export function readExtension<T>(extensions: readonly Extension[], oid: string, type: new () => T): T | null {
  const found = extensions.find(extension => extension.extnID === oid)
  return found === undefined ? null : parseDer('an extension', found.extnValue.buffer, type)
}

/** The identifier of the key that signed a certificate or a list, in hex; null where it names none. */
export function readKeyId(extensions: readonly Extension[]): string | null {
  const authority = readExtension(extensions, '2.5.29.35', AuthorityKeyIdentifier)
  return authority?.keyIdentifier === undefined ? null : toHex(authority.keyIdentifier.buffer)
}

/** Whether extensions let a certificate sign others. Some states' first roots have one of the two, or none. */
function maySignCertificates(extensions: readonly Extension[]): boolean | null {
  const usage = readExtension(extensions, '2.5.29.15', KeyUsage)
  const constraints = readExtension(extensions, '2.5.29.19', BasicConstraints)
  const isOfCertificates = usage === null ? null : (usage.toNumber() & KeyUsageFlags.keyCertSign) !== 0
  if (isOfCertificates === false || constraints?.cA === false) return false
  return constraints === null ? isOfCertificates : true
}

/** Returns the public key as it is stored: the library would encode it again, and throws if its encoding differs. */
function findPublicKey(tbs: unknown): Uint8Array {
  const parts = tbs instanceof Constructed ? tbs.valueBlock.value : []
  const hasVersion = parts[0]?.idBlock.tagClass === 3
  const key = parts[hasVersion ? 6 : 5]
  if (key === undefined) throw new UnreadableFileError('a certificate has no key')
  return key.valueBeforeDecodeView
}

/** Throws `UnreadableFileError`. */
export function readCertificate(bytes: Uint8Array): StateCertificate {
  const der = Buffer.from(bytes)
  const blocks = parseBlocks('a certificate', der, { max_bytes: 16 * 1024 })
  const certificate = convertBlock('a certificate', blocks, Certificate)
  const { tbsCertificate: tbs, tbsCertificateRaw, signatureAlgorithm, signatureValue } = certificate
  if (tbsCertificateRaw === undefined) throw new UnreadableFileError('a certificate cannot be read')
  const extensions = tbs.extensions ?? []
  const keyId = readExtension(extensions, '2.5.29.14', SubjectKeyIdentifier)
  return {
    der,
    fingerprint: createHash('sha256').update(der).digest('hex'),
    subject: describeName(tbs.subject),
    issuer: describeName(tbs.issuer),
    serial: describeSerial(tbs.serialNumber),
    country: countryOf(tbs.subject) || countryOf(tbs.issuer),
    not_before: toTime(tbs.validity.notBefore),
    not_after: toTime(tbs.validity.notAfter),
    is_authority: maySignCertificates(extensions),
    key_id: keyId === null ? null : toHex(keyId.buffer),
    authority_key_id: readKeyId(extensions),
    purposes: readExtension(extensions, '2.5.29.37', ExtendedKeyUsage) ?? [],
    spki: findPublicKey(blocks instanceof Constructed ? blocks.valueBlock.value[0] : null),
    signed: new Uint8Array(tbsCertificateRaw),
    signature: new Uint8Array(signatureValue),
    scheme: toScheme(signatureAlgorithm),
  }
}

/** Whether one certificate's key signed another; null where we do not accept the algorithm or the key. */
export function isSignedBy(
  { signed, signature, scheme }: Pick<StateCertificate, 'signed' | 'signature' | 'scheme'>,
  { spki }: StateCertificate,
): boolean | null {
  return scheme === null ? null : verifySignature({ data: signed, signature, scheme, spki })
}

/** Whether its own key signed it. Names prove nothing: those of a root and of its links are often alike. */
export function isSelfSigned(certificate: StateCertificate): boolean {
  return isSignedBy(certificate, certificate) === true
}

/** Whether a certificate names another one, or its key, as its issuer: it is tried first, and proves nothing. */
export function namesAsIssuer(
  { issuer, authority_key_id }: Pick<StateCertificate, 'issuer' | 'authority_key_id'>,
  { subject, key_id }: StateCertificate,
): boolean {
  return (key_id !== null && authority_key_id === key_id) || isSameName(issuer, subject)
}
