import { createHash, type KeyObject } from 'node:crypto'
import { type CborItem, findMember } from '../encoding/cbor.ts'
import {
  type CoseObject,
  readCose,
  readCoseKey,
  readInner,
  requireEmbedded,
  requireItem,
  requireMember,
} from './cose.ts'
import { refuse } from './place.ts'
import type { StatusReference } from './status_list.ts'

/** An element that the issuer signed by its digest. */
interface IssuerSignedItem {
  readonly namespace: string
  readonly identifier: string
  readonly digest_id: number | bigint
  readonly value: CborItem
  /** Embedded CBOR with its tag: the digest is of these. */
  readonly raw: Buffer
}

/** A document of a DeviceResponse (ISO/IEC 18013-5, 8.3.2.1.2.2). */
export interface MdocDocument {
  readonly doctype: string
  readonly items: readonly IssuerSignedItem[]
  readonly issuer_auth: CoseObject
  /** Embedded CBOR with its tag: the device signs these. */
  readonly device_namespaces: Buffer
  readonly device_auth: { readonly type: 'SIGNATURE' | 'MAC'; readonly object: CoseObject }
}

/** What the issuer signed (ISO/IEC 18013-5, 9.1.2.4). */
export interface MobileSecurityObject {
  readonly doctype: string
  readonly digest: string | null
  readonly digests: ReadonlyMap<string, ReadonlyMap<number | bigint, Buffer>>
  /** Null: of a curve that we do not accept. */
  readonly device_key: KeyObject | null
  /** Epoch milliseconds. */
  readonly signed_at: number
  readonly valid_from: number
  readonly valid_until: number
  readonly status: StatusReference | null
}

const limits = { max_bytes: 1024 * 1024, max_items: 6000, shortest: false }
const maxDocuments = 8
const maxElements = 200

/** CBOR items that may still be read of one answer's elements. */
interface Budget {
  items: number
}

function countItems(item: CborItem): number {
  if (item.type === 'tag') return 1 + countItems(item.value)
  if (item.type === 'array') return item.value.reduce((sum, one) => sum + countItems(one), 1)
  if (item.type !== 'map') return 1
  return item.value.reduce((sum, [key, one]) => sum + countItems(key) + countItems(one), 1)
}

function readItem(place: string, namespace: string, raw: CborItem, budget: Budget): IssuerSignedItem {
  const item = readInner(place, requireEmbedded(place, raw), { ...limits, max_items: budget.items })
  budget.items -= countItems(item)
  const value = findMember(requireMap(place, item), 'elementValue')
  if (value === null) throw refuse(`${place}.elementValue`, 'is missing')
  requireMember(place, item, 'random', 'bytes')
  return {
    namespace,
    identifier: requireMember(place, item, 'elementIdentifier', 'text'),
    digest_id: requireMember(place, item, 'digestID', 'integer'),
    value,
    raw: raw.raw,
  }
}

function requireMap(place: string, item: CborItem): CborItem {
  requireItem(place, item, 'map')
  return item
}

/** A member of another name could be one of these with a changed letter: what it disclosed would be missing, unseen. */
function requireOnly(place: string, item: CborItem, names: readonly string[]): CborItem {
  for (const [key] of requireItem(place, item, 'map'))
    if (!names.includes(requireItem(place, key, 'text')))
      throw refuse(place, `must have no members but ${names.join(', ')}`)
  return item
}

function readItems(place: string, namespaces: CborItem | null, budget: Budget): readonly IssuerSignedItem[] {
  // Nothing was disclosed.
  if (namespaces === null) return []
  const items = requireItem(place, namespaces, 'map').flatMap(([key, list]) => {
    const namespace = requireItem(place, key, 'text')
    const entries = requireItem(`${place}.${namespace}`, list, 'array')
    if (entries.length > maxElements) throw refuse(place, `must have at most ${maxElements} elements`)
    return entries.map((one, at) => readItem(`${place}.${namespace}[${at}]`, namespace, one, budget))
  })
  const names = new Set(items.map(({ namespace, identifier }) => JSON.stringify([namespace, identifier])))
  if (names.size < items.length) throw refuse(place, 'must have each element once')
  return items
}

function readDeviceAuth(place: string, item: CborItem): MdocDocument['device_auth'] {
  const [signature, mac] = [findMember(item, 'deviceSignature'), findMember(item, 'deviceMac')]
  if ((signature === null) === (mac === null)) throw refuse(place, 'must have a deviceSignature or a deviceMac')
  return signature === null
    ? { type: 'MAC', object: readCose(`${place}.deviceMac`, mac as CborItem, 17) }
    : { type: 'SIGNATURE', object: readCose(`${place}.deviceSignature`, signature, 18) }
}

function requireThere(place: string, map: CborItem, key: string): CborItem {
  const found = findMember(requireMap(place, map), key)
  if (found === null) throw refuse(`${place}.${key}`, 'is missing')
  return found
}

function readDocument(place: string, item: CborItem, budget: Budget): MdocDocument {
  const names = ['docType', 'issuerSigned', 'deviceSigned', 'errors']
  const [issuerPlace, devicePlace] = [`${place}.issuerSigned`, `${place}.deviceSigned`]
  const issuer = requireThere(place, requireOnly(place, item, names), 'issuerSigned')
  const device = requireThere(place, item, 'deviceSigned')
  requireOnly(issuerPlace, issuer, ['nameSpaces', 'issuerAuth'])
  requireOnly(devicePlace, device, ['nameSpaces', 'deviceAuth'])
  const namespaces = requireThere(devicePlace, device, 'nameSpaces')
  requireEmbedded(`${devicePlace}.nameSpaces`, namespaces)
  const auth = requireThere(devicePlace, device, 'deviceAuth')
  return {
    doctype: requireMember(place, item, 'docType', 'text'),
    items: readItems(`${issuerPlace}.nameSpaces`, findMember(issuer, 'nameSpaces'), budget),
    issuer_auth: readCose(`${issuerPlace}.issuerAuth`, requireThere(issuerPlace, issuer, 'issuerAuth'), 18),
    device_namespaces: namespaces.raw,
    device_auth: readDeviceAuth(`${devicePlace}.deviceAuth`, requireMap(`${devicePlace}.deviceAuth`, auth)),
  }
}

/** The documents of a DeviceResponse; empty: the wallet has none of them. @throws {UnreadableFileError} */
export function readDeviceResponse(bytes: Buffer): readonly MdocDocument[] {
  const response = readInner('DeviceResponse', bytes, limits)
  const version = requireMember('DeviceResponse', response, 'version', 'text')
  if (!/^1\.\d{1,3}$/.test(version)) throw refuse('DeviceResponse.version', 'must be 1.0 or a later 1.x')
  const status = requireMember('DeviceResponse', response, 'status', 'integer')
  if (status !== 0) throw refuse('DeviceResponse.status', 'must be 0 (OK)')
  const list = findMember(response, 'documents')
  const documents = list === null ? [] : requireItem('documents', list, 'array')
  if (documents.length > maxDocuments) throw refuse('documents', `must be at most ${maxDocuments}`)
  const budget = { items: limits.max_items }
  return documents.map((one, at) => readDocument(`documents[${at}]`, one, budget))
}

/** A time of tag 0 (RFC 3339), in epoch milliseconds. */
function readTime(place: string, item: CborItem, key: string): number {
  const found = requireThere(place, item, key)
  if (found.type !== 'tag' || found.tag !== 0) throw refuse(`${place}.${key}`, 'must be a time (tag 0)')
  const text = requireItem(`${place}.${key}`, found.value, 'text')
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  if (Number.isNaN(at)) throw refuse(`${place}.${key}`, 'must be a time of RFC 3339')
  return at
}

const digestNames: Readonly<Record<string, string>> = { 'SHA-256': 'sha256', 'SHA-384': 'sha384', 'SHA-512': 'sha512' }

function readDigests(place: string, item: CborItem): MobileSecurityObject['digests'] {
  const namespaces = requireItem(place, item, 'map').map(([key, digests]) => {
    const namespace = requireItem(place, key, 'text')
    const entries = requireItem(`${place}.${namespace}`, digests, 'map').map(
      ([id, digest]) =>
        [requireItem(place, id, 'integer'), requireItem(`${place}.${namespace}`, digest, 'bytes')] as const,
    )
    return [namespace, new Map(entries)] as const
  })
  return new Map(namespaces)
}

/** A reference to a status list (draft-ietf-oauth-status-list, 6.3); null: the issuer names none. */
function readStatus(place: string, item: CborItem | null): StatusReference | null {
  if (item === null) return null
  const list = findMember(requireMap(place, item), 'status_list')
  if (list === null) return null
  const index = requireMember(`${place}.status_list`, list, 'idx', 'integer')
  if (typeof index !== 'number' || index < 0) throw refuse(`${place}.status_list.idx`, 'must be a number from 0 on')
  return { uri: requireMember(`${place}.status_list`, list, 'uri', 'text'), index }
}

/** @throws {UnreadableFileError} */
export function readSecurityObject({ place, payload }: CoseObject): MobileSecurityObject {
  if (payload === null) throw refuse(place, 'must have a payload')
  const embedded = requireEmbedded(`${place}[2]`, readInner(`${place}[2]`, payload, limits))
  const mso = readInner('MSO', embedded, limits)
  const validity = requireThere('MSO', mso, 'validityInfo')
  const keyInfo = requireThere('MSO', mso, 'deviceKeyInfo')
  const digest = requireMember('MSO', mso, 'digestAlgorithm', 'text')
  requireMember('MSO', mso, 'version', 'text')
  return {
    doctype: requireMember('MSO', mso, 'docType', 'text'),
    digest: Object.hasOwn(digestNames, digest) ? (digestNames[digest] ?? null) : null,
    digests: readDigests('MSO.valueDigests', requireThere('MSO', mso, 'valueDigests')),
    device_key: readCoseKey(
      'MSO.deviceKeyInfo.deviceKey',
      findMember(requireMap('MSO.deviceKeyInfo', keyInfo), 'deviceKey'),
    ),
    signed_at: readTime('MSO.validityInfo', validity, 'signed'),
    valid_from: readTime('MSO.validityInfo', validity, 'validFrom'),
    valid_until: readTime('MSO.validityInfo', validity, 'validUntil'),
    status: readStatus('MSO.status', findMember(mso, 'status')),
  }
}

/** The elements that the issuer's digests do not match, or do not have. */
export function listChangedItems(
  { items }: MdocDocument,
  { digest, digests }: Pick<MobileSecurityObject, 'digest' | 'digests'>,
): readonly IssuerSignedItem[] {
  if (digest === null) return items
  return items.filter(({ namespace, digest_id, raw }) => {
    const expected = digests.get(namespace)?.get(digest_id)
    return expected === undefined || !createHash(digest).update(raw).digest().equals(expected)
  })
}
