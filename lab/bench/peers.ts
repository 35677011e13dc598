/**
 * `npm run bench:peers -- [--seconds 4] [--rounds 5] [--packages FOLDER] [--only words]`: the same small lifecycle (nine events, two
 * timers, an analysis, one notification) by Attestor's durable core, by Restate, by Restate's XState package, by DBOS on
 * PostgreSQL, and by XState persisted by hand. All are called over HTTP, in rounds that take turns. Prints lifecycles per
 * CPU second of all processes of each, its database's too; the load generator is not counted.
 *
 * Peers are installed with npm into a temporary folder, or found in one that is named. DBOS needs Debian's `postgresql`.
 * What can't be installed or started is named, and the rest is measured.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { asError } from '../../src/base/api_error.ts'
import { machine, median, type Program, startProgram, table } from './measure.ts'
import type { PeerOptions } from './peers/contender.ts'
import { type Calls, type Hook, keepBusy, openHook } from './peers/load.ts'
import { installPackages } from './peers/packages.ts'

const { values: given } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
    packages: { type: 'string' },
    only: { type: 'string', default: '' },
  },
})
const concurrencies = [16, 64]

const plain: Calls = {
  create: '/peer/:id/create',
  send: '/peer/:id/send',
  wrap: event => event,
  status: '/peer/:id/status',
}
const wrapped: Calls = { ...plain, wrap: event => ({ event }) }

const known = [
  { name: 'Attestor', file: 'peers/attestor.ts', calls: plain },
  { name: 'XState by hand', file: 'peers/by_hand.ts', calls: plain },
  { name: 'Restate, virtual object', file: 'peers/restate_object.ts', calls: wrapped },
  {
    name: 'Restate with its XState',
    file: 'peers/restate_xstate.ts',
    calls: { ...wrapped, status: '/peer/:id/snapshot' },
  },
  { name: 'DBOS on PostgreSQL', file: 'peers/dbos.ts', calls: plain },
] as const

interface Running {
  readonly name: string
  readonly calls: Calls
  readonly program: Program
  readonly url: string
}

/** Lifecycles per CPU second, and a second. */
interface Round {
  readonly perCpu: number
  readonly rate: number
}

async function start(one: (typeof known)[number], options: PeerOptions): Promise<Running | null> {
  mkdirSync(options.data)
  const program = startProgram(one.file, { PEER_OPTIONS: JSON.stringify(options) })
  try {
    return { ...one, program, url: await program.ask<string>('ready') }
  } catch (error) {
    console.log(`${one.name}: not measured, ${asError(error).message}`)
    await program.end()
    return null
  }
}

async function measure({ program, url, calls }: Running, hook: Hook, concurrency: number): Promise<Round> {
  const before = await program.ask<number>('usage')
  const began = performance.now()
  const count = await keepBusy(url, { calls, hook, concurrency, seconds: Number(given.seconds) })
  const rate = (count / (performance.now() - began)) * 1000
  // Work in the background belongs to this contender, not to the next one.
  await pause(500)
  return { rate, perCpu: (count / ((await program.ask<number>('usage')) - before)) * 1000 }
}

function spread(values: readonly number[], digits: number): string {
  const middle = median(values)
  const least = Math.min(...values)
  const most = Math.max(...values)
  return `${middle.toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`
}

function report(all: ReadonlyMap<string, readonly Round[]>): string {
  const own = all.get('Attestor') ?? []
  const rows = [...all].map(([name, rounds]) => [
    name,
    spread(
      rounds.map(({ perCpu }) => perCpu),
      0,
    ),
    spread(
      rounds.map(({ perCpu }, index) => (own[index]?.perCpu ?? Number.NaN) / perCpu),
      2,
    ),
    spread(
      rounds.map(({ rate }) => rate),
      0,
    ),
  ])
  return table([['', 'lifecycles per CPU second', 'Attestor ÷ it', 'a second'], ...rows])
}

async function findPackages(folder: string): Promise<string> {
  if (given.packages !== undefined) return given.packages
  const packages = join(folder, 'packages')
  mkdirSync(packages)
  writeFileSync(join(packages, 'package.json'), '{}')
  await installPackages(packages).catch(error =>
    console.log(`npm could not install the peers: ${asError(error).message}`),
  )
  return packages
}

async function main(folder: string, hook: Hook, running: Running[]): Promise<void> {
  const packages = await findPackages(folder)
  for (const [index, one] of known.entries()) {
    if (!one.name.includes(given.only)) continue
    const started = await start(one, { hook: hook.url, data: join(folder, String(index)), packages })
    if (started !== null) running.push(started)
  }
  // Every contender is warmed up before it is measured.
  for (const { url, calls } of running)
    await keepBusy(url, { calls, hook, concurrency: 16, seconds: Number(given.seconds) })
  for (const concurrency of concurrencies) {
    const all = new Map<string, Round[]>(running.map(({ name }) => [name, []]))
    for (let round = 0; round < Number(given.rounds); round++)
      for (const one of running) all.get(one.name)?.push(await measure(one, hook, concurrency))
    console.log(`\n${concurrency} at once\n${report(all)}`)
  }
  console.log(`\n${machine()}`)
}

const folder = mkdtempSync(join(tmpdir(), 'attestor-peers-'))
// PostgreSQL runs as a user of its own.
chmodSync(folder, 0o711)
const hook = await openHook()
const running: Running[] = []
try {
  await main(folder, hook, running)
} finally {
  for (const { program } of running) await program.end()
  await hook.close()
  if (existsSync(folder)) rmSync(folder, { recursive: true, maxRetries: 20, retryDelay: 200 })
}
