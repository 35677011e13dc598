import { existsSync } from 'node:fs'
import { rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Store } from 'durable-xstate-sql'
import { copySqlite, readMigrations } from 'durable-xstate-sql/sql'
import { type Clock, isoTimestamp } from '../../base/clock.ts'
import { repeat } from '../../base/time.ts'
import { version } from '../../base/version.ts'
import type { Config } from '../../config/settings.ts'
import { readMasterKeyIds } from '../../identity/keys/key_slots.ts'
import {
  backupError,
  digestFile,
  draftOf,
  finishFile,
  inMegabytes,
  type Manifest,
  manifestFile,
  type OnProgress,
  removeAbandonedDrafts,
} from './manifest.ts'
import { type Dumped, dumpMysql } from './mysql_tools.ts'

export interface BackupOptions {
  readonly config: Pick<Config, 'DATABASE_URL'>
  readonly store: Store
  readonly clock: Clock
  /** The backup's file; its manifest is written beside it. */
  readonly file: string
  readonly onProgress: OnProgress
}

/** The interval at which the size of a growing file is looked at. */
const watchMs = 1000

/** Reports the size of `file` while `work` writes it elsewhere. */
async function watchSize<T>(
  { clock, file, onProgress }: Pick<BackupOptions, 'clock' | 'file' | 'onProgress'>,
  work: Promise<T>,
): Promise<T> {
  const watching = repeat(clock, async () => {
    const found = await stat(file).catch(() => null)
    if (found !== null) onProgress(`copying: ${inMegabytes(found.size)}`)
    return watchMs
  })
  try {
    return await work
  } finally {
    await watching.stop()
  }
}

async function copyFile(source: string, { clock, file, onProgress }: BackupOptions): Promise<Dumped> {
  const { faults, rows } = await watchSize({ clock, file, onProgress }, copySqlite(source, file))
  if (faults.length > 0) throw backupError(`the copy of ${source} is damaged: ${faults.join('; ')}`)
  return { rows, bytes: (await stat(file)).size, sha256: await digestFile(file, onProgress) }
}

/**
 * Writes the database as it is at one instant to a file, while nodes go on, checks the file, and writes a manifest beside
 * it. The master key is named there, and is in neither. @throws {ApiError} where the file exists, or can't be made
 */
export async function makeBackup(options: BackupOptions): Promise<Manifest> {
  const { config, store, clock, file, onProgress } = options
  const { DATABASE_URL: address } = config
  for (const path of [file, manifestFile(file)])
    if (existsSync(path)) throw backupError(`FILE: ${path} exists; backups overwrite nothing`)
  const draft = draftOf(file)
  await removeAbandonedDrafts(dirname(file), clock.now())
  await rm(draft, { force: true })
  try {
    const started_at = isoTimestamp(clock.now())
    const keys = { master_keys: [...(await readMasterKeyIds(store))], migrations: [...(await readMigrations(store))] }
    const written =
      address.dialect === 'sqlite'
        ? await copyFile(address.file, { ...options, file: draft })
        : await dumpMysql(address, draft, onProgress)
    const finished_at = isoTimestamp(clock.now())
    const about = { attestor: version, engine: address.dialect, started_at, finished_at }
    const manifest = { ...about, ...written, ...keys }
    await finishFile(draft, file)
    await writeFile(manifestFile(file), `${JSON.stringify(manifest, null, 2)}\n`, { flag: 'wx', mode: 0o600 })
    return manifest
  } finally {
    await rm(draft, { force: true })
  }
}
