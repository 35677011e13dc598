import { readAll, run, runAll, type Store, type Unit } from 'durable-xstate-sql'
import { type CommitRecord, commitNew, recordNothing } from 'durable-xstate-sql/sql'
import type { Clock } from '../../base/clock.ts'
import type { ServiceKeys } from '../../base/encryption.ts'
import { insertFact } from '../../database/facts.ts'
import { computeCoveredMac } from '../../database/forged_rows.ts'
import { decryptColumn, encryptColumn } from '../../database/root_columns.ts'
import { deriveRowKey } from '../../database/row_mac.ts'
import { insert, type TableRow } from '../../database/schema.ts'
import { tables } from '../../database/tables.ts'

/** A JSON Web Key (RFC 7517). */
export type Jwk = Readonly<Record<string, unknown>>

export type KeyPurpose = TableRow<'signing_keys'>['purpose']

interface NewSigningKey {
  readonly kid: string
  readonly alg: string
  readonly public_jwk: Jwk
  readonly private_jwk: Jwk
}

/** A stored key pair. Times are epoch milliseconds. */
export interface SigningKeyRow extends NewSigningKey {
  readonly purpose: KeyPurpose
  readonly created_at: number
  readonly active_at: number
  /** The next key takes over at this instant; null while there is no next key. */
  readonly retired_at: number | null
}

export interface SigningKeyRequest {
  readonly purpose: KeyPurpose
  readonly algorithm: string
  readonly generate: () => Promise<NewSigningKey>
}

function toSigningKeyRow(serviceKeys: ServiceKeys, row: TableRow<'signing_keys'>): SigningKeyRow {
  const kid = row.id
  return {
    kid,
    alg: row.algorithm,
    purpose: row.purpose,
    public_jwk: JSON.parse(row.public_jwk) as Jwk,
    private_jwk: JSON.parse(decryptColumn(serviceKeys, 'signing_keys', kid, row.private_jwk).toString('utf8')) as Jwk,
    created_at: row.created_at,
    active_at: row.active_at,
    retired_at: row.retired_at,
  }
}

/**
 * The keys of a purpose, newest first. @throws {DecryptionError} under another master key
 */
export async function readKeys(store: Store, serviceKeys: ServiceKeys, purpose: KeyPurpose): Promise<SigningKeyRow[]> {
  const sql = 'SELECT * FROM signing_keys WHERE purpose = ? ORDER BY active_at DESC, id'
  const { columns } = tables.signing_keys
  return (await readAll(store, { sql, values: [purpose], columns })).map(row => toSigningKeyRow(serviceKeys, row))
}

type Times = Pick<SigningKeyRow, 'created_at' | 'active_at' | 'retired_at'>

/** The columns that its MAC covers. */
function toPublicRow(purpose: KeyPurpose, key: Omit<NewSigningKey, 'private_jwk'>, times: Times) {
  const { created_at, active_at, retired_at } = times
  const public_jwk = JSON.stringify(key.public_jwk)
  return { id: key.kid, purpose, algorithm: key.alg, public_jwk, created_at, active_at, retired_at }
}

function toTableRow(serviceKeys: ServiceKeys, purpose: KeyPurpose, key: NewSigningKey, times: Times) {
  const row = toPublicRow(purpose, key, times)
  return {
    ...row,
    private_jwk: encryptColumn(serviceKeys, 'signing_keys', key.kid, JSON.stringify(key.private_jwk)),
    mac: computeCoveredMac(deriveRowKey(serviceKeys), 'signing_keys', row),
  }
}

async function insertFirstKey(
  store: Store,
  clock: Clock,
  serviceKeys: ServiceKeys,
  request: SigningKeyRequest,
): Promise<boolean> {
  const key = await request.generate()
  const now = clock.now()
  return commitNew(store, () =>
    runAll([
      // If two nodes start at once and find no key, the primary key of this row lets only one succeed.
      insertFact(`first_key/${request.purpose}/${request.algorithm}`, key.kid),
      insert(
        'signing_keys',
        toTableRow(serviceKeys, request.purpose, key, { created_at: now, active_at: now, retired_at: null }),
      ),
    ]),
  )
}

/**
 * The keys of a purpose, newest first; creates the first one if there is none. Nodes that start at once get the same key. @throws {DecryptionError} under another master key
 */
export async function loadOrCreateKey(
  store: Store,
  clock: Clock,
  serviceKeys: ServiceKeys,
  request: SigningKeyRequest,
): Promise<SigningKeyRow[]> {
  const present = await readKeys(store, serviceKeys, request.purpose)
  if (present.some(({ retired_at }) => retired_at === null)) return present
  await insertFirstKey(store, clock, serviceKeys, request)
  return readKeys(store, serviceKeys, request.purpose)
}

/** `key` follows `of`, which retires at `active_at`. Times are epoch milliseconds. */
export interface Succession {
  readonly of: SigningKeyRow
  readonly key: NewSigningKey
  readonly created_at: number
  readonly active_at: number
  /** A record that is committed with it. */
  readonly record?: CommitRecord
}

/** False if another node was quicker: a key has one successor. */
export function addSuccessor(store: Store, serviceKeys: ServiceKeys, succession: Succession): Promise<boolean> {
  return store.commit(function* (): Unit<boolean> {
    const { of, key, created_at, active_at, record = recordNothing } = succession
    const retire = 'UPDATE signing_keys SET retired_at = ?, mac = ? WHERE id = ? AND retired_at IS NULL'
    const retired = toPublicRow(of.purpose, of, { ...of, retired_at: active_at })
    const mac = computeCoveredMac(deriveRowKey(serviceKeys), 'signing_keys', retired)
    const { changed } = yield* run({ sql: retire, values: [active_at, mac, of.kid] })
    if (changed !== 1) return false
    const times = { created_at, active_at, retired_at: null }
    yield* run(insert('signing_keys', toTableRow(serviceKeys, of.purpose, key, times)))
    yield* record()
    return true
  })
}
