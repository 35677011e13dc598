/**
 * From a commit to the eye: `node bench/inspect.ts [sqlite|mysql] [TRANSACTIONS]`. `attestor inspect` reads another
 * process's commits; in Chromium, our own page lights the state, and the receiver of `@statelyai/inspect` gets the message.
 * Then the same with many transactions in sight.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Frame, Page } from 'puppeteer-core'
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
  const child = spawn(process.execPath, [cli, 'inspect', '--no-open', '--stately-url', receiver.url, ...words], { env })
  process.once('exit', () => child.kill())
  const reader = createInterface({ input: child.stdout })
  const lines: string[] = []
  reader.on('line', line => lines.push(line))
  while (lines.length < 3) await once(reader, 'line')
  const [own = '', stately = ''] = lines.map(line => line.slice(line.indexOf('http')))
  const cpu_ms = (): number => {
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * 10
  }
  const end = async (): Promise<void> => {
    child.kill()
    await once(child, 'exit')
  }
  return { own, stately, cpu_ms, end }
}

function now(): number {
  return performance.timeOrigin + performance.now()
}

/** When the frame after the lit states changed was painted, each time: kept in the page. */
const watchPixels = `window.paintedAt = []
new MutationObserver(records => {
  const lit = records.some(({ target }) => target.classList.contains('state'))
  if (lit) requestAnimationFrame(() => setTimeout(() => paintedAt.push(performance.timeOrigin + performance.now())))
}).observe(document.querySelector('#chart'), { subtree: true, attributes: true, attributeFilter: ['class'] })`

/** Waits for one more of a list in the page; resolves with the last. */
async function nextOf(where: Page | Frame, list: string, before: number): Promise<number> {
  await where.waitForFunction(`${list}.length > ${before}`, { timeout: 60_000 })
  return Number(await where.evaluate(`${list}.at(-1)`))
}

async function lengthOf(where: Page | Frame, list: string): Promise<number> {
  return Number(await where.evaluate(`${list}.length`))
}

interface Lag {
  readonly pixel: number
  readonly message: number | null
}

/** One event after the other, the next when everybody has seen it. */
async function measure(id: string, own: Page, frame: Frame | null): Promise<readonly Lag[]> {
  const lags: Lag[] = []
  for (let index = 0; index < events; index++) {
    const painted = await lengthOf(own, 'paintedAt')
    const received = frame === null ? 0 : await lengthOf(frame, 'receivedAt')
    await host.send(transaction, id, index % 2 === 0 ? take : drop)
    const committed = now()
    const [pixel, message] = await Promise.all([
      nextOf(own, 'paintedAt', painted),
      frame === null ? null : nextOf(frame, 'receivedAt', received + 1),
    ])
    lags.push({ pixel: pixel - committed, message: message === null ? null : message - committed })
  }
  return lags
}

function worst(values: readonly number[]): string {
  return Math.max(...values).toFixed(0)
}

function row(what: string, values: readonly number[]): readonly string[] {
  return [what, median(values).toFixed(0), worst(values)]
}

// A page that is not in front paints no frame: each has a browser of its own.
const browser = await launchChromium()
const other = await launchChromium()
const page = await browser.newPage()
page.setDefaultTimeout(240_000)
const stately = await other.newPage()

console.log(`${machine()}, ${wanted}`)
const first = await openTransaction()
const one = await startInspector(first)
await stately.goto(one.stately)
const frame = await stately.waitForFrame(inner => inner.url().endsWith('/inspect'))
await frame.waitForFunction('window.receivedAt?.length > 0')
await page.goto(one.own)
await page.waitForSelector('#chart .state.active')
await page.evaluate(watchPixels)
const alone = await measure(first, page, frame)
await other.close()
await one.end()

for (let count = 1; count < many; count++) await openTransaction()
const last = await openTransaction()
const all = await startInspector('--newest', String(many))
const began = now()
await page.goto(all.own)
await page.waitForFunction(`document.querySelector('#actor-count').textContent.startsWith('${many} transactions')`)
await page.waitForSelector('#chart .state.active')
const loadedMs = now() - began
await page.evaluate(watchPixels)
const crowded = await measure(last, page, null)
const { JSHeapUsedSize = 0 } = await page.metrics()
const cpuBefore = all.cpu_ms()
const idleBegan = now()
await new Promise(resolve => setTimeout(resolve, 5000))
const idleCpu = (all.cpu_ms() - cpuBefore) / (now() - idleBegan)

console.log(
  table([
    ['from the commit, ms', 'median', 'longest'],
    row(
      'protocol message in the package’s receiver',
      alone.flatMap(({ message }) => message ?? []),
    ),
    row(
      'lit state in our own page',
      alone.map(({ pixel }) => pixel),
    ),
    row(
      `the same with ${many} transactions in sight`,
      crowded.map(({ pixel }) => pixel),
    ),
  ]),
)
console.log(
  `${many} transactions: in sight after ${loadedMs.toFixed(0)} ms, ${(JSHeapUsedSize / 2 ** 20).toFixed(0)} MiB in the page`,
)
console.log(`the inspector’s own CPU while nothing happens: ${(idleCpu * 100).toFixed(1)} % of a core`)

await browser.close()
await all.end()
receiver.close()
await close()
