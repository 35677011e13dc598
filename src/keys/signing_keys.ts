import type { Clock } from '../base/clock.ts'
import { decryptJson, deriveKey, encryptJson } from '../base/encryption.ts'
import { tables } from '../database/tables.ts'
import type { TableRow } from '../durable/store/columns.ts'
import { insert, run, runAll, type Unit } from '../durable/store/statement.ts'
import { readAll, type Store } from '../durable/store/store.ts'

/** A JSON Web Key (RFC 7517): what `jose` exports and takes. */
export type Jwk = Readonly<Record<string, unknown>>

/** A key pair as a generator makes it. */
export interface NewSigningKey {
  readonly kid: string
  readonly alg: string
  readonly public_jwk: Jwk
  readonly private_jwk: Jwk
}

/** A key pair as it is kept. Instants are milliseconds since the epoch. */
export interface SigningKeyRow extends NewSigningKey {
  readonly purpose: string
  readonly created_at: number
  readonly active_at: number
  /** When the next key takes over, known as soon as there is one; null until then. */
  readonly retired_at: number | null
}

/** What the key is for, and how a first one is made. */
export interface KeyPurpose {
  readonly purpose: 'webhook' | 'evidence'
  readonly algorithm: string
  readonly generate: () => Promise<NewSigningKey>
}

const place = (kid: string): string => `signing_keys/${kid}/private_jwk`

const opened = (key: Buffer, row: TableRow<'signing_keys'>): SigningKeyRow => {
  const kid = row.id
  return {
    kid,
    alg: row.algorithm,
    purpose: row.purpose,
    public_jwk: JSON.parse(row.public_jwk) as Jwk,
    private_jwk: decryptJson<Jwk>(key, place(kid), row.private_jwk),
    created_at: row.created_at,
    active_at: row.active_at,
    retired_at: row.retired_at,
  }
}

/**
 * The keys of a purpose, newest first. @throws {DecryptionError} under another master key
 */
export const readKeys = async (store: Store, master: Uint8Array, purpose: string): Promise<SigningKeyRow[]> => {
  const key = deriveKey(master, 'signing_keys')
  const sql = 'SELECT * FROM signing_keys WHERE purpose = ? ORDER BY active_at DESC, id'
  const { columns } = tables.signing_keys
  return (await readAll(store, { sql, values: [purpose], columns })).map(row => opened(key, row))
}

const row = (master: Uint8Array, purpose: string, key: NewSigningKey) => ({
  id: key.kid,
  purpose,
  algorithm: key.alg,
  public_jwk: JSON.stringify(key.public_jwk),
  private_jwk: encryptJson(deriveKey(master, 'signing_keys'), place(key.kid), key.private_jwk),
})

const writeFirst = async (store: Store, clock: Clock, master: Uint8Array, wanted: KeyPurpose): Promise<void> => {
  const key = await wanted.generate()
  const now = clock.now()
  await store.commit(() =>
    runAll([
      // Two nodes that start at once both find no key: the primary key of this fact lets one of them through.
      insert('facts', { name: `first_key/${wanted.purpose}/${wanted.algorithm}`, value: key.kid }),
      insert('signing_keys', {
        ...row(master, wanted.purpose, key),
        ...{ created_at: now, active_at: now, retired_at: null },
      }),
    ]),
  )
}

/**
 * The keys of a purpose, newest first; the first one is made where there is none. Safe when several nodes start at
 * once: all get the same. @throws {DecryptionError} under another master key
 */
export const loadOrCreateKey = async (
  store: Store,
  clock: Clock,
  master: Uint8Array,
  wanted: KeyPurpose,
): Promise<SigningKeyRow[]> => {
  const present = await readKeys(store, master, wanted.purpose)
  if (present.some(({ retired_at }) => retired_at === null)) return present
  await writeFirst(store, clock, master, wanted).catch(error => {
    if (!store.dialect.isDuplicate(error)) throw error
  })
  return readKeys(store, master, wanted.purpose)
}

/** A key that follows another, and from when: the other is retired at that instant. Epoch milliseconds. */
export interface Succession {
  readonly of: SigningKeyRow
  readonly key: NewSigningKey
  readonly created_at: number
  readonly active_at: number
}

/** Adds the key that follows another. False where another node has been quicker: a key has one successor. */
export const addSuccessor = (store: Store, master: Uint8Array, succession: Succession): Promise<boolean> =>
  store.commit(function* (): Unit<boolean> {
    const { of, key, created_at, active_at } = succession
    const retire = 'UPDATE signing_keys SET retired_at = ? WHERE id = ? AND retired_at IS NULL'
    const { changed } = yield* run({ sql: retire, values: [active_at, of.kid] })
    if (changed !== 1) return false
    const times = { created_at, active_at, retired_at: null }
    yield* run(insert('signing_keys', { ...row(master, of.purpose, key), ...times }))
    return true
  })
