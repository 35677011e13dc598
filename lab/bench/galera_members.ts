/**
 * A cluster of MariaDB members with Galera on loopback addresses, each with its own data and ports in a temporary folder.
 * A process of its own, asked by messages: however its parent ends, the members end and their data go.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import mysql from 'mysql2/promise'
import { freePort } from '../../test/ports.ts'
import { errorLog, giveToServer, launch, prepare, programPath, stop } from '../../test/private_mariadb.ts'
import { answerQuestions } from './measure.ts'

const joinTimeoutMs = 90_000

/** Path of Galera's library in the folders of distributions. */
const library = ['/usr/lib/galera', '/usr/lib64/galera-4']
  .map(folder => join(folder, 'libgalera_smm.so'))
  .find(existsSync)

/** Lists the packages and programs that a cluster needs and that are not installed. */
export function missing(): readonly string[] {
  return [
    ...(library === undefined ? ['galera-4'] : []),
    ...['mariadbd', 'mariadb-install-db', 'rsync'].filter(name => programPath(name) === null),
  ]
}

interface Member {
  readonly folder: string
  readonly port: number
  /** Ports of the group, and of incremental and whole transfers of state. */
  readonly group: number
  readonly incremental: number
  readonly whole: number
  server: ChildProcess | null
}

const password = randomBytes(16).toString('hex')
const members: Member[] = []
const mounted: string[] = []
let home: string | null = null

/** Half a second's silence is suspicious here: all members are on one machine, and a death must be found quickly. */
function groupOptions({ group, incremental }: Member): string {
  return [
    `gmcast.listen_addr=tcp://127.0.0.1:${group}`,
    `ist.recv_addr=127.0.0.1:${incremental}`,
    'pc.recovery=off',
    'gcache.size=64M',
    'evs.keepalive_period=PT0.5S',
    'evs.suspect_timeout=PT3S',
    'evs.inactive_timeout=PT9S',
  ].join(';')
}

function optionsOf(member: Member, isFirst: boolean): readonly string[] {
  return [
    '--wsrep-on=ON',
    `--wsrep-provider=${library}`,
    '--wsrep-cluster-name=attestor',
    '--wsrep-sst-method=rsync',
    `--wsrep-cluster-address=gcomm://${isFirst ? '' : members.map(({ group }) => `127.0.0.1:${group}`).join(',')}`,
    `--wsrep-node-name=${member.port}`,
    `--wsrep-node-address=127.0.0.1:${member.group}`,
    `--wsrep-sst-receive-address=127.0.0.1:${member.whole}`,
    `--wsrep-provider-options=${groupOptions(member)}`,
    '--wsrep-slave-threads=2',
    '--binlog-format=ROW',
    '--innodb-autoinc-lock-mode=2',
    '--innodb-buffer-pool-size=64M',
    '--innodb-flush-log-at-trx-commit=2',
    ...(isFirst && !existsSync(join(member.folder, 'data', 'attestor'))
      ? [`--init-file=${join(member.folder, 'init.sql')}`]
      : []),
  ]
}

function urlOf({ port }: Member): string {
  return `mysql://attestor:${password}@127.0.0.1:${port}/attestor`
}

/** A member answers connections before it answers statements. */
async function isReady(member: Member): Promise<boolean> {
  try {
    const connection = await mysql.createConnection({ uri: urlOf(member), connectTimeout: 1000 })
    try {
      await connection.query('SELECT COUNT(*) FROM information_schema.SCHEMATA')
      return true
    } finally {
      connection.destroy()
    }
  } catch {
    return false
  }
}

/** Debian's `libfaketime`, for a member whose clock is wrong. */
const faketime = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
].find(existsSync)

/** Returns an environment in which a program's clock is ahead. Clocks that count durations go on as before. */
function withClock(aheadMs: number): NodeJS.ProcessEnv {
  if (aheadMs === 0) return {}
  if (faketime === undefined) throw new Error('libfaketime is not installed')
  const seconds = aheadMs / 1000
  return { LD_PRELOAD: faketime, FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}s`, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
}

async function start(member: Member, { isFirst = false, aheadMs = 0 } = {}): Promise<void> {
  const program = programPath('mariadbd')
  if (program === null) throw new Error('mariadbd is not installed')
  const options = optionsOf(member, isFirst)
  member.server = launch(program, member, options, withClock(aheadMs))
  const until = performance.now() + joinTimeoutMs
  while (!(await isReady(member))) {
    if (member.server.exitCode !== null || performance.now() > until)
      throw new Error(`a member does not join:\n${errorLog(member.folder)}`)
    await pause(100)
  }
}

/** Mounts a disk of its own that can be filled. Without the permission to mount, it is left out. */
async function mountSmallDisk(folder: string): Promise<void> {
  const mount = spawn('mount', ['-t', 'tmpfs', '-o', 'size=700m', 'attestor-faults', folder], { stdio: 'ignore' })
  const [code] = await once(mount, 'exit')
  if (code === 0) mounted.push(folder)
}

async function open({ small = false }: { small?: boolean }): Promise<{ urls: readonly string[] }> {
  const within = mkdtempSync(join(tmpdir(), 'attestor-galera-'))
  home = within
  chmodSync(within, 0o755)
  for (const index of [0, 1, 2]) {
    const folder = join(within, String(index))
    mkdirSync(folder)
    const port = await freePort()
    const group = await freePort()
    const incremental = await freePort()
    const whole = await freePort()
    members.push({ folder, port, group, incremental, whole, server: null })
  }
  for (const [index, member] of members.entries()) {
    const { folder } = member
    if (index === 0 && small) await mountSmallDisk(folder)
    if (index === 0) await prepare(folder, password)
    else {
      // The first transfer of state fills it.
      mkdirSync(join(folder, 'data'))
      await giveToServer(folder)
    }
    await start(member, { isFirst: index === 0 })
  }
  return { urls: members.map(urlOf) }
}

function memberAt(index: number): Member {
  const member = members[index]
  if (member === undefined) throw new Error(`no member ${index}`)
  return member
}

async function kill({ index }: { index: number }): Promise<void> {
  const { server } = memberAt(index)
  if (server === null || server.signalCode !== null || server.exitCode !== null) return
  const gone = once(server, 'exit')
  server.kill('SIGKILL')
  await gone
}

/** Returns its position in the order of all commits, which a killed member reads from its own files. */
async function positionOf(member: Member): Promise<number> {
  const program = programPath('mariadbd')
  if (program === null) throw new Error('mariadbd is not installed')
  const log = join(member.folder, 'position.log')
  const options = [...optionsOf(member, false), '--wsrep-recover', `--log-error=${log}`]
  await once(launch(program, member, options), 'exit')
  const found = /Recovered position: [^:]+:(\d+)/.exec(readFileSync(log, 'utf8'))
  return Number(found?.[1] ?? -1)
}

/**
 * Restarts all members after they have died: the member with the most commits begins the cluster again, and the others
 * join it.
 */
async function restartAll(): Promise<void> {
  const positions = [] as number[]
  for (const member of members) positions.push(await positionOf(member))
  const first = memberAt(positions.indexOf(Math.max(...positions)))
  const state = join(first.folder, 'data', 'grastate.dat')
  writeFileSync(state, readFileSync(state, 'utf8').replace('safe_to_bootstrap: 0', 'safe_to_bootstrap: 1'))
  await start(first, { isFirst: true })
  for (const member of members) if (member !== first) await start(member)
}

async function close(): Promise<void> {
  // A member that is suspended could not be stopped.
  for (const { server } of members) server?.kill('SIGCONT')
  await Promise.all(members.map(({ server }) => (server === null ? null : stop(server))))
  for (const folder of mounted) await once(spawn('umount', [folder]), 'exit')
  if (home !== null) rmSync(home, { recursive: true, force: true })
}

function answer(work: Promise<unknown>): Promise<unknown> {
  return work.catch(error => ({ failed: String(error) }))
}

if (import.meta.main) {
  process.on('SIGINT', () => {})
  answerQuestions({
    open: (options: { small?: boolean }) => answer(open(options)),
    kill: (which: { index: number }) => answer(kill(which)),
    start: ({ index, aheadMs = 0 }: { index: number; aheadMs?: number }) => answer(start(memberAt(index), { aheadMs })),
    canSetClocks: () => faketime !== undefined,
    signal: ({ index, signal }: { index: number; signal: NodeJS.Signals }) => memberAt(index).server?.kill(signal),
    restartAll: () => answer(restartAll()),
    member({ index }: { index: number }) {
      const { folder, group, server } = memberAt(index)
      return { folder, group, pid: server?.pid }
    },
  })
  for (const word of ['disconnect', 'SIGTERM'] as const)
    process.once(word, () => void close().then(() => process.exit()))
}
