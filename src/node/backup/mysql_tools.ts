import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { findUsableHost, type MysqlAddress, readErrorCode } from 'durable-xstate-sql/sql'
import { asError } from '../../base/api_error.ts'
import { countDumpRows } from './dump_rows.ts'
import { backupError, inMegabytes, type OnProgress } from './manifest.ts'

/** The names of each tool, MariaDB's and MySQL's. The first that is installed is used. */
const tools = { dump: ['mariadb-dump', 'mysqldump'], load: ['mariadb', 'mysql'] } as const

function quoted(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

/** Other processes could read a password in the arguments or the environment. */
async function withOptionFile<T>(address: MysqlAddress, work: (option: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'attestor-backup-'))
  try {
    const { host, port, user, password, tls } = await findUsableHost(address)
    const lines = ['[client]', `host=${quoted(host)}`, `port=${port}`, 'protocol=tcp', `user=${quoted(user)}`]
    // MariaDB's and MySQL's tools have other words for the same.
    // MariaDB's know no authority without the name.
    const mode = tls?.verifiesName === true ? 'VERIFY_IDENTITY' : 'VERIFY_CA'
    const secure = tls === undefined ? [] : ['ssl', `loose-ssl-mode=${mode}`, 'loose-ssl-verify-server-cert']
    const { caFile = null, certFile = null, keyFile = null } = tls ?? {}
    const files = Object.entries({ 'ssl-ca': caFile, 'ssl-cert': certFile, 'ssl-key': keyFile })
    for (const [name, file] of files) if (file !== null) secure.push(`${name}=${quoted(file)}`)
    const file = join(folder, 'options.cnf')
    await writeFile(file, [...lines, ...secure, `password=${quoted(password)}`, ''].join('\n'), { mode: 0o600 })
    return await work(`--defaults-extra-file=${file}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function start(names: readonly string[], args: readonly string[]): Promise<ChildProcess> {
  for (const name of names) {
    const child = spawn(name, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    try {
      await once(child, 'spawn')
      return child
    } catch (error) {
      if (readErrorCode(error) !== 'ENOENT') throw backupError(`${name}: ${asError(error).message}`)
    }
  }
  throw backupError(`PATH: has neither ${names.join(' nor ')}: install the client programs of your database server`)
}

/** Runs a tool whose streams `work` reads or fills. @throws {ApiError} with the tool's own message if it fails */
async function runTool(
  names: readonly string[],
  args: readonly string[],
  work: (child: ChildProcess) => Promise<void>,
): Promise<void> {
  const child = await start(names, args)
  const said = child.stderr === null ? '' : text(child.stderr)
  const ended = once(child, 'close')
  const failed = await work(child).then(() => null, asError)
  const [code, signal] = await ended
  if (code !== 0) throw backupError(`${names[0]}: ended with ${code ?? signal}: ${(await said).trim()}`)
  if (failed !== null) throw failed
}

/** The last line of a complete dump. */
const ending = '-- Dump completed'

export interface Dumped {
  readonly bytes: number
  readonly sha256: string
  readonly rows: Readonly<Record<string, number>>
}

/**
 * Writes the database as it is at one instant to `file`, while nodes go on. Rows and digest are those of the written
 * file.
 */
export function dumpMysql(address: MysqlAddress, file: string, onProgress: OnProgress): Promise<Dumped> {
  return withOptionFile(address, async option => {
    const hash = createHash('sha256')
    const counted = countDumpRows()
    let bytes = 0
    let end = ''
    const look = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk)
        counted.add(chunk)
        bytes += chunk.length
        end = (end + chunk.toString('latin1').slice(-100)).slice(-100)
        onProgress(`dumping: ${inMegabytes(bytes)}`)
        done(null, chunk)
      },
    })
    const args = ['--single-transaction', '--quick', '--no-tablespaces', '--skip-dump-date', '--skip-triggers']
    const session = ['--default-character-set=utf8mb4', '--max-allowed-packet=64M']
    await runTool(tools.dump, [option, ...args, ...session, address.database], async ({ stdout }) => {
      if (stdout !== null) await pipeline(stdout, look, createWriteStream(file, { flags: 'wx', mode: 0o600 }))
    })
    if (!end.includes(ending)) throw backupError(`${tools.dump[0]}: the dump has no end`)
    return { bytes, sha256: hash.digest('hex'), rows: counted.rows }
  })
}

/** Runs a dump in a database. */
export function loadMysql(address: MysqlAddress, file: string, onProgress: OnProgress): Promise<void> {
  return withOptionFile(address, option => {
    let bytes = 0
    const look = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length
        onProgress(`restoring: ${inMegabytes(bytes)}`)
        done(null, chunk)
      },
    })
    const args = [option, '--binary-mode', '--default-character-set=utf8mb4', '--max-allowed-packet=64M']
    return runTool(tools.load, [...args, address.database], async ({ stdin, stdout }) => {
      stdout?.resume()
      if (stdin !== null) await pipeline(createReadStream(file), look, stdin)
    })
  })
}
