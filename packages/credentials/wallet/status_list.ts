import { inflateSync } from 'node:zlib'
import type { StateCertificate } from '../chip/certificates.ts'
import { readOrNull } from '../chip/unreadable_file_error.ts'
import { type CborItem, findMember } from '../encoding/cbor.ts'
import { readStrictCertificate } from './certificate_profile.ts'
import { isCoseSigned, readCose, readInner, requireItem, requireMember, requireThere } from './cose.ts'
import type { WalletCredential } from './credential_kinds.ts'
import { isJwsSigned, readCertificateChain, readJws, readJwtTime } from './jws.ts'
import { memberOf, readBase64url, refuse, requireObject, requireText } from './place.ts'
import { readKey } from './signature_algorithms.ts'
import type { StatusReference } from './status_reference.ts'
import { findWalletChain, type WalletTrust } from './wallet_trust.ts'

/** Statuses of some bits each, or the identifiers of revoked credentials, in base64url. */
type StatusContent =
  | { readonly bits: 1 | 2 | 4 | 8; readonly list: Buffer }
  | { readonly identifiers: ReadonlySet<string> }

/** A token of draft-ietf-oauth-status-list, as it was fetched. */
interface StatusToken {
  readonly uri: string
  /** Epoch milliseconds. */
  readonly issued_at: number
  readonly expires_at: number | null
  /** The milliseconds for which it may be kept; null: it does not say. */
  readonly ttl: number | null
  readonly content: StatusContent
  readonly certificates: readonly Buffer[]
  readonly isSignedBy: (spki: Uint8Array) => boolean | null
}

const maxToken = 8 * 1024 * 1024
const maxList = 32 * 1024 * 1024

function toBits(place: string, bits: unknown): 1 | 2 | 4 | 8 {
  if (bits !== 1 && bits !== 2 && bits !== 4 && bits !== 8) throw refuse(place, 'must be 1, 2, 4 or 8')
  return bits
}

/** The list is ZLIB (RFC 1950), and at most so large when it is inflated. */
function inflate(place: string, bytes: Buffer): Buffer {
  try {
    return inflateSync(bytes, { maxOutputLength: maxList })
  } catch (cause) {
    // Node throws at bytes that are no ZLIB, or too many.
    throw refuse(place, 'must be a list in ZLIB', cause)
  }
}

function readJwt(text: string): StatusToken {
  const jws = readJws('status', text, 'statuslist+jwt')
  const { payload } = jws
  const list = requireObject('status.status_list', memberOf(payload, 'status_list'))
  const issued = readJwtTime('status', payload, 'iat')
  if (issued === null) throw refuse('status.iat', 'is missing')
  return {
    uri: requireText('status.sub', memberOf(payload, 'sub')),
    issued_at: issued,
    expires_at: readJwtTime('status', payload, 'exp'),
    ttl: readJwtTime('status', payload, 'ttl'),
    content: {
      bits: toBits('status.status_list.bits', memberOf(list, 'bits')),
      list: inflate('status.status_list.lst', readBase64url('status.status_list.lst', memberOf(list, 'lst'))),
    },
    certificates: readCertificateChain(jws),
    isSignedBy: spki => isJwsSigned(jws, readKey('status.header.x5c', spki)),
  }
}

/** RFC 8392, the draft, 6.3, and ISO/IEC 18013-5:2025, 12.3.6.4: labels of the claims of a CWT. */
const label = { sub: 2, exp: 4, iat: 6, ttl: 65534, list: 65533, identifiers: 65530, type: 16 } as const

function readSeconds(claims: CborItem, key: number): number | null {
  const item = findMember(claims, key)
  if (item === null) return null
  const value = requireItem(`status.${key}`, item, 'integer')
  if (typeof value !== 'number' || value < 0 || value > 1e12)
    throw refuse(`status.${key}`, 'must be a number of seconds')
  return value * 1000
}

/** Readers by the type that the token names. */
const contents: Readonly<Record<string, (claims: CborItem) => StatusContent>> = {
  'application/statuslist+cwt': claims => {
    const list = requireThere('status[2]', claims, label.list)
    return {
      bits: toBits('status[2].bits', requireMember('status[2].list', list, 'bits', 'integer')),
      list: inflate('status[2].lst', requireMember('status[2].list', list, 'lst', 'bytes')),
    }
  },
  'application/identifierlist+cwt': claims => {
    const list = requireThere('status[2]', claims, label.identifiers)
    const entries = requireMember('status[2].list', list, 'identifiers', 'map')
    const identifiers = entries.map(([key]) =>
      requireItem('status[2].list.identifiers', key, 'bytes').toString('base64url'),
    )
    return { identifiers: new Set(identifiers) }
  },
}

const cwtLimits = { max_bytes: maxToken, max_items: 500_000 }

function readCwt(bytes: Buffer): StatusToken {
  const cose = readCose('status', readInner('status', bytes, cwtLimits), 18)
  const type = requireMember('status[0]', readInner('status[0]', cose.protected_header), label.type, 'text')
  const readContent = Object.hasOwn(contents, type) ? contents[type] : undefined
  if (readContent === undefined) throw refuse(`status[0].${label.type}`, 'must be the type of a list')
  const { payload } = cose
  if (payload === null) throw refuse('status[2]', 'is missing')
  const claims = readInner('status[2]', payload, cwtLimits)
  const issued = readSeconds(claims, label.iat)
  if (issued === null) throw refuse('status[2]', 'must have a time')
  return {
    uri: requireMember('status[2]', claims, label.sub, 'text'),
    issued_at: issued,
    expires_at: readSeconds(claims, label.exp),
    ttl: readSeconds(claims, label.ttl),
    content: readContent(claims),
    certificates: cose.certificates,
    isSignedBy: spki => isCoseSigned(cose, payload, readKey('status.x5chain', spki)),
  }
}

/** Reads a token, of JSON or of CBOR. @throws {UnreadableFileError} */
function readToken(bytes: Buffer): StatusToken {
  if (bytes.length > maxToken) throw refuse('status', `must have at most ${maxToken} bytes`)
  // A JWT begins with the base64url of `{`.
  return bytes.subarray(0, 2).toString('latin1') === 'ey' ? readJwt(bytes.toString('latin1').trim()) : readCwt(bytes)
}

/** The parties that may publish a credential's status: its own issuers, or signers of lists. */
interface Issuer {
  readonly anchor: StateCertificate
  readonly credential: WalletCredential
}

/** Null: the token is for another address, is out of time, or no permitted signer has signed it. */
function readTrusted(
  bytes: Buffer,
  uri: string,
  { anchor, credential }: Issuer,
  trust: WalletTrust,
  now: number,
): StatusToken | null {
  const token = readToken(bytes)
  if (token.uri !== uri || (token.expires_at !== null && token.expires_at <= now)) return null
  const certificates = token.certificates.map(der => readStrictCertificate('status.certificate', der))
  const [signer] = certificates
  if (signer === undefined || token.isSignedBy(signer.spki) !== true) return null
  // Another country's issuer must not give a revoked credential back.
  const anchors = trust.anchors.filter(
    one => one.may_sign.includes('STATUS') || one.certificate.fingerprint === anchor.fingerprint,
  )
  const purposes = { anchored: ['STATUS', credential], profile: 'STATUS' } as const
  const times = { now, signed_at: Math.min(token.issued_at, now) }
  const chain = findWalletChain(certificates, purposes, { ...trust, anchors }, times)
  return chain.status === 'PASSED' && chain.revocation === 'PASSED' ? token : null
}

const meanings: Readonly<Record<number, Status>> = { 0: 'VALID', 1: 'REVOKED', 2: 'SUSPENDED' }

type Status = 'VALID' | 'REVOKED' | 'SUSPENDED'

/** Entries of one byte begin with its lowest bits (the draft, 4.1). Null: the list ends before, or is one of another kind. */
function readEntry(content: StatusContent, reference: StatusReference): Status | null {
  if ('identifiers' in content || 'identifier' in reference) {
    if (!('identifiers' in content && 'identifier' in reference)) return null
    return content.identifiers.has(reference.identifier) ? 'REVOKED' : 'VALID'
  }
  const { bits, list } = content
  const perByte = 8 / bits
  const byte = list[Math.floor(reference.index / perByte)]
  if (byte === undefined) return null
  return meanings[(byte >> ((reference.index % perByte) * bits)) & (2 ** bits - 1)] ?? null
}

/** Returns a credential's status; null if it can't be known, or the standard does not name its value. */
export function judgeStatus(
  reference: StatusReference,
  issuer: Issuer,
  trust: WalletTrust,
  now: number,
): Status | null {
  const { uri } = reference
  const bytes = trust.status_lists.get(uri) ?? null
  const token = bytes === null ? null : readOrNull(() => readTrusted(bytes, uri, issuer, trust, now))
  return token === null ? null : readEntry(token.content, reference)
}

/**
 * Returns the time until which a fetched token may be kept, in epoch milliseconds; null if it is none for this address,
 * or has expired.
 */
export function readStatusExpiry(bytes: Buffer, uri: string, now: number): number | null {
  const token = readOrNull(() => readToken(bytes))
  if (token === null || token.uri !== uri) return null
  const ends = [token.expires_at, token.ttl === null ? null : now + token.ttl].filter(one => one !== null)
  const until = ends.length === 0 ? now : Math.min(...ends)
  return until < now ? null : until
}
