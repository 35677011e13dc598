import { createHash, type KeyObject } from 'node:crypto'
import { type CborItem, findMember } from '../encoding/cbor.ts'
import {
  type CoseObject,
  readCoseKey,
  readInner,
  requireEmbedded,
  requireItem,
  requireMap,
  requireMember,
  requireThere,
} from './cose.ts'
import { type IssuerSignedItem, limits, type MdocDocument } from './mdoc.ts'
import { refuse } from './place.ts'
import type { NamedStatus } from './status_reference.ts'

/** The issuer signed this (ISO/IEC 18013-5, 9.1.2.4). */
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
  readonly status: NamedStatus
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

/** A reference to a status list (draft-ietf-oauth-status-list, 6.3), or to one of identifiers; null: the issuer names none. */
function readStatus(place: string, item: CborItem | null): NamedStatus {
  if (item === null) return null
  const [list, identifiers] = [findMember(requireMap(place, item), 'status_list'), findMember(item, 'identifier_list')]
  if (list !== null) {
    const index = requireMember(`${place}.status_list`, list, 'idx', 'integer')
    if (typeof index !== 'number' || index < 0) throw refuse(`${place}.status_list.idx`, 'must be a number from 0 on')
    return { uri: requireMember(`${place}.status_list`, list, 'uri', 'text'), index }
  }
  if (identifiers === null) return 'UNKNOWN'
  const identifier = requireMember(`${place}.identifier_list`, identifiers, 'id', 'bytes').toString('base64url')
  return { uri: requireMember(`${place}.identifier_list`, identifiers, 'uri', 'text'), identifier }
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
