import { deriveKey, sealJson, unsealJson } from '../base/seal.ts'
import { bytes, first, insert, number, optional, type Row, run, type Statement, text, type Unit } from './statement.ts'
import type { Store } from './store.ts'

/** A private and public key as JSON Web Keys (RFC 7517). */
export interface KeyPair {
  readonly kid: string
  readonly alg: string
  readonly private_jwk: Readonly<Record<string, unknown>>
  readonly public_jwk: Readonly<Record<string, unknown>>
}

/** A stored key and its time: it signs from `active_at` until `retired_at`. */
export interface StoredKey extends KeyPair {
  readonly active_at: number
  readonly retired_at: number | null
}

/** Which keys are meant, and how a new one is made. */
export interface KeyRing {
  readonly store: Store
  readonly master: Uint8Array
  /** `webhook` or `access_token`: no two uses share a key. */
  readonly purpose: 'webhook' | 'access_token'
  readonly algorithm: string
  generate(): Promise<KeyPair>
}

const place = (kid: string): string => `signing_keys/${kid}`

const selectKeys = (purpose: string, lock: string): Statement => ({
  sql: `SELECT * FROM signing_keys WHERE purpose = ? ORDER BY active_at DESC, id${lock}`,
  values: [purpose],
})

const storedKey = (wrapping: Uint8Array, row: Row): StoredKey => ({
  kid: text(row, 'id'),
  alg: text(row, 'algorithm'),
  public_jwk: JSON.parse(text(row, 'public_jwk')),
  private_jwk: unsealJson(wrapping, place(text(row, 'id')), bytes(row, 'private_jwk')),
  active_at: number(row, 'active_at'),
  retired_at: optional(row, 'retired_at', number),
})

/** Two nodes that start at once must not make two keys: the row `key_ring/…` is what they queue up at. */
function* lockRing({ store, purpose }: KeyRing): Unit<void> {
  const name = `key_ring/${purpose}`
  const found = yield* first({ sql: `SELECT name FROM facts WHERE name = ?${store.dialect.lock}`, values: [name] })
  if (found === null) yield* run(insert('facts', { name, value: '{}' }))
}

const wanted = (rows: readonly Row[], algorithm: string): boolean =>
  rows.some(row => text(row, 'algorithm') === algorithm && row.retired_at === null)

/**
 * The keys of a ring, the newest first; where none of the algorithm is in use, one is made, and those of another
 * algorithm retire.
 * @throws {SealBroken} with another master key than theirs
 */
export const openKeyRing = async (ring: KeyRing, now: number): Promise<readonly StoredKey[]> => {
  const { store, purpose, algorithm } = ring
  const wrapping = deriveKey(ring.master, 'signing_keys')
  const before = await store.read(selectKeys(purpose, ''))
  if (wanted(before, algorithm)) return before.map(row => storedKey(wrapping, row))
  const fresh = await ring.generate()
  const unit = function* (): Unit<readonly Row[]> {
    yield* lockRing(ring)
    const { rows } = yield* run(selectKeys(purpose, store.dialect.lock))
    if (wanted(rows, algorithm)) return rows
    const retire = 'UPDATE signing_keys SET retired_at = ? WHERE purpose = ? AND retired_at IS NULL'
    yield* run({ sql: retire, values: [now, purpose] })
    yield* run(
      insert('signing_keys', {
        id: fresh.kid,
        purpose,
        algorithm,
        public_jwk: JSON.stringify(fresh.public_jwk),
        private_jwk: sealJson(wrapping, place(fresh.kid), fresh.private_jwk),
        created_at: now,
        active_at: now,
        retired_at: null,
      }),
    )
    return (yield* run(selectKeys(purpose, ''))).rows
  }
  const commit = async (): Promise<readonly Row[]> => {
    try {
      return await store.commit(unit)
    } catch (error) {
      // Another node inserted the ring's row between our look and our insert: its key is there by now.
      if (store.dialect.isDuplicate(error)) return store.commit(unit)
      throw error
    }
  }
  return (await commit()).map(row => storedKey(wrapping, row))
}
