/**
 * `npm run test:faults:sqlite -- [--kills 1000] [--seconds 3600] [--seed 1]`: the service on an SQLite file, with its HTTP, images,
 * analysis jobs and webhooks, is killed with SIGKILL again and again under load: every other time from outside, at a
 * random instant, also of its start, and else at a crash point of a commit or a job. After every hundred kills a last
 * life ends what was begun; the clients' record is compared with the database and with what the receiver of webhooks had, and the service
 * opens all that it acknowledged. Then another database begins. Exits 0 only if nothing was lost and nothing happened
 * twice. The seed repeats instants and points, and what clients do.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { migrate, openStore } from 'durable-xstate-sql'
import { crashPoints } from 'durable-xstate-sql/testing'
import { readDatabaseAddress } from '../../../src/config/settings.ts'
import { schema } from '../../../src/database/schema.ts'
import { machine } from '../measure.ts'
import { compare, drain, findStuck } from './check.ts'
import { type ClientOptions, type LoadRecord, newRecord } from './client.ts'
import { given } from './kill_options.ts'
import { type Lives, startLives } from './lives.ts'
import { runLoad } from './load.ts'
import { createAccount, type Environment, sharedSettings } from './nodes.ts'
import { seededRandom } from './random.ts'
import { checkAudit, readBack } from './read_back.ts'
import { openReceiver, type Receiver } from './receiver.ts'

const random = seededRandom(Number(given.seed))
const loadRandom = seededRandom(Number(given.seed) + 1)
const until = performance.now() + Number(given.seconds) * 1000
/** Kills on one database. */
const roundKills = 100
/** A life that is killed from outside lasts at most so long, from its start or from when it is ready. */
const maxLifeMs = 2_500
/** A point that is reached as seldom as this is waited for no longer. */
const patienceMs = 5_000
const clients = 6
/** Number of ended lives, by the phase that they were in. */
const deaths = new Map<string, number>()
let kills = 0

function isOver(): boolean {
  return kills >= Number(given.kills) || performance.now() > until
}

async function killFromOutside(node: Lives): Promise<string> {
  const { child, lines } = node.now()
  // On a busy machine a life would not come further than its start.
  if (kills % 4 === 0) await node.ready()
  await pause(random() * maxLifeMs)
  child.kill('SIGKILL')
  return lines.some(line => line.includes('"message":"ready"')) ? 'at a random instant' : 'during its start'
}

async function killAtPoint(node: Lives): Promise<string> {
  const point = crashPoints[Math.floor(random() * crashPoints.length)] ?? 'commit.begun'
  const { child, ended } = node.now()
  await node.arm(point, 1 + Math.floor(random() * 12))
  let death = `at ${point}`
  const impatient = setTimeout(() => {
    death = 'at a random instant'
    child.kill('SIGKILL')
  }, patienceMs)
  await ended
  clearTimeout(impatient)
  return death
}

async function killOften(node: Lives): Promise<void> {
  for (let count = 0; count < roundKills && !isOver(); count++) {
    const death = await (kills % 2 === 0 ? killFromOutside(node) : killAtPoint(node))
    await node.next()
    deaths.set(death, (deaths.get(death) ?? 0) + 1)
    kills += 1
    if (kills % 10 === 0) console.log(`${kills} kills`)
  }
}

interface Round {
  readonly file: string
  readonly node: Lives
  readonly settings: Environment
  readonly account: ClientOptions['account']
  readonly record: LoadRecord
  readonly receiver: Receiver
}

/** Finds faults once all running work has ended. */
async function judge({ file, node, settings, account, record, receiver }: Round): Promise<readonly string[]> {
  const store = await openStore(readDatabaseAddress(settings), 2)
  const stuck = await drain(store, 240_000)
  const unreadable = await readBack(node.url, account, record.carried)
  await node.stop()
  const { faults, timers, events } = await compare(store, record.carried, receiver)
  const all = [...faults, ...unreadable, ...(await checkAudit(store)), ...(await findStuck(store))]
  await store.close()
  const database = new Database(file)
  const integrity = database.pragma('integrity_check', { simple: true })
  database.close()
  const images = record.carried.reduce((sum, one) => sum + one.images.kept.size, 0)
  const late = timers.toSorted((a, b) => a - b)
  const [least = 0, most = 0] = [late[0], late.at(-1)]
  console.log(
    `${record.carried.length} transactions, ${events} more events, ${images} images, ${receiver.firsts.size} statuses sent (${receiver.count()} webhooks), ${late.length} timers ${least} to ${most} ms after their time`,
  )
  return [
    ...all,
    ...(stuck === '' ? [] : [stuck]),
    ...(least < 0 ? [`a timer was ${-least} ms early`] : []),
    ...(integrity === 'ok' ? [] : [`the file is damaged: ${integrity}`]),
  ]
}

/** One database, from its making to its judgement. */
async function liveThrough(folder: string): Promise<readonly string[]> {
  const file = join(folder, 'attestor.sqlite')
  const settings = { ...sharedSettings(`sqlite:${file}`), NODE_COMPILE_CACHE: join(folder, 'compiled') }
  await migrate(readDatabaseAddress(settings), schema)
  const account = await createAccount(settings)
  const node = await startLives(settings)
  const receiver = await openReceiver()
  const record = newRecord()
  const ending = new AbortController()
  try {
    const options = { nodes: [node], hook: receiver.url, account, random: loadRandom, signal: ending.signal }
    const load = runLoad(options, clients, record)
    await killOften(node)
    ending.abort()
    await load
    return await judge({ file, node, settings, account, record, receiver })
  } finally {
    ending.abort()
    await Promise.all([node.stop(), receiver.close()])
    for (const line of new Set(node.errors.slice(0, 10))) console.log(`logged: ${line}`)
  }
}

async function main(): Promise<boolean> {
  const faults: string[] = []
  let rounds = 0
  for (; !isOver() && faults.length === 0; rounds++) {
    const folder = mkdtempSync(join(tmpdir(), 'attestor-kills-'))
    faults.push(...(await liveThrough(folder)))
    if (faults.length === 0) rmSync(folder, { recursive: true, maxRetries: 5 })
    else console.log(`kept for a look: ${folder}`)
  }
  for (const fault of faults.slice(0, 40)) console.log(`FAULT: ${fault}`)
  const words = [...deaths].sort().map(([death, count]) => `${death} ${count}`)
  console.log(`${kills} kills, ${faults.length} faults: ${words.join(', ')}`)
  console.log(`${rounds} databases, seed ${given.seed}; ${machine()}`)
  return faults.length === 0
}

process.exitCode = (await main()) ? 0 : 1
