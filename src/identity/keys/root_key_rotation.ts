import { run, type Statement, type Store, type Unit } from 'durable-xstate-sql'
import { type CommitRecord, commitNew } from 'durable-xstate-sql/sql'
import { ApiError } from '../../base/api_error.ts'
import type { Clock } from '../../base/clock.ts'
import { newKey, type ServiceKeys } from '../../base/encryption.ts'
import { insertFact, readFact, updateFact } from '../../database/facts.ts'
import type { RootTable } from '../../database/root_columns.ts'
import {
  encryptSlot,
  keyId,
  listRootIds,
  readServiceKeys,
  rootIdsName,
  rotationName,
  selectMasterKeyIds,
  slotName,
} from './key_slots.ts'

/** The progress of the root key's replacement. Each change of it is one commit, so that it goes on after a crash. */
export interface RootKeyRotation {
  /**
   * `announced`: the new key decrypts, the old one encrypts. `switched`: the other way round. `encrypting`: earlier
   * rows are encrypted again. `encrypted`: no row needs the old key, but tokens and links of clients may.
   */
  readonly step: 'announced' | 'switched' | 'encrypting' | 'encrypted'
  /** The new key began to encrypt at this instant; null before. */
  readonly switched_at: number | null
  /** The last row that was encrypted again; null and empty before the first. */
  readonly table: RootTable | null
  readonly after: string
}

export interface RotationDeps {
  readonly store: Store
  readonly clock: Pick<Clock, 'now'>
  readonly master: Uint8Array
  readonly pause: (delay_ms: number) => Promise<void>
  readonly onProgress: (what: string) => void
  /** An entry of the audit log: of the new key's id when it is made, of the old one's when it is removed. */
  readonly record: CommitRecord<{ readonly action: 'root_key_added' | 'root_key_removed'; readonly key_id: string }>
}

function createConflict(): ApiError {
  return new ApiError('conflict', 'root key: another command is replacing it right now')
}

/** The replacement that is under way, or null. */
export async function readRotation(store: Store): Promise<RootKeyRotation | null> {
  const rotation = await readFact(store, rotationName)
  return rotation === null ? null : (JSON.parse(rotation) as RootKeyRotation)
}

function* requireChange(statement: Statement): Unit<void> {
  if ((yield* run(statement)).changed !== 1) throw createConflict()
}

/** If two commands run at once, one loses here. */
export function* writeRotation(from: RootKeyRotation, to: RootKeyRotation): Unit<void> {
  yield* requireChange(updateFact(rotationName, JSON.stringify(to), JSON.stringify(from)))
}

function* writeRoots(master: Uint8Array, from: ServiceKeys, to: ServiceKeys): Unit<void> {
  yield* requireChange(updateFact(rootIdsName, listRootIds(to), listRootIds(from)))
  yield* requireChange(updateFact(slotName(keyId(master)), encryptSlot(master, to)))
}

/** The new key could not be encrypted with a master key that is not at hand. */
function* requireOneMasterKey(): Unit<void> {
  if ((yield* run(selectMasterKeyIds)).rows.length > 1)
    throw new ApiError('conflict', 'root key: two master keys open the database: retire the old one first')
}

/** Makes the new key, which decrypts from now on. */
export async function announceKey({ store, master, record }: RotationDeps): Promise<RootKeyRotation> {
  const keys = await readServiceKeys(store, master)
  const next = newKey()
  const rotation: RootKeyRotation = { step: 'announced', switched_at: null, table: null, after: '' }
  const isAnnounced = await commitNew(store, function* (): Unit<void> {
    yield* requireOneMasterKey()
    yield* run(insertFact(rotationName, JSON.stringify(rotation)))
    yield* writeRoots(master, keys, { ...keys, roots: [...keys.roots, next] })
    yield* record({ action: 'root_key_added', key_id: keyId(next) })
  })
  if (!isAnnounced) throw createConflict()
  return rotation
}

/** Makes the new key encrypt from now on. */
export async function switchKeys(
  { store, clock, master }: RotationDeps,
  rotation: RootKeyRotation,
): Promise<RootKeyRotation> {
  const keys = await readServiceKeys(store, master)
  const switched: RootKeyRotation = { ...rotation, step: 'switched', switched_at: clock.now() }
  await store.commit(function* (): Unit<void> {
    yield* writeRotation(rotation, switched)
    yield* writeRoots(master, keys, { ...keys, roots: keys.roots.toReversed() })
  })
  return switched
}

/** Removes the old key. The id of the new one is returned. */
export async function removeOldKey(
  { store, master, record }: RotationDeps,
  rotation: RootKeyRotation,
): Promise<string> {
  const keys = await readServiceKeys(store, master)
  const [key, old] = keys.roots
  if (key === undefined || old === undefined) throw createConflict()
  await store.commit(function* (): Unit<void> {
    const sql = 'DELETE FROM facts WHERE name = ? AND value = ?'
    yield* requireChange({ sql, values: [rotationName, JSON.stringify(rotation)] })
    yield* writeRoots(master, keys, { ...keys, roots: [key] })
    yield* record({ action: 'root_key_removed', key_id: keyId(old) })
  })
  await store.scrub()
  return keyId(key)
}
