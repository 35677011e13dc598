import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { UnreadableFileError } from '../chip/unreadable_file_error.ts'
import { type CborItem, findMember, readCbor } from '../encoding/cbor.ts'
import { type CborValue, writeCbor } from '../encoding/cbor_writer.ts'
import { refuse } from './place.ts'
import { findAlgorithm, isSignedWith, readKey } from './signature_algorithms.ts'

/** COSE_Sign1 and COSE_Mac0 have the same four parts (RFC 9052, 4.2 and 6.2). */
export interface CoseObject {
  readonly place: string
  /** These bytes are signed. */
  readonly protected_header: Buffer
  readonly algorithm: number
  /** Certificates in DER, the signer's first; empty: none. */
  readonly certificates: readonly Buffer[]
  /** Null: detached. */
  readonly payload: Buffer | null
  readonly signature: Buffer
}

/** Reads CBOR that is inside of other CBOR; the error names the place first. */
export function readInner(place: string, bytes: Buffer, limits: Parameters<typeof readCbor>[1] = {}): CborItem {
  try {
    return readCbor(bytes, limits)
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error
    throw refuse(place, error.message, error)
  }
}

type Value<T extends CborItem['type']> = Extract<CborItem, { type: T }>['value']

/** The value of an item that must be there and of a type. @throws {UnreadableFileError} that names the place */
export function requireItem<T extends CborItem['type']>(place: string, item: CborItem | null, type: T): Value<T> {
  if (item === null) throw refuse(place, 'is missing')
  if (item.type !== type) throw refuse(place, `must be of type ${type}`)
  return item.value as Value<T>
}

/** The value of a map's member. @throws {UnreadableFileError} that names the place */
export function requireMember<T extends CborItem['type']>(
  place: string,
  map: CborItem,
  key: string | number,
  type: T,
): Value<T> {
  requireItem(place, map, 'map')
  return requireItem(`${place}.${key}`, findMember(map, key), type)
}

/** A map. @throws {UnreadableFileError} that names the place */
export function requireMap(place: string, item: CborItem): CborItem {
  requireItem(place, item, 'map')
  return item
}

/** A map's member, of any type. @throws {UnreadableFileError} that names the place */
export function requireThere(place: string, map: CborItem, key: string | number): CborItem {
  const found = findMember(requireMap(place, map), key)
  if (found === null) throw refuse(`${place}.${key}`, 'is missing')
  return found
}

/** The bytes that tag 24 embeds. */
export function requireEmbedded(place: string, item: CborItem | null): Buffer {
  if (item?.type !== 'tag' || item.tag !== 24) throw refuse(place, 'must be embedded CBOR (tag 24)')
  return requireItem(place, item.value, 'bytes')
}

const maxCertificates = 5

function readChain(place: string, item: CborItem | null): readonly Buffer[] {
  if (item === null) return []
  const list = item.type === 'array' ? item.value : [item]
  if (list.length === 0 || list.length > maxCertificates)
    throw refuse(place, `must be 1 to ${maxCertificates} certificates`)
  return list.map((one, at) => requireItem(`${place}[${at}]`, one, 'bytes'))
}

const algorithmLabel = 1
const criticalLabel = 2
const chainLabel = 33

/** Reads a COSE_Sign1 or a COSE_Mac0, with its tag or without. @throws {UnreadableFileError} */
export function readCose(place: string, item: CborItem, tag: 17 | 18): CoseObject {
  const inner = item.type === 'tag' && item.tag === tag ? item.value : item
  const parts = requireItem(place, inner, 'array')
  const [header, unprotected, payload, signature] = parts
  if (parts.length !== 4 || header === undefined || unprotected === undefined) throw refuse(place, 'must have 4 parts')
  const protected_header = requireItem(`${place}[0]`, header, 'bytes')
  const headers = readInner(`${place}[0]`, protected_header, { shortest: false })
  const algorithm = requireMember(`${place}[0]`, headers, algorithmLabel, 'integer')
  if (typeof algorithm !== 'number') throw refuse(`${place}[0].1`, 'must be a small number')
  // RFC 9052, 3.1: critical headers must be understood, and only these labels are.
  if (findMember(headers, criticalLabel) !== null)
    throw refuse(`${place}[0].2`, 'has a critical header that is not known')
  requireItem(`${place}[1]`, unprotected, 'map')
  const chain = findMember(headers, chainLabel) ?? findMember(unprotected, chainLabel)
  const isDetached = payload?.type === 'simple' && payload.value === null
  return {
    place,
    protected_header,
    algorithm,
    certificates: readChain(`${place}.x5chain`, chain),
    payload: isDetached ? null : requireItem(`${place}[2]`, payload ?? null, 'bytes'),
    signature: requireItem(`${place}[3]`, signature ?? null, 'bytes'),
  }
}

/** Whether a key signed a COSE_Sign1; null: an algorithm, or a key for it, that we do not accept. */
export function isCoseSigned(object: CoseObject, payload: Buffer, key: KeyObject): boolean | null {
  const algorithm = findAlgorithm(object.algorithm)
  if (algorithm === null) return null
  const data = writeCbor(['Signature1', object.protected_header, Buffer.alloc(0), payload])
  return isSignedWith(key, { algorithm, data, signature: object.signature })
}

/** HMAC 256/256 (RFC 9053, 3.1). */
const hmacSha256 = 5

/** Whether a COSE_Mac0 was made with a key; null: an algorithm that we do not accept. */
export function isCoseAuthenticated(object: CoseObject, payload: Buffer, key: Buffer): boolean | null {
  if (object.algorithm !== hmacSha256) return null
  const data = writeCbor(['MAC0', object.protected_header, Buffer.alloc(0), payload])
  const expected = createHmac('sha256', key).update(data).digest()
  return expected.length === object.signature.length && timingSafeEqual(expected, object.signature)
}

/** RFC 9053, 7.1. */
const curveNames: Readonly<Record<number, string>> = { 1: 'P-256', 2: 'P-384', 3: 'P-521' }
const curveLengths: Readonly<Record<number, number>> = { 1: 32, 2: 48, 3: 66 }

/** A COSE_Key with a point of a curve of NIST's; null: of another kind. @throws {UnreadableFileError} */
export function readCoseKey(place: string, item: CborItem | null): KeyObject | null {
  if (item === null) throw refuse(place, 'is missing')
  const type = requireMember(place, item, 1, 'integer')
  if (type !== 2) return null
  const curve = Number(requireMember(place, item, -1, 'integer'))
  const name = curveNames[curve]
  if (name === undefined) return null
  const [x, y] = [requireMember(place, item, -2, 'bytes'), requireMember(place, item, -3, 'bytes')]
  const length = curveLengths[curve]
  if (x.length !== length || y.length !== length) throw refuse(place, `must have coordinates of ${length} bytes`)
  const key = { kty: 'EC', crv: name, x: x.toString('base64url'), y: y.toString('base64url') }
  return readKey(place, { key, format: 'jwk' })
}

/** A point of P-256 as a COSE_Key. */
export function writeCoseKey({ x, y }: { readonly x: Buffer; readonly y: Buffer }): ReadonlyMap<number, CborValue> {
  return new Map<number, CborValue>([
    [1, 2],
    [-1, 1],
    [-2, x],
    [-3, y],
  ])
}
