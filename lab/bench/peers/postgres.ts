import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { chownSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../../../test/ports.ts'

/** Debian's folder of PostgreSQL, of the newest version. */
function findPrograms(): string {
  const root = '/usr/lib/postgresql'
  const [newest] = readdirSync(root).toSorted((a, b) => Number(b) - Number(a))
  return join(root, newest ?? '', 'bin')
}

/** It refuses to run as root, and its package brings a user for it. */
function findUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const [uid, gid] = ['-u', '-g'].map(which => Number(execFileSync('id', [which, 'postgres'])))
  return { uid: uid ?? 0, gid: gid ?? 0 }
}

/** Starts a server with its usual settings in an empty folder, as a child of this process; resolves with its URL. */
export async function startPostgres(folder: string): Promise<{ url: string; server: ChildProcess }> {
  const programs = findPrograms()
  const user = findUser()
  const port = await freePort()
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid ?? 0)
  const run = promisify(execFile)
  await run(join(programs, 'initdb'), ['-D', folder, '-U', 'bench', '-A', 'trust', '-E', 'UTF8'], {
    ...user,
    cwd: folder,
  })
  const options = ['-D', folder, '-p', String(port), '-h', '127.0.0.1', '-k', folder]
  const server = spawn(join(programs, 'postgres'), options, { ...user, cwd: folder, stdio: 'ignore' })
  const isReady = (): Promise<boolean> =>
    run(join(programs, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).then(
      () => true,
      () => false,
    )
  for (let tried = 0; !(await isReady()); tried++) {
    if (tried === 300) throw new Error('PostgreSQL does not answer')
    await pause(200)
  }
  return { url: `postgresql://bench@127.0.0.1:${port}/bench`, server }
}
