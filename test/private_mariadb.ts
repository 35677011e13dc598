/**
 * A MariaDB server of the test run's own: own data directory, free port, loopback only. A process of its own, forked by
 * `test/run.ts`: however the run ends, killed or not, the closed channel makes this one stop the server and remove
 * its data. Says `{url}` once the server answers, or `{failed}`.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import mysql from 'mysql2/promise'
import { freePort } from './ports.ts'
import { makeCertificate } from './webhooks/receiver.ts'

const startTimeoutMs = 180_000
const stopTimeoutMs = 10_000
/** Servers live in sbin, which an ordinary user's PATH leaves out. */
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin']

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The path of a program, or null where it isn't installed. */
export function programPath(name: string): string | null {
  return folders.map(folder => join(folder, name)).find(isExecutable) ?? null
}

const run = promisify(execFile)

/** The server refuses to run as root, and its package brings a user for it. */
const asUser = process.getuid?.() === 0 ? ['--user=mysql'] : []

/** Makes the server's user the owner of a folder. */
export async function giveToServer(folder: string): Promise<void> {
  if (asUser.length > 0) await run('chown', ['-R', 'mysql', folder])
}

/** Makes an empty data directory in `folder`, and the statements that make the database and its user. */
export async function prepare(folder: string, password: string): Promise<void> {
  const installer = programPath('mariadb-install-db')
  if (installer === null) throw new Error('mariadb-install-db is not installed')
  await giveToServer(folder)
  // Its own place for temporary tables too: a server that starts removes all that lie in there.
  const places = [`--datadir=${join(folder, 'data')}`, `--tmpdir=${folder}`]
  const options = ['--auth-root-authentication-method=normal', '--skip-test-db', ...asUser]
  await run(installer, ['--no-defaults', ...places, ...options])
  const accounts = `CREATE DATABASE attestor;
CREATE USER 'attestor'@'%' IDENTIFIED BY '${password}';
GRANT ALL ON *.* TO 'attestor'@'%' WITH GRANT OPTION;
`
  writeFileSync(join(folder, 'init.sql'), accounts, { mode: 0o644 })
}

/** Starts a server on loopback with the data of `folder`; `more` adds options. */
export function launch(
  program: string,
  { folder, port }: { readonly folder: string; readonly port: number },
  more: readonly string[] = [],
  environment: NodeJS.ProcessEnv = {},
): ChildProcess {
  return spawn(
    program,
    [
      '--no-defaults',
      `--datadir=${join(folder, 'data')}`,
      `--tmpdir=${folder}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      '--skip-name-resolve',
      `--socket=${join(folder, 'socket')}`,
      `--pid-file=${join(folder, 'pid')}`,
      `--log-error=${join(folder, 'error.log')}`,
      '--max-connections=500',
      ...asUser,
      ...more,
    ],
    // It is not in our group, so that a Ctrl-C at the terminal reaches the run first.
    { stdio: 'ignore', detached: true, env: { ...process.env, ...environment } },
  )
}

async function answers(url: string): Promise<boolean> {
  try {
    const connection = await mysql.createConnection({ uri: url, connectTimeout: 1000 })
    await connection.end()
    return true
  } catch {
    return false
  }
}

/** Resolves when a server answers. @throws {Error} where it has ended or does not answer in time */
export async function ready(server: ChildProcess, url: string): Promise<void> {
  const until = performance.now() + startTimeoutMs
  while (!(await answers(url))) {
    if (server.exitCode !== null) throw new Error(`mariadbd ended with ${server.exitCode}`)
    if (performance.now() > until) throw new Error('mariadbd did not answer in time')
    await pause(50)
  }
}

/** Ends a server in order, or after ten seconds out of order. */
export async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGTERM')
  const grace = new AbortController()
  await Promise.race([ended, pause(stopTimeoutMs, null, { signal: grace.signal }).catch(() => null)])
  grace.abort()
  if (server.exitCode === null && server.signalCode === null) server.kill('SIGKILL')
  await ended
}

/** The end of a server's log. */
export function errorLog(folder: string): string {
  try {
    return readFileSync(join(folder, 'error.log'), 'utf8').slice(-2000)
  } catch {
    return ''
  }
}

async function serve(program: string, folder: string): Promise<void> {
  const password = randomBytes(16).toString('hex')
  await prepare(folder, password)
  const port = await freePort()
  const { cert, private: key } = await makeCertificate(['localhost'], [])
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  writeFileSync(certFile, cert)
  writeFileSync(keyFile, key)
  await giveToServer(folder)
  const own = [
    `--ssl-cert=${certFile}`,
    `--ssl-key=${keyFile}`,
    // It signed itself, and the certificate of a client may be the same.
    `--ssl-ca=${certFile}`,
    `--init-file=${join(folder, 'init.sql')}`,
    // No test takes the power away: nothing waits for a disk.
    '--innodb-flush-log-at-trx-commit=0',
    '--skip-innodb-doublewrite',
    '--skip-log-bin',
    '--innodb-flush-method=nosync',
    // A test's process may stand still for long: it is waited for.
    '--connect-timeout=300',
    '--net-read-timeout=300',
    '--net-write-timeout=300',
    '--innodb-lock-wait-timeout=300',
  ]
  const server = launch(program, { folder, port }, own)
  try {
    const url = `mysql://attestor:${password}@127.0.0.1:${port}/attestor`
    await ready(server, url)
    process.send?.({ url, certFile, keyFile })
    if (process.connected) await once(process, 'disconnect')
  } finally {
    // Its data is removed with it, so it need not write them.
    server.kill('SIGKILL')
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
  }
}

async function main(program: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-mariadb-'))
  try {
    await serve(program, folder)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (process.connected) process.send?.({ failed: `${message}\n${errorLog(folder)}` })
    process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
    if (process.connected) process.disconnect()
  }
}

// The run stops us by closing the channel; a Ctrl-C goes to it, not to us.
const program = programPath('mariadbd')
if (import.meta.main && program !== null) {
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => {})
  await main(program)
}
