import { readAll, runAll, type Unit } from 'durable-xstate-sql'
import { DecryptionError, type ServiceKeys } from '../../base/encryption.ts'
import { decryptColumn, encryptColumn, type RootTable, rootColumns, rootTables } from '../../database/root_columns.ts'
import { keyId, readServiceKeys } from './key_slots.ts'
import {
  announceKey,
  type RootKeyRotation,
  type RotationDeps,
  readRotation,
  removeOldKey,
  switchKeys,
  writeRotation,
} from './root_key_rotation.ts'

/**
 * Every node reads its keys again after ten seconds, before its next call or job. The rest of the minute is for calls
 * that are under way.
 */
const noticeMs = 60_000

/** Few enough for a commit that holds up no other. */
const batchRows = 200
const columns = { id: 'word', encrypted: 'bytes' } as const

/** The column encrypted with the newest root key; null where it is already. @throws {DecryptionError} */
function encryptAgain(keys: ServiceKeys, table: RootTable, id: string, encrypted: Uint8Array): Buffer | null {
  const newest = { ...keys, roots: keys.roots.slice(0, 1) }
  try {
    decryptColumn(newest, table, id, encrypted)
    return null
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error
    return encryptColumn(newest, table, id, decryptColumn(keys, table, id, encrypted))
  }
}

/** Encrypts some rows again, in one commit with how far it is. */
async function encryptBatch(
  { store }: RotationDeps,
  keys: ServiceKeys,
  rotation: RootKeyRotation,
): Promise<{ readonly rotation: RootKeyRotation; readonly rows: number }> {
  const { after } = rotation
  const table = rotation.table ?? 'customers'
  const column = rootColumns[table]
  const sql = `SELECT id, ${column} AS encrypted FROM ${table} WHERE id > ? ORDER BY id LIMIT ${batchRows}`
  const rows = await readAll(store, { sql, values: [after], columns })
  const last = rows.at(-1)
  const following = rootTables[rootTables.indexOf(table) + 1]
  const next: RootKeyRotation =
    last !== undefined
      ? { ...rotation, table, after: last.id }
      : { ...rotation, step: following === undefined ? 'encrypted' : 'encrypting', table: following ?? null, after: '' }
  // A row that was erased or written meanwhile is as it should be.
  const update = `UPDATE ${table} SET ${column} = ? WHERE id = ? AND ${column} = ?`
  const updates = rows.flatMap(({ id, encrypted }) => {
    const again = encryptAgain(keys, table, id, encrypted)
    return again === null ? [] : [{ sql: update, values: [again, id, encrypted] }]
  })
  await store.commit(function* (): Unit<void> {
    yield* writeRotation(rotation, next)
    yield* runAll(updates)
  })
  return { rotation: next, rows: rows.length }
}

async function encryptAll(deps: RotationDeps, started: RootKeyRotation): Promise<RootKeyRotation> {
  const keys = await readServiceKeys(deps.store, deps.master)
  let rotation = started
  let done = 0
  while (rotation.step === 'encrypting') {
    const batch = await encryptBatch(deps, keys, rotation)
    done += batch.rows
    rotation = batch.rotation
    deps.onProgress(`encrypting again: ${done} rows done`)
  }
  return rotation
}

async function startEncrypting({ store }: RotationDeps, rotation: RootKeyRotation): Promise<RootKeyRotation> {
  const started: RootKeyRotation = { ...rotation, step: 'encrypting', table: null, after: '' }
  await store.commit(() => writeRotation(rotation, started))
  return started
}

async function waitForNodes({ pause, onProgress }: RotationDeps, what: string): Promise<void> {
  onProgress(`waiting until every node ${what}`)
  await pause(noticeMs)
}

export interface RotationResult {
  /** The new key's id. */
  readonly key_id: string
  /** The old key can be removed at this instant; null if it was. */
  readonly removable_at: number | null
}

/**
 * The time until everything that the old key encrypted for clients has expired, and whether the old key goes before that.
 */
export interface RemovalOptions {
  readonly outstandingMs: number
  readonly now: boolean
}

/**
 * Replaces the root key while nodes run, or goes on where an earlier call stopped: the new key is announced, encrypts,
 * and all that is encrypted with the old one is encrypted again, some rows a commit. The old key is removed once nothing
 * needs it. @throws {ApiError} `conflict`
 */
export async function rotateRootKey(deps: RotationDeps, options: RemovalOptions): Promise<RotationResult> {
  let rotation = (await readRotation(deps.store)) ?? (await announceKey(deps))
  if (rotation.step === 'announced') {
    await waitForNodes(deps, 'knows the new key')
    rotation = await switchKeys(deps, rotation)
  }
  if (rotation.step === 'switched') {
    await waitForNodes(deps, 'encrypts with the new key')
    rotation = await startEncrypting(deps, rotation)
  }
  const removable_at = (rotation.switched_at ?? 0) + options.outstandingMs
  const isRemovable = options.now || deps.clock.now() >= removable_at
  // Once more: a node that had stopped in the middle of a call may have encrypted with the old key since.
  if (rotation.step === 'encrypted' && isRemovable) rotation = await startEncrypting(deps, rotation)
  rotation = await encryptAll(deps, rotation)
  const [key] = (await readServiceKeys(deps.store, deps.master)).roots
  if (!isRemovable) return { key_id: keyId(key ?? new Uint8Array()), removable_at }
  await waitForNodes(deps, 'has finished calls that read a row before it was encrypted again')
  return { key_id: await removeOldKey(deps, rotation), removable_at: null }
}
