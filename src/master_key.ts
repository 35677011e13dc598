import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Log } from './base/log.ts'
import { deriveKey, SealBroken, seal, unseal } from './base/seal.ts'
import { type Config, ConfigError } from './config.ts'
import { first, insert, run, text, type Unit } from './store/statement.ts'
import type { Store } from './store/store.ts'

const readKeyFile = (file: string): Buffer => {
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
  if (key.length !== 32) throw new ConfigError(`MASTER_KEY: ${file} does not hold 32 bytes in base64`)
  return key
}

/** Written beside and linked into place: of two processes that start at once, one makes the key and both read it. */
const makeKeyFile = (file: string): boolean => {
  const draft = `${file}.${process.pid}`
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft)
  }
}

const exists = (file: string): boolean => {
  try {
    readFileSync(file)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

/** `MASTER_KEY`, or on the embedded database the key kept beside it, which is made at the first start. */
export const loadMasterKey = (config: Config, log: Log): Buffer => {
  if (config.MASTER_KEY !== null) return config.MASTER_KEY
  if (config.DATABASE_URL.dialect !== 'sqlite') throw new ConfigError('MASTER_KEY: is required with a database server')
  const file = join(dirname(config.DATABASE_URL.file), 'master.key')
  if (!exists(file) && makeKeyFile(file))
    log.warn({ file }, 'made a master key: without a copy of this file a copy of the database is worth nothing')
  return readKeyFile(file)
}

const check_name = 'master_key_check'

/** @throws {ConfigError} when the database was sealed with another key: better no start than unreadable people */
export const checkMasterKey = async (store: Store, master: Uint8Array): Promise<void> => {
  const key = deriveKey(master, check_name)
  const unit = function* (): Unit<string> {
    const found = yield* first({ sql: 'SELECT value FROM facts WHERE name = ?', values: [check_name] })
    if (found !== null) return text(found, 'value')
    const value = seal(key, check_name, check_name).toString('base64')
    yield* run(insert('facts', { name: check_name, value }))
    return value
  }
  const stored = await store.commit(unit).catch(error => {
    if (store.dialect.isDuplicate(error)) return store.commit(unit)
    throw error
  })
  try {
    unseal(key, check_name, Buffer.from(stored, 'base64'))
  } catch (error) {
    if (error instanceof SealBroken)
      throw new ConfigError('MASTER_KEY: is not the key that this database was sealed with')
    throw error
  }
}
