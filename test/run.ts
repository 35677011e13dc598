/**
 * `npm test`: the quick tier in one run of ava, on SQLite, and on MariaDB too where `mariadbd` is installed. `--profile`
 * prints the slowest files and tests, and fails where a file costs too much for the quick tier; `--long` runs the long tier;
 * `--long --since COMMIT --minutes N` as much of that as fits, what concerns the changes since a commit first. What else
 * is given after `--` goes to ava. The last line is `N passed, N failed`; the exit code is 0 only if something was tested and nothing failed.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { chooseLongTests } from './changed.ts'
import { chromiumPath, fullChromiumPath } from './chromium.ts'
import { makeMariadbTemplate, makeSqliteTemplate } from './database.ts'
import { openDrawings } from './drawings.ts'
import { listQuickFiles, quickFiles, writeGroups } from './groups.ts'
import { programPath } from './private_mariadb.ts'
import { openProfile } from './profile.ts'
import { openScratch } from './scratch.ts'
import { tally } from './tally.ts'
import { hasSwift } from './verification/captures/swift.ts'

const here = import.meta.dirname
const cache = join(here, '..', 'node_modules', '.cache')
const children = new Set<ChildProcess>()
let stoppedBy: NodeJS.Signals | null = null
const given = process.argv.slice(2)

/** Takes a flag and, if it has one, its value out of the arguments. */
function take(flag: string, hasValue = false): string | null {
  const at = given.indexOf(flag)
  return at === -1 ? null : (given.splice(at, hasValue ? 2 : 1).at(-1) ?? null)
}

const isLong = take('--long') !== null
const isProfiled = take('--profile') !== null
const since = take('--since', true)
const minutes = Number(take('--minutes', true) ?? 'Infinity')
const namesFiles = given.some(word => !word.startsWith('-'))
const profile = openProfile()

/** Starts the server's keeper; resolves with the server's URL. */
async function startMariadb(): Promise<{ url: string; files: NodeJS.ProcessEnv; stop: () => Promise<void> }> {
  const keeper = fork(join(here, 'private_mariadb.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ended = once(keeper, 'exit')
  const [message] = await Promise.race([once(keeper, 'message'), ended.then(() => [{ failed: 'its keeper ended' }])])
  if (typeof message?.url !== 'string') throw new Error(`MariaDB is installed but does not start: ${message?.failed}`)
  const stop = async (): Promise<void> => {
    if (keeper.connected) keeper.disconnect()
    await ended
  }
  const files = { TEST_MYSQL_CERT: message.certFile, TEST_MYSQL_KEY: message.keyFile }
  return { url: message.url, files, stop }
}

interface Counts {
  readonly passed: number
  readonly failed: number
}

/** Runs ava, passing its output on as it comes; resolves with its counts. */
async function runAva(environment: NodeJS.ProcessEnv, words: readonly string[]): Promise<Counts> {
  const ava = join(here, '..', 'node_modules', 'ava', 'entrypoints', 'cli.js')
  // Tests that start programs of ours find the same Node that runs them, not the machine's own.
  const PATH = `${dirname(process.execPath)}:${environment.PATH ?? ''}`
  const child = spawn(process.execPath, [ava, ...words], {
    env: { ...environment, PATH, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  const counting = tally()
  const lines = createInterface({ input: child.stdout })
  lines.on('line', line => {
    counting.read(line)
    profile.read(line)
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

function reportMissing(): void {
  if (chromiumPath === null)
    console.log('# Chromium is not installed (Debian: apt-get install chromium): pages are not tested')
  else if (fullChromiumPath === null)
    console.log('# Chromium with windows is not installed (Debian: apt-get install chromium): cameras are not tested')
  if (!hasSwift)
    console.log(
      '# Swift is not installed (Debian: apt-get install python3-swift): images in an object store are not tested',
    )
  const missing = ['systemd-analyze', 'promtool', 'helm', 'caddy', 'nginx'].filter(name => programPath(name) === null)
  if (missing.length > 0)
    console.log(`# ${missing.join(', ')}: not installed, so their files in deploy/ are not tried by them`)
}

/** Runs `work` with the variables that name a server and the SQL of its tables, if there is a server. */
async function withMariadb<T>(folder: string, work: (names: NodeJS.ProcessEnv) => Promise<T>): Promise<T> {
  const workWith = async (url: string, files: NodeJS.ProcessEnv = {}): Promise<T> => {
    const TEST_MYSQL_TEMPLATE = join(folder, 'template.sql')
    writeFileSync(TEST_MYSQL_TEMPLATE, await makeMariadbTemplate(url))
    return work({ TEST_MYSQL_URL: url, TEST_MYSQL_TEMPLATE, ...files })
  }
  // A name set from outside is a server that someone else keeps.
  if (process.env.TEST_MYSQL_URL) return workWith(process.env.TEST_MYSQL_URL)
  if (programPath('mariadbd') === null) {
    console.log('# MariaDB is not installed (Debian: apt-get install mariadb-server): testing on SQLite alone')
    return work({})
  }
  const mariadb = await startMariadb()
  try {
    console.log('# testing on SQLite and on a private MariaDB')
    return await workWith(mariadb.url, mariadb.files)
  } finally {
    await mariadb.stop()
  }
}

/** Runs one file after the other until the time is up; a file that then still runs counts with the results so far. */
async function runWithinTime(environment: NodeJS.ProcessEnv, files: readonly string[]): Promise<Counts> {
  const until = performance.now() + minutes * 60_000
  const counts = { passed: 0, failed: 0 }
  for (const [index, file] of files.entries()) {
    const left = until - performance.now()
    if (left <= 0 || stoppedBy !== null) {
      console.log(`# no time for ${files.length - index} more files of the long tier, the first of them ${file}`)
      break
    }
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      for (const child of children) child.kill('SIGTERM')
    }, left)
    const { passed, failed } = await runAva(environment, [...given, file])
    clearTimeout(timer)
    counts.passed += passed
    if (!isLate) counts.failed += failed
    else console.log(`# out of time in ${file}`)
  }
  return counts
}

async function runTier(environment: NodeJS.ProcessEnv): Promise<Counts> {
  if (since !== null) return runWithinTime(environment, chooseLongTests(since))
  const isWhole = !isLong && given.length === 0
  const groups = isWhole ? writeGroups(listQuickFiles()) : null
  const counts = await runAva(environment, groups?.paths ?? (isLong || namesFiles ? given : [...quickFiles, ...given]))
  groups?.remove()
  const tooSlow = profile.end(String(environment.TEST_PROFILE), isProfiled)
  if (isLong) return counts
  for (const file of tooSlow) console.log(`# costs too much for the quick tier: ${file}`)
  // Other work on the machine raises a file's cost by half: that alone is no failure of the tested code.
  return isProfiled ? { ...counts, failed: counts.failed + tooSlow.length } : counts
}

async function main(): Promise<Counts> {
  reportMissing()
  const scratch = openScratch()
  try {
    return await withMariadb(scratch.folder, async server => {
      if (stoppedBy !== null) return { passed: 0, failed: 1 }
      return runTier({
        ...process.env,
        ...server,
        TMPDIR: scratch.folder,
        TEST_PROFILE: join(scratch.folder, 'profile.jsonl'),
        TEST_SQLITE_TEMPLATE: await makeSqliteTemplate(scratch.folder),
        TEST_TIER: isLong ? 'long' : 'quick',
        // The long tier draws pictures by the thousand.
        ...(isLong ? {} : { TEST_DRAWINGS: openDrawings(cache) }),
        // Each test process would otherwise strip and compile the whole service again.
        NODE_COMPILE_CACHE: join(cache, 'node'),
      })
    })
  } finally {
    scratch.remove()
  }
}

const { passed, failed } = await main()
if (stoppedBy !== null) console.log(`# stopped by ${stoppedBy}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
