/**
 * From a commit to Stately's receiver: `node bench/inspect.ts [sqlite|mysql] [TRANSACTIONS]`. `attestor inspect` reads
 * another process's commits; in Chromium, the receiver of `@statelyai/inspect` gets the message: of one transaction, then
 * with many in sight. `console.ts` measures how long the console takes to light a state.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Frame } from 'puppeteer-core'
import { launchChromium } from '../test/chromium.ts'
import { serveReceiver } from '../test/console/inspect/receiver.ts'
import { eachDialect } from '../test/database.ts'
import { newTransaction } from '../test/durable/actors/charts.ts'
import { openRig } from '../test/durable/actors/rig.ts'
import { limits } from '../test/machines/events.ts'
import { machine, median, table, urlOf } from './measure.ts'

const wanted = process.argv[2] === 'mysql' ? 'MariaDB' : 'SQLite'
const many = Number(process.argv[3] ?? '1000')
const events = 60

const engine = eachDialect.find(({ name }) => name === wanted)
if (engine === undefined) throw new Error('TEST_MYSQL_URL must name a server')
const { host, transaction, database, close } = await openRig(engine)
const receiver = await serveReceiver()

const capture = { capture_id: '00000000-0000-4000-8000-000000000000', digest: 'two' }
const start = { type: 'START', declared_document: 'ID_CARD', facts: capture } as const
const take = { type: 'FRONT_CAPTURED', capture } as const
const drop = { type: 'FRONT_DROPPED' } as const
const input = { transaction_type: 'DOCUMENT_AND_BIOMETRIC', limits: { ...limits, capture_attempts: 1000 } } as const

async function openTransaction(): Promise<string> {
  const actor = newTransaction(input)
  await host.create(transaction, actor)
  await host.send(transaction, actor.id, start)
  return actor.id
}

async function startInspector(...words: string[]) {
  const cli = join(import.meta.dirname, '../src/cli.ts')
  const env = { DATABASE_URL: urlOf(database.address), MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
  const child = spawn(process.execPath, [cli, 'inspect', '--stately-url', receiver.url, ...words], { env })
  process.once('exit', () => child.kill())
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const cpu_ms = (): number => {
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * 10
  }
  const end = async (): Promise<void> => {
    child.kill()
    await once(child, 'exit')
  }
  return { url: line.slice(line.indexOf('http')), cpu_ms, end }
}

function now(): number {
  return performance.timeOrigin + performance.now()
}

/** The frame in which the receiver has at least so many messages. */
async function openFrame(url: string, count: number): Promise<Frame> {
  await page.goto(url)
  const frame = await page.waitForFrame(inner => inner.url().endsWith('/inspect'))
  await frame.waitForFunction(`window.receivedAt?.length >= ${count}`, { timeout: 60_000 })
  return frame
}

/** One event after the other, the next when it was received: the time of each in milliseconds. */
async function measure(id: string, frame: Frame): Promise<readonly number[]> {
  const lags: number[] = []
  for (let index = 0; index < events; index++) {
    const received = Number(await frame.evaluate('receivedAt.length'))
    await host.send(transaction, id, index % 2 === 0 ? take : drop)
    const committed = now()
    await frame.waitForFunction(`receivedAt.length > ${received + 1}`, { timeout: 60_000 })
    lags.push(Number(await frame.evaluate('receivedAt.at(-1)')) - committed)
  }
  return lags
}

function row(what: string, values: readonly number[]): readonly string[] {
  return [what, median(values).toFixed(0), Math.max(...values).toFixed(0)]
}

const browser = await launchChromium()
const page = await browser.newPage()
page.setDefaultTimeout(240_000)

console.log(`${machine()}, ${wanted}`)
const first = await openTransaction()
const one = await startInspector(first)
const alone = await measure(first, await openFrame(one.url, 1))
await one.end()

for (let count = 1; count < many; count++) await openTransaction()
const last = await openTransaction()
const all = await startInspector('--newest', String(many))
const began = now()
// Each has been created and has started: five messages, and its delivery as many as it has states.
const frame = await openFrame(all.url, many * 5)
const loadedMs = now() - began
const crowded = await measure(last, frame)
const cpuBefore = all.cpu_ms()
const idleBegan = now()
await new Promise(resolve => setTimeout(resolve, 5000))
const idleCpu = (all.cpu_ms() - cpuBefore) / (now() - idleBegan)

console.log(
  table([
    ['from the commit to the receiver, ms', 'median', 'longest'],
    row('one transaction', alone),
    row(`the same with ${many} transactions in sight`, crowded),
  ]),
)
console.log(`${many} transactions: received after ${loadedMs.toFixed(0)} ms`)
console.log(`the inspector’s own CPU while nothing happens: ${(idleCpu * 100).toFixed(1)} % of a core`)

await browser.close()
await all.end()
receiver.close()
await close()
