import type { Store } from 'durable-xstate-sql'
import { type CommitRecord, isUnavailable, recordNothing } from 'durable-xstate-sql/sql'
import type { JWK } from 'jose'
import { ApiError } from '../../base/api_error.ts'
import { type Clock, isoTimestamp } from '../../base/clock.ts'
import type { ServiceKeys } from '../../base/encryption.ts'
import { generateSigningKey, openSigningKey, type SigningAlgorithm, type SigningKey } from './sign.ts'
import { addSuccessor, loadOrCreateKey, readKeys, type SigningKeyRow } from './signing_keys.ts'

/** A retired key stays published this long, so that its signatures can still be verified. */
const publishedAfterMs = 7 * 24 * 3600 * 1000
/** A key is published this long before it signs, so that every cached key set has it. */
export const publishedBeforeMs = 24 * 3600 * 1000
/** The interval at which a node looks for a new key. */
const refreshMs = 60_000
/** A key with a longer notice was created by a wrong clock. */
export const maxNoticeMs = 30 * 24 * 3600 * 1000
/** Long enough for every node to publish the key before any signs with it. */
const minNoticeMs = 2 * refreshMs

/** A node uses a new key at most a minute late. */
export interface WebhookKeys {
  active(): Promise<SigningKey>
  /** The active key first, then the next, then retired ones; public members only. */
  jwks(): Promise<{ readonly keys: readonly JWK[] }>
}

export interface WebhookKeyOptions {
  readonly store: Store
  readonly clock: Clock
  readonly serviceKeys: ServiceKeys
  readonly algorithm: SigningAlgorithm
}

type KeyState = 'active' | 'next' | 'retired' | 'withdrawn'

/** A withdrawn key is no longer published. */
export interface KeyWithState {
  readonly key: SigningKeyRow
  readonly state: KeyState
}

/**
 * The state of each key, in the given order (newest first). The newest key that is active by `now` signs. If the clock
 * was set back to before all of them, the oldest one signs, because every receiver has it.
 */
export function readKeyStates(keys: readonly SigningKeyRow[], now: number): readonly KeyWithState[] {
  // A key that retires before it is active was created by a wrong clock.
  const isUsable = ({ active_at, retired_at }: SigningKeyRow): boolean => retired_at === null || active_at < retired_at
  const signing = keys.find(key => key.active_at <= now && isUsable(key)) ?? keys.at(-1)
  const toState = ({ active_at, retired_at }: SigningKeyRow): KeyState => {
    if (active_at > now) return 'next'
    return (retired_at ?? now) + publishedAfterMs > now ? 'retired' : 'withdrawn'
  }
  return keys.map(key => ({ key, state: key === signing ? 'active' : toState(key) }))
}

const publishedStates: readonly KeyState[] = ['active', 'next', 'retired']

function readAlgorithm({ alg }: SigningKeyRow): SigningAlgorithm {
  if (alg !== 'RS256' && alg !== 'ES256' && alg !== 'EdDSA')
    throw new TypeError(`webhooks are never signed with ${alg}`)
  return alg
}

function isTooFarAhead({ active_at }: SigningKeyRow, now: number): boolean {
  return active_at > now + maxNoticeMs
}

function findNewest(keys: readonly SigningKeyRow[]): SigningKeyRow | undefined {
  return keys.find(({ retired_at }) => retired_at === null)
}

/** Adds a key that signs after `noticeMs`, or that long after the key that is already next. */
async function insertSuccessor(
  { store, clock, serviceKeys, algorithm }: WebhookKeyOptions,
  of: SigningKeyRow,
  noticeMs: number,
  record: CommitRecord<string> = recordNothing,
) {
  const key = await generateSigningKey(algorithm)
  const created_at = clock.now()
  const from = isTooFarAhead(of, created_at) ? created_at : Math.max(of.active_at, created_at)
  const active_at = from + Math.max(noticeMs, minNoticeMs)
  const added = await addSuccessor(store, serviceKeys, {
    of,
    key,
    created_at,
    active_at,
    record: () => record(key.kid),
  })
  return { added, kid: key.kid, alg: algorithm, active_at }
}

/**
 * Creates the next key, which signs after `noticeMs`; `record` gets its id in the same commit. No receiver misses it if that is longer than they cache the key set.
 * @throws {ApiError} `conflict` while there is a next key already, `unavailable`
 */
export async function rotateWebhookKeys(
  options: WebhookKeyOptions,
  noticeMs: number,
  record: CommitRecord<string> = recordNothing,
): Promise<{ readonly kid: string; readonly alg: string; readonly active_at: number }> {
  const { store, clock, serviceKeys } = options
  const newest = findNewest(await readKeys(store, serviceKeys, 'webhook'))
  if (newest === undefined)
    throw new ApiError('conflict', 'keys: none exists yet; the first start of a node creates it')
  const waits = `keys: ${newest.kid} is next already, and signs from ${isoTimestamp(newest.active_at)}`
  const now = clock.now()
  if (newest.active_at > now && !isTooFarAhead(newest, now)) throw new ApiError('conflict', waits)
  const { added, ...next } = await insertSuccessor(options, newest, noticeMs, record)
  if (!added) throw new ApiError('conflict', 'keys: another rotation has just begun')
  return next
}

/** Creates the first key of a new database, and the next one if the setting asks for another algorithm. */
async function ensureKeys(options: WebhookKeyOptions): Promise<SigningKeyRow[]> {
  const { store, clock, serviceKeys, algorithm } = options
  const generate = () => generateSigningKey(algorithm)
  const keys = await loadOrCreateKey(store, clock, serviceKeys, { purpose: 'webhook', algorithm, generate })
  const newest = findNewest(keys)
  if (newest === undefined || newest.alg === algorithm) return keys
  await insertSuccessor(options, newest, publishedBeforeMs)
  return readKeys(store, serviceKeys, 'webhook')
}

/** Creates the first key on a new database. @throws {DecryptionError} under another master key */
export async function openWebhookKeys(options: WebhookKeyOptions): Promise<WebhookKeys> {
  const { store, clock, serviceKeys } = options
  let keys = await ensureKeys(options)
  let readAt = clock.monotonic()
  let reading: Promise<void> | null = null
  const opened = new Map<string, SigningKey>()

  const read = async (): Promise<void> => {
    try {
      keys = await readKeys(store, serviceKeys, 'webhook')
      readAt = clock.monotonic()
    } catch (error) {
      // Keys are published hours ahead: while the database is unavailable, the known keys are still right.
      if (!isUnavailable(error)) throw error
    } finally {
      reading = null
    }
  }
  const current = async (): Promise<readonly SigningKeyRow[]> => {
    if (clock.monotonic() - readAt >= refreshMs) {
      reading ??= read()
      await reading
    }
    return keys
  }
  return {
    async active() {
      const row = readKeyStates(await current(), clock.now()).find(({ state }) => state === 'active')?.key
      if (row === undefined) throw new Error('there is no active webhook key')
      const { kid, private_jwk } = row
      const key = opened.get(kid) ?? openSigningKey({ kid, alg: readAlgorithm(row), private_jwk })
      opened.set(kid, key)
      return key
    },
    async jwks() {
      const all = readKeyStates(await current(), clock.now())
      const shown = publishedStates.flatMap(state => all.filter(one => one.state === state))
      return { keys: shown.map(({ key }) => key.public_jwk) }
    },
  }
}
