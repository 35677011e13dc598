import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type CrashHook, migrate, openStore, type Store } from 'durable-xstate-sql'
import { hasPendingMigrations, isEmptyDatabase, makeSqliteFile } from 'durable-xstate-sql/sql'
import { asError } from '../base/api_error.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { ConfigError } from '../base/setting.ts'
import type { Config } from '../config/settings.ts'
import { schema } from '../database/schema.ts'
import { findMissingColumns } from '../database/schema_check.ts'
import { type LiveKeys, openServiceKeys } from '../identity/keys/key_slots.ts'
import { findMasterKey, loadMasterKey } from '../identity/keys/master_key.ts'
import { openAuditLog } from '../identity/operators/audit.ts'
import { removeAbandonedDrafts } from './backup/manifest.ts'
import { requireWholeDatabase } from './backup/unfinished.ts'
import { findServerFaults } from './server_settings.ts'

export interface DatabaseOptions {
  readonly config: Pick<Config, 'DATABASE_URL' | 'DATABASE_CONNECTIONS' | 'DATABASE_CACHE_MB' | 'MASTER_KEY'>
  readonly log: Log
  /** A clock for the age of the keys that were read; the machine's if absent. */
  readonly clock?: Pick<Clock, 'monotonic' | 'now'>
  readonly crashHook?: CrashHook
}

export interface OpenDatabase {
  readonly store: Store
  /** The keys that the operator's master key opens. */
  readonly serviceKeys: LiveKeys
}

/** @throws {ConfigError} for a schema that no migration of this build made, though it has one of that name */
async function requireColumns(store: Store): Promise<void> {
  const missing = await findMissingColumns(store)
  if (missing.length === 0) return
  const named = missing.slice(0, 5).join(', ')
  const more = missing.length > 5 ? ` and ${missing.length - 5} more` : ''
  throw new ConfigError(`DATABASE_URL: the schema is another build's: it lacks ${named}${more}`)
}

async function open({ config, log, clock, crashHook }: DatabaseOptions, master: Buffer): Promise<OpenDatabase> {
  const store = await openStore(config.DATABASE_URL, config.DATABASE_CONNECTIONS, {
    ...(crashHook && { crashHook }),
    cacheMb: config.DATABASE_CACHE_MB,
    onHostChange: change => log.warn({ ...change }, 'went to another host of the database'),
  })
  try {
    await requireColumns(store)
    const serviceKeys = await openServiceKeys(store, master, clock)
    await openAuditLog(store)
    return { store, serviceKeys }
  } catch (error) {
    await store.close()
    throw error
  }
}

function makeFile(file: string): void {
  try {
    makeSqliteFile(file)
  } catch (cause) {
    throw new ConfigError(`DATABASE_URL: ${asError(cause).message}`, { cause })
  }
}

async function requireSchema(config: DatabaseOptions['config']): Promise<void> {
  await requireWholeDatabase(config)
  const { DATABASE_URL: address } = config
  if (!(await hasPendingMigrations(address, schema))) return
  const fault = (await isEmptyDatabase(address, schema)) ? 'database is empty' : 'schema is older than this build'
  throw new ConfigError(`DATABASE_URL: the ${fault}: run \`npm run migrate\``)
}

/**
 * Migrates the schema to this build, and creates the file and the key of an embedded database if they are missing. Resolves
 * with the names of the migrations that ran. @throws {ConfigError} `ApiError` if the database can't be reached
 */
export async function migrateDatabase(options: DatabaseOptions): Promise<readonly string[]> {
  const { DATABASE_URL: address } = options.config
  if (address.dialect === 'sqlite') makeFile(address.file)
  const master = await loadMasterKey(options.config, options.log)
  await requireWholeDatabase(options.config)
  const ran = await migrate(address, schema)
  const { store } = await open(options, master)
  await store.close()
  return ran
}

/** A server's own settings would fail the first large image, or lose connections, long after the start. */
async function requireServer(store: Store, { config, log }: DatabaseOptions): Promise<void> {
  for (const { isFatal, message, remedy } of await findServerFaults(store, config.DATABASE_CONNECTIONS)) {
    if (isFatal) throw new ConfigError(`DATABASE_URL: ${message}. ${remedy}`)
    log.warn({ remedy }, message)
  }
}

/**
 * Opens the database of a node. An embedded one is created and migrated first; an operator migrates a server's, before the
 * nodes start. @throws {ConfigError} `ApiError` if the database can't be reached
 */
export async function openNodeDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const { config, log } = options
  const { DATABASE_URL: address } = config
  if (address.dialect === 'sqlite') {
    makeFile(address.file)
    await removeAbandonedDrafts(dirname(address.file), (options.clock ?? systemClock).now())
  }
  const master = await loadMasterKey(config, log)
  if (address.dialect === 'sqlite') {
    const ran = await migrate(address, schema)
    if (ran.length > 0) log.info({ migrations: ran }, 'migrated the embedded database')
  } else await requireSchema(config)
  const opened = await open(options, master)
  try {
    await requireServer(opened.store, options)
    return opened
  } catch (error) {
    await opened.store.close()
    throw error
  }
}

/** A process that was killed in its first start may have left an empty file. */
function isThere(file: string): boolean {
  return existsSync(file) && statSync(file).size > 0
}

/**
 * Opens an existing database. A command must not create one: the service, which uses another database, would not know the
 * credentials that the command printed. @throws {ConfigError} `ApiError` if the database can't be reached
 */
export async function openPresentDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const { DATABASE_URL: address } = options.config
  if (address.dialect === 'sqlite' && !isThere(address.file))
    throw new ConfigError(
      `DATABASE_URL: there is no database at ${address.file}: the service or \`attestor migrate\` creates it`,
    )
  const master = await findMasterKey(options.config)
  await requireSchema(options.config)
  return open(options, master)
}
