/**
 * `npm test`: the whole suite in one run of ava, on SQLite, and on MariaDB too where `mariadbd` is installed. What is
 * given after `--` goes to ava. The last line is `N passed, N failed`; the exit code is 0 only if something was tested
 * and nothing failed.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { hasSwift } from './captures/swift.ts'
import { chromiumPath } from './chromium.ts'
import { programPath } from './private_mariadb.ts'
import { tally } from './tally.ts'

const here = import.meta.dirname
const children = new Set<ChildProcess>()
let stoppedBy: NodeJS.Signals | null = null

/** Starts the server's keeper; resolves with the server's URL. */
const startMariadb = async (): Promise<{ url: string; stop: () => Promise<void> }> => {
  const keeper = fork(join(here, 'private_mariadb.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ended = once(keeper, 'exit')
  const [message] = await Promise.race([once(keeper, 'message'), ended.then(() => [{ failed: 'its keeper ended' }])])
  if (typeof message?.url !== 'string') throw new Error(`MariaDB is installed but does not start: ${message?.failed}`)
  const stop = async (): Promise<void> => {
    if (keeper.connected) keeper.disconnect()
    await ended
  }
  return { url: message.url, stop }
}

/** Runs ava, passing its output on as it comes; resolves with its counts. */
const runAva = async (environment: NodeJS.ProcessEnv): Promise<{ passed: number; failed: number }> => {
  const ava = join(here, '..', 'node_modules', 'ava', 'entrypoints', 'cli.js')
  // Tests that start programs of ours find the same Node that runs them, whatever the machine's own is.
  const PATH = `${dirname(process.execPath)}:${environment.PATH ?? ''}`
  const child = spawn(process.execPath, [ava, ...process.argv.slice(2)], {
    env: { ...environment, PATH, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  const counting = tally()
  const lines = createInterface({ input: child.stdout })
  lines.on('line', line => {
    counting.read(line)
    console.log(line)
  })
  const [[code]] = await Promise.all([once(child, 'exit'), once(lines, 'close')])
  children.delete(child)
  return counting.end(code === 0)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    stoppedBy = signal
    for (const child of children) child.kill(signal)
  })

const main = async (): Promise<{ passed: number; failed: number }> => {
  if (chromiumPath === null)
    console.log('# Chromium is not installed (Debian: apt-get install chromium): pages are not tested')
  if (!hasSwift)
    console.log(
      '# Swift is not installed (Debian: apt-get install python3-swift): images in an object store are not tested',
    )
  const missing = ['systemd-analyze', 'promtool', 'caddy', 'nginx'].filter(name => programPath(name) === null)
  if (missing.length > 0)
    console.log(`# ${missing.join(', ')}: not installed, so their files in deploy/ are not tried by them`)
  // A name set from outside is a server that someone else keeps.
  if (process.env.TEST_MYSQL_URL) return runAva(process.env)
  if (programPath('mariadbd') === null) {
    console.log('# MariaDB is not installed (Debian: apt-get install mariadb-server): testing on SQLite alone')
    return runAva(process.env)
  }
  const mariadb = await startMariadb()
  try {
    if (stoppedBy !== null) return { passed: 0, failed: 1 }
    console.log('# testing on SQLite and on a private MariaDB')
    return await runAva({ ...process.env, TEST_MYSQL_URL: mariadb.url })
  } finally {
    await mariadb.stop()
  }
}

const { passed, failed } = await main()
if (stoppedBy !== null) console.log(`# stopped by ${stoppedBy}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
