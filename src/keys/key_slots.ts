import { ApiError } from '../base/api_error.ts'
import { DecryptionError, decrypt, deriveKey, encrypt, newKey } from '../base/encryption.ts'
import { ConfigError } from '../config.ts'
import { columnsOf, insert } from '../database/schema.ts'
import { findsRow, run, runAll, type Statement, type Unit } from '../durable/store/statement.ts'
import { readAll, readFirst, type Store } from '../durable/store/store.ts'

/*
 * Everything is encrypted under the root key, a random key that never changes. The database holds it encrypted with the
 * operator's master key, in a slot; while the master key is rotated there are two slots, and either key opens the database.
 */

/** An id of a master key that reveals nothing about it, for backups and commands. */
export const masterKeyId = (master: Uint8Array): string => deriveKey(master, 'key_id').toString('hex', 0, 8)

const slotPrefix = 'master_key/'
const slotName = (id: string): string => `${slotPrefix}${id}`

/** One row, so that if two nodes start on a new database with different keys, only one creates the root key. */
const rootIdName = 'root_key'
const fact = columnsOf('facts', 'value')
const selectFact = (name: string) => ({ sql: 'SELECT value FROM facts WHERE name = ?', values: [name], columns: fact })

/** Finds a row once anything is encrypted. */
export const selectRootId = selectFact(rootIdName)

const insertSlot = (master: Uint8Array, root: Uint8Array): Statement => {
  const name = slotName(masterKeyId(master))
  return insert('facts', { name, value: encrypt(deriveKey(master, 'root_key'), name, root).toString('base64') })
}

const createRoot = (store: Store, master: Uint8Array): Promise<void> =>
  store.commit(function* (): Unit<void> {
    if (yield* findsRow(selectRootId)) return
    const root = newKey()
    yield* runAll([insert('facts', { name: rootIdName, value: masterKeyId(root) }), insertSlot(master, root)])
  })

/**
 * The root key, decrypted with the master key; the first start creates it. A wrong master key stops the start. @throws
 * {ConfigError}
 */
export const openRootKey = async (store: Store, master: Uint8Array): Promise<Buffer> => {
  if ((await readFirst(store, selectRootId)) === null)
    await createRoot(store, master).catch(error => {
      if (!store.dialect.isDuplicate(error)) throw error
    })
  const name = slotName(masterKeyId(master))
  const slot = await readFirst(store, selectFact(name))
  try {
    return decrypt(deriveKey(master, 'root_key'), name, Buffer.from(slot?.value ?? '', 'base64'))
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error
    throw new ConfigError('MASTER_KEY: is not the key that this database is encrypted with')
  }
}

/** The ids of the master keys that open the database. */
export const readMasterKeyIds = async (store: Store): Promise<readonly string[]> => {
  const sql = 'SELECT name FROM facts WHERE name >= ? AND name < ? ORDER BY name'
  const values = [slotPrefix, slotName('~')]
  const rows = await readAll(store, { sql, values, columns: columnsOf('facts', 'name') })
  return rows.map(({ name }) => name.slice(slotPrefix.length))
}

/** Lets another master key open the database too. Repeating it changes nothing. */
export const addMasterKey = async (store: Store, root: Uint8Array, next: Uint8Array): Promise<string> => {
  await store
    .commit(() => run(insertSlot(next, root)))
    .catch(error => {
      if (!store.dialect.isDuplicate(error)) throw error
    })
  return masterKeyId(next)
}

/**
 * Removes the slot of the master key `id`, which then no longer opens the database. The caller must hold another key
 * that does. @throws {ApiError} `conflict`, `not_found`
 */
export const retireMasterKey = async (store: Store, master: Uint8Array, id: string): Promise<void> => {
  const own = masterKeyId(master)
  if (id === own)
    throw new ApiError('conflict', `key_id: ${id} is the key that you hold: set MASTER_KEY to the other one first`)
  const found = await store.commit(function* (): Unit<boolean> {
    // Also updates its own slot, so that two callers who retire each other's key conflict.
    const keep = { sql: 'UPDATE facts SET value = value WHERE name = ?', values: [slotName(own)] }
    if (!(yield* findsRow(selectFact(slotName(own))))) return false
    yield* run(keep)
    return (yield* run({ sql: 'DELETE FROM facts WHERE name = ?', values: [slotName(id)] })).changed === 1
  })
  if (!found) throw new ApiError('not_found', `key_id: ${id} does not open this database`)
}
