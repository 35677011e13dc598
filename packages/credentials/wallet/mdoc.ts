import { type CborItem, findMember } from '../encoding/cbor.ts'
import {
  type CoseObject,
  readCose,
  readInner,
  requireEmbedded,
  requireItem,
  requireMap,
  requireMember,
  requireThere,
} from './cose.ts'
import { refuse } from './place.ts'

/** An element that the issuer signed by its digest. */
export interface IssuerSignedItem {
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

/** An answer has a portrait at most, and some thirty elements. */
export const limits = { max_bytes: 1024 * 1024, max_items: 6000, shortest: false }
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
