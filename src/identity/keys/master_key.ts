import { link, open, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { peek, readErrorCode } from 'durable-xstate-sql/sql'
import { asError } from '../../base/api_error.ts'
import type { Log } from '../../base/log.ts'
import { drawBytes } from '../../base/random.ts'
import { ConfigError } from '../../base/setting.ts'
import type { Config } from '../../config/settings.ts'
import { selectRootIds } from './key_slots.ts'

const keyBytes = 32

/** The key in a file, or null where there is none. @throws {ConfigError} */
export async function readKey(file: string): Promise<Buffer | null> {
  try {
    const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64')
    if (key.length !== keyBytes) throw new ConfigError(`MASTER_KEY: ${file} does not hold 32 bytes in base64`)
    return key
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') return null
    if (error instanceof ConfigError) throw error
    throw new ConfigError(`MASTER_KEY: ${file} can't be read: ${asError(error).message}`, { cause: error })
  }
}

/** Syncs the folder: if a power cut undid the link, nobody could decrypt the database. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Writes a new key into a draft and links it: of two processes one wins, and nobody reads half a key. */
export async function writeKey(file: string): Promise<boolean> {
  const draft = `${file}.${drawBytes(8).toString('hex')}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(`${drawBytes(keyBytes).toString('base64')}\n`)
    await handle.sync()
    await link(draft, file)
    await syncFolder(dirname(file))
    return true
  } catch (error) {
    if (readErrorCode(error) === 'EEXIST') return false
    throw error
  } finally {
    await handle.close()
    await rm(draft, { force: true })
  }
}

type KeySettings = Pick<Config, 'MASTER_KEY' | 'DATABASE_URL'>

/** The key file of an embedded database. @throws {ConfigError} for a server's, which has none */
function masterKeyFile({ DATABASE_URL: address }: KeySettings): string {
  if (address.dialect !== 'sqlite') throw new ConfigError('MASTER_KEY: is required with a database server')
  return join(dirname(address.file), 'master.key')
}

/** The key of the settings or of the file; null if there is none and nothing is encrypted yet. @throws {ConfigError} */
async function findKey(config: KeySettings): Promise<Buffer | null> {
  if (config.MASTER_KEY !== null) return config.MASTER_KEY
  const file = masterKeyFile(config)
  const { DATABASE_URL: address } = config
  const isEncrypted = address.dialect === 'sqlite' && peek(address.file, 'facts', selectRootIds) !== null
  // Read after the check: another process on a new database creates the key before it encrypts.
  const present = await readKey(file)
  if (present === null && isEncrypted)
    throw new ConfigError(`MASTER_KEY: ${file} is missing, and the database is encrypted with it`)
  return present
}

/**
 * The key for a database that is about to be restored: that of the settings, or of the file beside its place. Null if
 * there is none. @throws {ConfigError}
 */
export async function findRestoreKey(config: KeySettings): Promise<Buffer | null> {
  return config.MASTER_KEY ?? (await readKey(masterKeyFile(config)))
}

/** Finds the key, and creates none. @throws {ConfigError} if there is none */
export async function findMasterKey(config: KeySettings): Promise<Buffer> {
  const present = await findKey(config)
  if (present === null)
    throw new ConfigError(
      `MASTER_KEY: there is none at ${masterKeyFile(config)}: the service or \`attestor migrate\` creates it`,
    )
  return present
}

/**
 * The key that encrypts everything: the setting `MASTER_KEY`, or, on the embedded database, `master.key` beside the file,
 * created if absent. Never creates one beside a database that is already encrypted. @throws {ConfigError}
 */
export async function loadMasterKey(config: KeySettings, log: Log): Promise<Buffer> {
  const present = await findKey(config)
  if (present !== null) return present
  const file = masterKeyFile(config)
  if (await writeKey(file))
    log.warn({ file }, 'MASTER_KEY is not set: created one. Without this file nothing can be decrypted: back it up')
  const made = await readKey(file)
  if (made === null) throw new ConfigError(`MASTER_KEY: ${file} could not be created`)
  return made
}
