import type { JWK } from 'jose'
import { ApiError } from '../base/api_error.ts'
import { type Clock, isoTimestamp } from '../base/clock.ts'
import type { Store } from '../durable/store/store.ts'
import { generateSigningKey, openSigningKey, type SigningAlgorithm, type SigningKey } from '../webhooks/sign.ts'
import { addSuccessor, loadOrCreateKey, readKeys, type SigningKeyRow } from './signing_keys.ts'

/** decisions.md, "Webhooks": a retired key stays published this long, so that what it signed can still be verified. */
const published_after_ms = 7 * 24 * 3600 * 1000
/** decisions.md, "Webhooks": a key is published this long before it signs, so that no cache of the key set lacks it. */
export const published_before_ms = 24 * 3600 * 1000
/** Nodes look so often whether there is a new key. */
const refresh_ms = 60_000
/** The longest notice of a rotation. A key that is next for longer was made by a clock that was wrong. */
export const longest_notice_ms = 30 * 24 * 3600 * 1000
/** The shortest notice of a rotation: every node publishes the key before any signs with it. */
const shortest_notice_ms = 2 * refresh_ms

/** The keys that sign webhooks. A node hears of a rotation within a minute. */
export interface WebhookKeys {
  /** The key that signs now. */
  active(): Promise<SigningKey>
  /** spec, "Public keys": the active key first, the next, then retired ones; public members only. */
  jwks(): Promise<{ readonly keys: readonly JWK[] }>
}

/** What the keys are opened with. */
export interface WebhookKeyOptions {
  readonly store: Store
  readonly clock: Clock
  readonly master: Uint8Array
  readonly algorithm: SigningAlgorithm
}

/** Where a key is in its life. */
export type KeyState = 'active' | 'next' | 'retired' | 'withdrawn'

/** A key and where it is in its life; a withdrawn one is published no more. */
export interface KeyInLife {
  readonly key: SigningKeyRow
  readonly state: KeyState
}

/**
 * The keys at `now`, as they are given: the newest first. The newest whose time has come signs. Where a clock was put back
 * to before them all, the oldest does: something must, and whoever can verify at all has that one.
 */
export const keysInLife = (keys: readonly SigningKeyRow[], now: number): readonly KeyInLife[] => {
  // One that was followed before it signed was made by a clock that was wrong.
  const isOurs = ({ active_at, retired_at }: SigningKeyRow): boolean => retired_at === null || active_at < retired_at
  const signing = keys.find(key => key.active_at <= now && isOurs(key)) ?? keys.at(-1)
  const stateOf = ({ active_at, retired_at }: SigningKeyRow): KeyState => {
    if (active_at > now) return 'next'
    return (retired_at ?? now) + published_after_ms > now ? 'retired' : 'withdrawn'
  }
  return keys.map(key => ({ key, state: key === signing ? 'active' : stateOf(key) }))
}

const published: readonly KeyState[] = ['active', 'next', 'retired']

const algorithmOf = ({ alg }: SigningKeyRow): SigningAlgorithm => {
  if (alg !== 'RS256' && alg !== 'ES256' && alg !== 'EdDSA') throw new TypeError(`no webhook is signed with ${alg}`)
  return alg
}

const isMistaken = ({ active_at }: SigningKeyRow, now: number): boolean => active_at > now + longest_notice_ms

/** The key that no other follows yet. */
const lastOf = (keys: readonly SigningKeyRow[]): SigningKeyRow | undefined =>
  keys.find(({ retired_at }) => retired_at === null)

/** Adds the key that signs once `notice_ms` have gone by, or that long after the key that is next already. */
const succeed = async (
  { store, clock, master, algorithm }: WebhookKeyOptions,
  of: SigningKeyRow,
  notice_ms: number,
) => {
  const key = await generateSigningKey(algorithm)
  const created_at = clock.now()
  const from = isMistaken(of, created_at) ? created_at : Math.max(of.active_at, created_at)
  const active_at = from + Math.max(notice_ms, shortest_notice_ms)
  const added = await addSuccessor(store, master, { of, key, created_at, active_at })
  return { added, kid: key.kid, alg: algorithm, active_at }
}

/**
 * Makes the next key, which signs after `notice_ms`: no gap, if that is longer than receivers cache the key set.
 * @throws {ApiError} `conflict` while a next key waits already, `unavailable`
 */
export const rotateWebhookKeys = async (
  options: WebhookKeyOptions,
  notice_ms: number,
): Promise<{ readonly kid: string; readonly alg: string; readonly active_at: number }> => {
  const { store, clock, master } = options
  const newest = lastOf(await readKeys(store, master, 'webhook'))
  if (newest === undefined)
    throw new ApiError('conflict', 'keys: there is none yet; the first start of a node makes it')
  const waits = `keys: ${newest.kid} is next already, and signs from ${isoTimestamp(newest.active_at)}`
  const now = clock.now()
  if (newest.active_at > now && !isMistaken(newest, now)) throw new ApiError('conflict', waits)
  const { added, ...next } = await succeed(options, newest, notice_ms)
  if (!added) throw new ApiError('conflict', 'keys: another rotation has just begun')
  return next
}

/** The first key of a new database; and the next one, where the setting asks for another algorithm. */
const ensureKeys = async (options: WebhookKeyOptions): Promise<SigningKeyRow[]> => {
  const { store, clock, master, algorithm } = options
  const generate = () => generateSigningKey(algorithm)
  const keys = await loadOrCreateKey(store, clock, master, { purpose: 'webhook', algorithm, generate })
  const newest = lastOf(keys)
  if (newest === undefined || newest.alg === algorithm) return keys
  await succeed(options, newest, published_before_ms)
  return readKeys(store, master, 'webhook')
}

/** Opens the keys; on a new database it makes the first. @throws {DecryptionError} under another master key */
export const openWebhookKeys = async (options: WebhookKeyOptions): Promise<WebhookKeys> => {
  const { store, clock, master } = options
  let keys = await ensureKeys(options)
  let read_at = clock.monotonic()
  let reading: Promise<void> | null = null
  const opened = new Map<string, SigningKey>()

  const read = async (): Promise<void> => {
    try {
      keys = await readKeys(store, master, 'webhook')
      read_at = clock.monotonic()
    } catch (error) {
      // Keys are published hours ahead: while the database is away, those that are known still hold.
      if (!(error instanceof ApiError && error.code === 'unavailable')) throw error
    } finally {
      reading = null
    }
  }
  const current = async (): Promise<readonly SigningKeyRow[]> => {
    if (clock.monotonic() - read_at >= refresh_ms) {
      reading ??= read()
      await reading
    }
    return keys
  }
  return {
    async active() {
      const row = keysInLife(await current(), clock.now()).find(({ state }) => state === 'active')?.key
      if (row === undefined) throw new Error('no key signs webhooks')
      const { kid, private_jwk } = row
      const key = opened.get(kid) ?? openSigningKey({ kid, alg: algorithmOf(row), private_jwk })
      opened.set(kid, key)
      return key
    },
    async jwks() {
      const all = keysInLife(await current(), clock.now())
      const shown = published.flatMap(state => all.filter(one => one.state === state))
      return { keys: shown.map(({ key }) => key.public_jwk) }
    },
  }
}
