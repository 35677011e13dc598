import { createHash, type KeyObject } from 'node:crypto'
import { type Jws, readJws } from './jws.ts'
import {
  isObject,
  type JsonObject,
  memberOf,
  readBase64url,
  readJson,
  refuse,
  requireObject,
  requireText,
} from './place.ts'
import { readKey } from './signature_algorithms.ts'
import type { NamedStatus } from './status_reference.ts'

/** A claim that the holder disclosed: the issuer has signed its digest. */
interface Disclosure {
  readonly digest: string
  /** Null: an element of an array. */
  readonly name: string | null
  readonly value: unknown
}

/** An SD-JWT VC with key binding (RFC 9901; draft-ietf-oauth-sd-jwt-vc). */
export interface SdJwt {
  readonly issuer: Jws
  readonly disclosures: readonly Disclosure[]
  readonly holder: Jws
  /** The digest of all before the key binding, which the holder must sign. */
  readonly sd_hash: string
}

const maxBytes = 1024 * 1024
const maxDisclosures = 300
const maxDepth = 16

const digestNames: Readonly<Record<string, string>> = { 'sha-256': 'sha256', 'sha-384': 'sha384', 'sha-512': 'sha512' }

function readDisclosure(place: string, text: string, digest: string): Disclosure {
  const parts = readJson(place, readBase64url(place, text))
  if (!Array.isArray(parts) || typeof parts[0] !== 'string' || (parts.length !== 2 && parts.length !== 3))
    throw refuse(place, 'must be an array of a salt, a name and a value')
  const [, name, value] = parts as readonly unknown[]
  const hashed = createHash(digest).update(text).digest('base64url')
  if (parts.length === 2) return { digest: hashed, name: null, value: name }
  if (typeof name !== 'string' || name === '_sd' || name === '...') throw refuse(place, 'must have a name that is free')
  return { digest: hashed, name, value }
}

function readDigestName(payload: JsonObject): string {
  const name = memberOf(payload, '_sd_alg') ?? 'sha-256'
  if (typeof name !== 'string' || !Object.hasOwn(digestNames, name))
    throw refuse('sd_jwt.payload._sd_alg', 'must be sha-256, sha-384 or sha-512')
  return digestNames[name] as string
}

/** Reads an SD-JWT with a key binding, and verifies nothing. @throws {UnreadableFileError} */
export function readSdJwt(text: string): SdJwt {
  if (text.length > maxBytes) throw refuse('sd_jwt', `must have at most ${maxBytes} bytes`)
  const end = text.lastIndexOf('~')
  if (end === -1 || end === text.length - 1) throw refuse('sd_jwt', 'must end with a key binding')
  const [token = '', ...encoded] = text.slice(0, end).split('~')
  if (encoded.length > maxDisclosures) throw refuse('sd_jwt', `must have at most ${maxDisclosures} disclosures`)
  const issuer = readJws('sd_jwt', token, 'dc+sd-jwt')
  const digest = readDigestName(issuer.payload)
  const disclosures = encoded.map((one, at) => readDisclosure(`disclosures[${at}]`, one, digest))
  return {
    issuer,
    disclosures,
    holder: readJws('kb_jwt', text.slice(end + 1), 'kb+jwt'),
    sd_hash: createHash(digest)
      .update(text.slice(0, end + 1))
      .digest('base64url'),
  }
}

/** Returns the holder's key, which the issuer signed; null: no key of a curve that we accept. */
export function readHolderKey({ payload }: Jws): KeyObject | null {
  const place = 'sd_jwt.payload.cnf'
  const jwk = requireObject(`${place}.jwk`, memberOf(requireObject(place, memberOf(payload, 'cnf')), 'jwk'))
  if (memberOf(jwk, 'kty') !== 'EC') return null
  const part = (name: string): string => requireText(`${place}.jwk.${name}`, memberOf(jwk, name))
  const key = { kty: 'EC', crv: part('crv'), x: part('x'), y: part('y') }
  return readKey(`${place}.jwk`, { key, format: 'jwk' })
}

/** @throws {UnreadableFileError} */
export function readStatusClaim({ payload }: Jws): NamedStatus {
  const status = memberOf(payload, 'status')
  if (status === undefined) return null
  const place = 'sd_jwt.payload.status.status_list'
  const list = memberOf(requireObject('sd_jwt.payload.status', status), 'status_list')
  if (list === undefined) return 'UNKNOWN'
  const index = memberOf(requireObject(place, list), 'idx')
  if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0)
    throw refuse(`${place}.idx`, 'must be a number from 0 on')
  return { uri: requireText(`${place}.uri`, memberOf(requireObject(place, list), 'uri')), index }
}

/** Claims that must not be disclosed one by one (draft-ietf-oauth-sd-jwt-vc, 3.2.2.2). */
const neverDisclosed: ReadonlySet<string> = new Set(['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'status'])

class Reveal {
  readonly #open: ReadonlyMap<string, Disclosure>
  readonly #used = new Set<string>()
  readonly #seen = new Set<string>()

  constructor(open: ReadonlyMap<string, Disclosure>) {
    this.#open = open
  }

  get used(): number {
    return this.#used.size
  }

  /** Null: nothing was disclosed for the digest. A digest may be there once (RFC 9901, 7.1). */
  #take(digest: unknown, isMember: boolean): Disclosure | null {
    if (typeof digest !== 'string') throw refuse('sd_jwt.payload', 'must have strings for digests')
    if (this.#seen.has(digest)) throw refuse('sd_jwt.payload', 'must have each digest once')
    this.#seen.add(digest)
    const found = this.#open.get(digest) ?? null
    if (found === null) return null
    if ((found.name !== null) !== isMember) throw refuse('disclosures', 'must be of the kind that their place asks for')
    this.#used.add(digest)
    return found
  }

  value(node: unknown, depth: number): unknown {
    if (depth > maxDepth) throw refuse('sd_jwt.payload', 'must not be nested so deeply')
    if (Array.isArray(node)) return node.flatMap(one => this.#element(one, depth))
    return isObject(node) ? this.object(node, depth) : node
  }

  #element(one: unknown, depth: number): readonly unknown[] {
    if (!isObject(one) || !Object.hasOwn(one, '...')) return [this.value(one, depth + 1)]
    if (Object.keys(one).length > 1) throw refuse('sd_jwt.payload', 'must have nothing beside a digest')
    const found = this.#take(one['...'], false)
    return found === null ? [] : [this.value(found.value, depth + 1)]
  }

  object(node: JsonObject, depth: number): JsonObject {
    const claims = new Map<string, unknown>()
    for (const [name, value] of Object.entries(node))
      if (name !== '_sd' && !(depth === 0 && name === '_sd_alg')) claims.set(name, this.value(value, depth + 1))
    const digests = memberOf(node, '_sd') ?? []
    if (!Array.isArray(digests)) throw refuse('sd_jwt.payload._sd', 'must be an array')
    for (const digest of digests) {
      const found = this.#take(digest, true)
      const name = found?.name ?? null
      if (found === null || name === null) continue
      if (claims.has(name) || (depth === 0 && neverDisclosed.has(name)))
        throw refuse('disclosures', 'must not repeat what is signed openly')
      claims.set(name, this.value(found.value, depth + 1))
    }
    // A null prototype: a claim may be called `__proto__`.
    return Object.assign(Object.create(null), Object.fromEntries(claims))
  }
}

export interface Revealed {
  readonly claims: JsonObject
  /** Number of disclosures whose digest the issuer did not sign, or that are there twice. */
  readonly unsigned: number
}

/** Returns the claims with the disclosed ones, each in the place of its signed digest (RFC 9901, 7.1). */
export function revealClaims({ issuer, disclosures }: Pick<SdJwt, 'issuer' | 'disclosures'>): Revealed {
  const reveal = new Reveal(new Map(disclosures.map(one => [one.digest, one])))
  const claims = reveal.object(issuer.payload, 0)
  return { claims, unsigned: disclosures.length - reveal.used }
}
