import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
/** Databases, browsers' profiles and pictures of a whole run; containers often give a few megabytes only. */
const neededBytes = 4 * 1024 ** 3

function isRoomy(): boolean {
  if (!existsSync(memory)) return false
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= neededBytes
}

/** A folder for all that a run of the tests writes, in memory where there is enough, so that no test waits for a disk. */
export function openScratch(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(isRoomy() ? memory : tmpdir(), 'attestor-tests-'))
  // The database server may run as a user of its own.
  chmodSync(folder, 0o755)
  process.env.TMPDIR = folder
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
