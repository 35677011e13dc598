import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'
import { UnreadableFileError } from '../chip/unreadable_file_error.ts'
import {
  type DerObject,
  listDer,
  readOneDer,
  requireBoolean,
  requireDer,
  requireInteger,
} from '../encoding/strict_der.ts'

/** A certificate of a device's maker, read strictly: nothing of it is outside its signature but that signature. */
export interface DeviceCertificate {
  readonly der: Buffer
  /** Serial number in hex, without leading zeros, as Google's list has it. */
  readonly serial: string
  readonly subject: Buffer
  readonly issuer: Buffer
  /** Epoch milliseconds. */
  readonly not_before: number
  readonly not_after: number
  readonly is_authority: boolean
  readonly public_key: KeyObject
  /** SubjectPublicKeyInfo. */
  readonly spki: Buffer
  /** Extensions by their object identifiers in hex. */
  readonly extensions: ReadonlyMap<string, Buffer>
  /** Whether another one's key signed it, and it names that one as its issuer. */
  readonly isIssuedBy: (issuer: DeviceCertificate) => boolean
}

const maxBytes = 16 * 1024

/** SHA-1 and MD5 are not among them. */
const algorithms: Readonly<Record<string, 'ecdsa' | 'other'>> = {
  // ecdsa-with-SHA256, 384, 512
  '2a8648ce3d040302': 'ecdsa',
  '2a8648ce3d040303': 'ecdsa',
  '2a8648ce3d040304': 'ecdsa',
  // sha256, sha384, sha512WithRSAEncryption
  '2a864886f70d01010b': 'other',
  '2a864886f70d01010c': 'other',
  '2a864886f70d01010d': 'other',
  // ML-DSA-44, 65, 87 (FIPS 204)
  '608648016503040311': 'other',
  '608648016503040312': 'other',
  '608648016503040313': 'other',
}

function malformed(what: string): UnreadableFileError {
  return new UnreadableFileError(`a certificate ${what}`)
}

/** @returns the algorithm, without its parameters */
function readAlgorithm(object: DerObject | undefined): string {
  return requireDer(listDer(object, 'SEQUENCE')[0], 'OBJECT_IDENTIFIER').toString('hex')
}

function readBits(object: DerObject | undefined): Buffer {
  const bits = requireDer(object, 'BIT_STRING')
  if (bits[0] !== 0) throw malformed('has a signature or a key of odd bits')
  return bits.subarray(1)
}

function readExtensions(object: DerObject | undefined): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>()
  for (const one of listDer(object, 'SEQUENCE')) {
    const [id, ...rest] = listDer(one, 'SEQUENCE')
    const oid = requireDer(id, 'OBJECT_IDENTIFIER').toString('hex')
    if (rest.length === 2) requireBoolean(rest[0])
    if (rest.length > 2 || found.has(oid)) throw malformed('has an extension twice')
    found.set(oid, requireDer(rest.at(-1), 'OCTET_STRING'))
  }
  return found
}

interface Parts {
  readonly serial: string
  readonly issuer: Buffer
  readonly subject: Buffer
  readonly extensions: ReadonlyMap<string, Buffer>
}

/** The fields of a version 3 certificate in their order (RFC 5280, 4.1). */
function readSigned(signed: DerObject | undefined, algorithm: Buffer): Parts {
  const [version, serial, inner, issuer, , subject, , ...optional] = listDer(signed, 'SEQUENCE')
  if (version?.tag_class !== 2 || version.tag !== 0 || requireInteger(readOneDer(version.value)) !== 2n)
    throw malformed('is not of version 3')
  if (!requireDer(inner, 'SEQUENCE').equals(algorithm)) throw malformed('names two algorithms')
  const last = optional.at(-1)
  return {
    serial: requireInteger(serial).toString(16),
    issuer: requireDer(issuer, 'SEQUENCE'),
    subject: requireDer(subject, 'SEQUENCE'),
    extensions: last?.tag_class === 2 && last.tag === 3 ? readExtensions(readOneDer(last.value)) : new Map(),
  }
}

/** OpenSSL accepts lax encodings, and throws at keys that it does not know. */
function openCertificate(der: Buffer): { readonly x509: X509Certificate; readonly public_key: KeyObject } {
  try {
    const x509 = new X509Certificate(der)
    return { x509, public_key: x509.publicKey }
  } catch (cause) {
    throw new UnreadableFileError('a certificate cannot be read', { cause })
  }
}

function isStrong({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) >= 1024
}

/** @throws {UnreadableFileError} */
export function readDeviceCertificate(bytes: Uint8Array): DeviceCertificate {
  if (bytes.byteLength > maxBytes) throw malformed('is too large')
  const der = Buffer.from(bytes)
  const [signed, algorithm, signature, more] = listDer(readOneDer(der), 'SEQUENCE')
  if (more !== undefined) throw malformed('has too many parts')
  const kind = algorithms[readAlgorithm(algorithm)]
  if (kind === undefined) throw malformed('is signed by an algorithm that is not accepted')
  const signatureBytes = readBits(signature)
  if (kind === 'ecdsa') {
    const numbers = listDer(readOneDer(signatureBytes), 'SEQUENCE')
    if (numbers.length !== 2 || numbers.some(one => requireInteger(one) === 0n)) throw malformed('has no signature')
  }
  const parts = readSigned(signed, requireDer(algorithm, 'SEQUENCE'))
  const { x509, public_key } = openCertificate(der)
  if (!isStrong(public_key)) throw malformed('has a weak key')
  return {
    ...parts,
    der,
    not_before: x509.validFromDate.getTime(),
    not_after: x509.validToDate.getTime(),
    is_authority: x509.ca,
    public_key,
    spki: public_key.export({ format: 'der', type: 'spki' }),
    isIssuedBy: issuer => parts.issuer.equals(issuer.subject) && verifiesWith(x509, issuer.public_key),
  }
}

/** A key of another kind than the signature's is an error of OpenSSL's, and proves nothing. */
function verifiesWith(certificate: X509Certificate, key: KeyObject): boolean {
  try {
    return certificate.verify(key)
  } catch {
    return false
  }
}

/** Certificates in PEM. @throws {UnreadableFileError} */
export function readPem(text: string): readonly DeviceCertificate[] {
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return found.map(one => readDeviceCertificate(Buffer.from(one.replace(/-----[^-]+-----/g, ''), 'base64')))
}

/** The public key of an SPKI. @throws {UnreadableFileError} */
export function readPublicKey(spki: Uint8Array): KeyObject {
  try {
    return createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
  } catch (cause) {
    throw new UnreadableFileError('a public key cannot be read', { cause })
  }
}

/** Whether a key is on the curve P-256, which signed captures need. */
export function isP256({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1'
}
