import { readAll, run, runAll, type Statement, type Store, type Unit } from 'durable-xstate-sql'
import { commitNew, findsRow, isUnavailable } from 'durable-xstate-sql/sql'
import { ApiError, unavailable } from '../../base/api_error.ts'
import { type Clock, systemClock } from '../../base/clock.ts'
import {
  DecryptionError,
  decrypt,
  deriveKey,
  encrypt,
  keyBytes,
  newKey,
  type ServiceKeys,
} from '../../base/encryption.ts'
import { ConfigError } from '../../base/setting.ts'
import { deleteFact, insertFact, lockFact, readFact, selectFact, updateFact } from '../../database/facts.ts'
import { columnsOf } from '../../database/schema.ts'

/*
 * The database holds the service's keys, encrypted with the operator's master key, in a slot. While the master key is
 * rotated there are two slots, and either master key opens the database.
 */

/** Names a key without saying anything of it: backups and commands do. */
export function keyId(key: Uint8Array): string {
  return deriveKey(key, 'key_id').toString('hex', 0, 8)
}

const slotPrefix = 'master_key/'

export function slotName(id: string): string {
  return `${slotPrefix}${id}`
}

/** One row, so that of two nodes that start on a new database with two keys, one makes the root key. */
export const rootIdsName = 'root_key'

/** Selects the ids of the root keys, as `listRootIds` writes them. The row exists once anything is encrypted. */
export const selectRootIds = selectFact(rootIdsName)

/** Names the root keys, in their order. */
export function listRootIds({ roots }: ServiceKeys): string {
  return roots.map(keyId).join(' ')
}

/** The service's keys as a slot holds them. */
export function encryptSlot(master: Uint8Array, { lookup, roots }: ServiceKeys): string {
  const plain = Buffer.concat([lookup, ...roots])
  return encrypt(deriveKey(master, 'key_slot'), slotName(keyId(master)), plain).toString('base64')
}

function decryptSlot(master: Uint8Array, slot: string): ServiceKeys {
  const plain = decrypt(deriveKey(master, 'key_slot'), slotName(keyId(master)), Buffer.from(slot, 'base64'))
  const [lookup = plain, ...roots] = Array.from({ length: plain.length / keyBytes }, (_, n) =>
    plain.subarray(n * keyBytes, (n + 1) * keyBytes),
  )
  return { lookup, roots }
}

function insertSlot(master: Uint8Array, keys: ServiceKeys): Statement {
  return insertFact(slotName(keyId(master)), encryptSlot(master, keys))
}

function createKeys(store: Store, master: Uint8Array): Promise<boolean> {
  return commitNew(store, function* (): Unit<void> {
    if (yield* findsRow(selectRootIds)) return
    const keys = { roots: [newKey()], lookup: newKey() }
    yield* runAll([insertFact(rootIdsName, listRootIds(keys)), insertSlot(master, keys)])
  })
}

/** The service's keys as they are now. A wrong master key stops the start. @throws {ConfigError} */
export async function readServiceKeys(store: Store, master: Uint8Array): Promise<ServiceKeys> {
  const slot = await readFact(store, slotName(keyId(master)))
  try {
    return decryptSlot(master, slot ?? '')
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error
    throw new ConfigError('MASTER_KEY: is not the key that this database is encrypted with')
  }
}

/** The service's keys while a process runs. */
export interface LiveKeys extends ServiceKeys {
  /**
   * Reads them again where they were read a while ago: each call and each job does so first, so that a node knows of a
   * new root key before any node encrypts with it. @throws {ApiError} `unavailable` where the master key opens nothing more
   */
  refresh(): Promise<void>
}

/** Keys are used for so long before they are read again. */
const refreshMs = 10_000

/**
 * The service's keys, which the master key opens; the first start makes them. A wrong key stops the start.
 * @throws {ConfigError}
 */
export async function openServiceKeys(
  store: Store,
  master: Uint8Array,
  clock: Pick<Clock, 'monotonic'> = systemClock,
): Promise<LiveKeys> {
  if ((await readFact(store, rootIdsName)) === null) await createKeys(store, master)
  let keys = await readServiceKeys(store, master)
  let readAt = clock.monotonic()
  let reading: Promise<void> | null = null
  const readAgain = async (): Promise<void> => {
    try {
      if ((await readFact(store, rootIdsName)) !== listRootIds(keys)) keys = await readServiceKeys(store, master)
      readAt = clock.monotonic()
    } catch (error) {
      if (error instanceof ConfigError)
        throw unavailable('keys: the root key was replaced, and the master key of this node opens the database no more')
      // Without the database a call writes nothing, and remembered data opens with the known keys.
      if (!isUnavailable(error)) throw error
    } finally {
      reading = null
    }
  }
  return {
    get roots() {
      return keys.roots
    },
    get lookup() {
      return keys.lookup
    },
    async refresh() {
      if (clock.monotonic() - readAt < refreshMs) return
      reading ??= readAgain()
      await reading
    },
  }
}

/** While the root key is replaced: how far that is. */
export const rotationName = 'root_key_rotation'

export const selectMasterKeyIds = {
  sql: 'SELECT name FROM facts WHERE name >= ? AND name < ? ORDER BY name',
  values: [slotPrefix, slotName('~')],
  columns: columnsOf('facts', 'name'),
}

/** The ids of the master keys that open the database. */
export async function readMasterKeyIds(store: Store): Promise<readonly string[]> {
  return (await readAll(store, selectMasterKeyIds)).map(({ name }) => name.slice(slotPrefix.length))
}

/** Lets another master key open the database too. Again, it changes nothing. @throws {ApiError} `conflict` */
export async function addMasterKey(store: Store, keys: ServiceKeys, next: Uint8Array): Promise<string> {
  await commitNew(store, function* (): Unit<void> {
    if ((yield* lockFact(store, rootIdsName)) !== listRootIds(keys) || keys.roots.length > 1)
      throw new ApiError('conflict', 'master key: the root key is being replaced: run `attestor root-key rotate` first')
    yield* run(insertSlot(next, keys))
  })
  return keyId(next)
}

/**
 * Removes the slot of the master key `id`, which then no longer opens the database. The caller must hold another key
 * that does. @throws {ApiError} `conflict`, `not_found`
 */
export async function retireMasterKey(store: Store, master: Uint8Array, id: string): Promise<void> {
  const own = keyId(master)
  if (id === own)
    throw new ApiError('conflict', `key_id: ${id} is the key that you hold: set MASTER_KEY to the other one first`)
  const slot = await readFact(store, slotName(own))
  if (slot === null) throw new ApiError('not_found', `key_id: ${own} is the key that you hold; it opens nothing here`)
  const again = encryptSlot(master, decryptSlot(master, slot))
  const found = await store.commit(function* (): Unit<boolean> {
    // Its own slot is written too, so that of two callers who retire each other's key one loses, on a cluster as well.
    if ((yield* run(updateFact(slotName(own), again, slot))).changed !== 1)
      throw new ApiError('conflict', 'master key: another command is changing it right now')
    return (yield* run(deleteFact(slotName(id)))).changed === 1
  })
  if (!found) throw new ApiError('not_found', `key_id: ${id} does not open this database`)
}
