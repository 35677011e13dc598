import { copyFileSync, existsSync, statSync } from 'node:fs'
import { chmod, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openStore } from 'durable-xstate-sql'
import {
  countServerConnections,
  countServerRows,
  dropServerTables,
  findUnknownMigrations,
  inspectSqlite,
  type MysqlAddress,
  makeSqliteFile,
  settleSqliteFile,
} from 'durable-xstate-sql/sql'
import type { Clock } from '../../base/clock.ts'
import { ConfigError } from '../../base/setting.ts'
import type { Config } from '../../config/settings.ts'
import { schema } from '../../database/schema.ts'
import { keyId, openServiceKeys } from '../../identity/keys/key_slots.ts'
import { findRestoreKey } from '../../identity/keys/master_key.ts'
import {
  backupError,
  digestFile,
  draftOf,
  finishFile,
  type Manifest,
  type OnProgress,
  readManifest,
  sync,
} from './manifest.ts'
import { loadMysql } from './mysql_tools.ts'
import { beginRestore, endRestore, isMark, isUnfinished } from './unfinished.ts'

export interface RestoreOptions {
  readonly config: Pick<Config, 'DATABASE_URL' | 'MASTER_KEY' | 'DATABASE_CONNECTIONS'>
  readonly clock: Clock
  readonly file: string
  /** Whether an existing database may be replaced. */
  readonly replace: boolean
  readonly onProgress: OnProgress
}

export interface Restored {
  readonly manifest: Manifest
  /** The previous database's place; null if there was none, or it is gone. */
  readonly replaced: string | null
}

async function requireKey(config: RestoreOptions['config'], { master_keys }: Manifest): Promise<Buffer> {
  const needed = `the backup is encrypted with ${master_keys.join(' or ')}`
  const master = await findRestoreKey(config)
  if (master === null) throw new ConfigError(`MASTER_KEY: there is none; ${needed}`)
  const id = keyId(master)
  if (!master_keys.includes(id)) throw new ConfigError(`MASTER_KEY: is the key ${id}; ${needed}`)
  return master
}

/** Checks that a backup can be restored here, before anything is changed. */
async function requireUsable(options: RestoreOptions, manifest: Manifest): Promise<void> {
  const { config, file, onProgress } = options
  const { dialect } = config.DATABASE_URL
  if (manifest.engine !== dialect)
    throw backupError(`FILE: is a backup of ${manifest.engine}, and DATABASE_URL names ${dialect}`)
  const unknown = findUnknownMigrations(manifest.migrations, dialect, schema)
  if (unknown.length > 0)
    throw backupError(`FILE: a newer version (${manifest.attestor}) made it: this build lacks ${unknown.join(', ')}`)
  if ((await digestFile(file, onProgress)) !== manifest.sha256)
    throw backupError('FILE: is damaged: its SHA-256 is not that of its manifest')
}

function requireRows(found: Readonly<Record<string, number>>, { rows }: Manifest): void {
  const names = [...new Set([...Object.keys(found), ...Object.keys(rows)])]
  const wrong = names.filter(name => (found[name] ?? 0) !== (rows[name] ?? 0))
  const list = wrong.map(name => `${name} has ${found[name] ?? 0} rows, not ${rows[name] ?? 0}`)
  if (wrong.length > 0) throw backupError(`the restored database is not the backup: ${list.join('; ')}`)
}

function inTheWay(what: string) {
  return backupError(`DATABASE_URL: ${what}; --replace puts the backup in its place`)
}

function inUse(what: string) {
  return backupError(`DATABASE_URL: ${what}: stop the nodes first`)
}

/** The previous file stays beside the new one, under another name. */
async function setAside(file: string, { clock, replace }: RestoreOptions): Promise<string | null> {
  if (!existsSync(file)) return null
  if (statSync(file).size > 0 && !replace) throw inTheWay(`there is a database at ${file}`)
  if (!settleSqliteFile(file)) throw inUse(`another process has ${file} open`)
  const aside = `${file}.replaced-${clock.now()}`
  await rename(file, aside)
  return aside
}

async function restoreSqlite(file: string, options: RestoreOptions, manifest: Manifest): Promise<string | null> {
  if (existsSync(file) && statSync(file).size > 0 && !options.replace) throw inTheWay(`there is a database at ${file}`)
  const draft = draftOf(file)
  makeSqliteFile(draft)
  try {
    options.onProgress('copying')
    copyFileSync(options.file, draft)
    await chmod(draft, 0o600)
    const { faults, rows } = await inspectSqlite(draft)
    if (faults.length > 0) throw backupError(`FILE: is damaged: ${faults.join('; ')}`)
    requireRows(rows, manifest)
    const aside = await setAside(file, options)
    // A log of the old file would be taken for the new one's.
    await Promise.all(['-wal', '-shm'].map(ending => rm(`${file}${ending}`, { force: true })))
    await finishFile(draft, file)
    await sync(dirname(file))
    return aside
  } finally {
    await rm(draft, { force: true })
  }
}

async function restoreMysql(address: MysqlAddress, options: RestoreOptions, manifest: Manifest): Promise<null> {
  const { config, replace, file, onProgress } = options
  const store = await openStore(config.DATABASE_URL, config.DATABASE_CONNECTIONS)
  try {
    const others = await countServerConnections(store)
    if (others > 0) throw inUse(`${others} other connections use the database`)
    const listTables = async () =>
      Object.fromEntries(Object.entries(await countServerRows(store)).filter(([table]) => !isMark(table)))
    const tables = Object.keys(await listTables())
    if (tables.length > 0 && !replace && !(await isUnfinished(store))) throw inTheWay('the database has tables')
    await beginRestore(store)
    await dropServerTables(store, tables)
    await loadMysql(address, file, onProgress)
    requireRows(await listTables(), manifest)
    await endRestore(store)
    return null
  } finally {
    await store.close()
  }
}

/**
 * Replaces the database by a backup, after its digest, its version and its master key were checked. @throws {ApiError}
 * {ConfigError}
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { config, file } = options
  const { DATABASE_URL: address } = config
  const manifest = readManifest(file)
  const master = await requireKey(config, manifest)
  await requireUsable(options, manifest)
  const replaced =
    address.dialect === 'sqlite'
      ? await restoreSqlite(address.file, options, manifest)
      : await restoreMysql(address, options, manifest)
  const store = await openStore(address, config.DATABASE_CONNECTIONS)
  try {
    await openServiceKeys(store, master)
  } finally {
    await store.close()
  }
  return { manifest, replaced }
}
