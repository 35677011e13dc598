import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { ApiError, asError } from '../../base/api_error.ts'

const manifestShape = z.object({
  /** The version of Attestor that wrote it. */
  attestor: z.string(),
  engine: z.enum(['sqlite', 'mysql']),
  /** Everything that was acknowledged before is in the backup. */
  started_at: z.string(),
  finished_at: z.string(),
  bytes: z.number(),
  sha256: z.string(),
  /** Ids of the master keys. Any one of them opens the backup; the keys themselves are not in it. */
  master_keys: z.array(z.string()),
  /** The migrations that made its schema. */
  migrations: z.array(z.string()),
  rows: z.record(z.string(), z.number()),
})

/** The description of a backup, in a file beside it. */
export type Manifest = Readonly<z.infer<typeof manifestShape>>

/** Reports how far a long step is. */
export type OnProgress = (text: string) => void

/** A backup that can't be made or used, as the operator may read it. */
export function backupError(message: string): ApiError {
  return new ApiError('conflict', message)
}

export function manifestFile(file: string): string {
  return `${file}.manifest.json`
}

/** @throws {ApiError} where there is none, or it is not one */
export function readManifest(file: string): Manifest {
  if (!existsSync(file)) throw backupError(`FILE: there is no ${file}`)
  const beside = manifestFile(file)
  if (!existsSync(beside)) throw backupError(`FILE: its manifest is missing: ${beside}`)
  try {
    return manifestShape.parse(JSON.parse(readFileSync(beside, 'utf8')))
  } catch (error) {
    throw backupError(`FILE: ${beside} is not a manifest: ${asError(error).message}`)
  }
}

/** Makes a written file, or a renaming in a folder, survive a power cut. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const draftEnding = '.attestor-draft'
/** A file that is being written changes all the time. */
const abandonedMs = 3_600_000

/** The name of a file until it is whole. */
export function draftOf(file: string): string {
  return `${file}${draftEnding}`
}

/** Removes the drafts in a folder that a killed process left: they may be whole copies of the database. */
export async function removeAbandonedDrafts(folder: string, now: number): Promise<void> {
  const names = await readdir(folder).catch(error => {
    throw backupError(`${folder}: ${asError(error).message}`)
  })
  for (const name of names) {
    if (!name.endsWith(draftEnding)) continue
    const path = join(folder, name)
    const found = await stat(path, { throwIfNoEntry: false })
    if (found && now - found.mtimeMs > abandonedMs) await rm(path, { force: true })
  }
}

/** Gives a finished file its name: nobody takes half a file for a whole one. */
export async function finishFile(draft: string, file: string): Promise<void> {
  await sync(draft)
  await rename(draft, file)
  await sync(dirname(file))
}

const megabyte = 2 ** 20

/** Bytes for a person. */
export function inMegabytes(bytes: number): string {
  return `${(bytes / megabyte).toFixed(1)} MB`
}

export async function digestFile(file: string, onProgress: OnProgress): Promise<string> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(file, { highWaterMark: megabyte })) {
    hash.update(chunk as Buffer)
    bytes += (chunk as Buffer).length
    onProgress(`checking the digest: ${inMegabytes(bytes)}`)
  }
  return hash.digest('hex')
}
