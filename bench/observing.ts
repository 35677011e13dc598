/**
 * What metrics and traces cost: `node bench/observing.ts [SECONDS A ROUND] [ROUNDS]`. Four services on SQLite do whole
 * lifecycles over HTTP with scripted analysis and webhooks, in turns: without either; with metrics; with traces of all
 * calls, and of one in a hundred, sent to a collector that accepts them. What counts is CPU of the service and its
 * children a lifecycle. A scrape is measured by itself, since one in 15 seconds is too few for a round.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { oneDialect } from '../test/database.ts'
import { smallPhoto } from '../test/small_photo.ts'
import { callsEach, keepBusy, type Load, lifecycle } from './lifecycle_load.ts'
import { machine, type Program, spread, startProgram, table, urlOf } from './measure.ts'

const seconds = Number(process.argv[2] ?? 4)
const rounds = Number(process.argv[3] ?? 7)
const concurrency = 16
const scrapes = 50

interface Batch {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly unknown[] }[] }[]
}

/** Takes traces as a collector does, and counts their spans. */
async function openCollector() {
  const heard = { spans: 0 }
  const server = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as Batch
    for (const { scopeSpans } of resourceSpans) for (const { spans } of scopeSpans) heard.spans += spans.length
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { heard, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

interface Contender {
  readonly name: string
  readonly program: Program
  readonly load: Load
  /** CPU milliseconds a lifecycle, one a round. */
  readonly costs: number[]
  /** Lifecycles, all rounds together. */
  done: number
}

async function cpuOf({ program }: Contender): Promise<number> {
  return (await program.ask<{ cpu_ms: number }>('usage')).cpu_ms
}

/** What goes on in the background counts too, and not as the next one's. */
async function runRound(contender: Contender): Promise<void> {
  const before = await cpuOf(contender)
  const began = performance.now()
  const rate = (await keepBusy(contender.load, concurrency, seconds, lifecycle)) / callsEach
  const done = (rate * (performance.now() - began)) / 1000
  await pause(1500)
  contender.done += done
  contender.costs.push(((await cpuOf(contender)) - before) / done)
}

async function scrape(url: string, token: string): Promise<number> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  if (!answer.ok) throw new Error(`/metrics: ${answer.status}`)
  return (await answer.text()).length
}

/** CPU milliseconds of a scrape, beyond what the service does meanwhile by itself. */
async function measureScrapes(contender: Contender, token: string): Promise<string> {
  const idle = await cpuOf(contender)
  await pause(3000)
  const before = await cpuOf(contender)
  const began = performance.now()
  let bytes = 0
  for (let count = 0; count < scrapes; count++) bytes = await scrape(contender.load.url, token)
  const took = performance.now() - began
  const each = ((await cpuOf(contender)) - before - ((before - idle) * took) / 3000) / scrapes
  return `a scrape: ${each.toFixed(1)} CPU ms, ${(bytes / 1024).toFixed(0)} KiB; every 15 s that is ${((each / 15_000) * 100).toFixed(2)} % of a core`
}

const [engine] = oneDialect
if (engine === undefined) throw new Error('no database')
const collector = await openCollector()
const token = randomBytes(24).toString('hex')
const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
const sampled = { ...traces, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.01' }
const kinds: readonly [name: string, settings: Readonly<Record<string, string>>][] = [
  ['neither', {}],
  ['metrics', { METRICS_TOKEN: token }],
  ['traces', traces],
  ['traces, 1 in 100', sampled],
]
const ends: (() => Promise<unknown>)[] = []

try {
  console.log(`SQLite, ${concurrency} at once, ${rounds} rounds of ${seconds} s; ${machine()}`)
  const photo = await smallPhoto()
  const receiver = startProgram('deliveries_receiver.ts', {})
  ends.push(receiver.end)
  const { alive } = await receiver.ask<{ alive: number[] }>('open', { alive: 1, dead: 0 })
  const webhook = `http://127.0.0.1:${alive[0]}/hook`
  const contenders: Contender[] = []
  for (const [name, settings] of kinds) {
    const database = await engine.fresh()
    const own = { DATABASE_URL: urlOf(database.address), MASTER_KEY: randomBytes(32).toString('base64') }
    const program = startProgram('lifecycle_service.ts', { ...own, PORT: '0', ...settings })
    ends.unshift(program.end)
    ends.push(database.drop)
    const ready = await program.ask<Omit<Load, 'photo'>>('ready')
    contenders.push({ name, program, load: { ...ready, photo, webhook }, costs: [], done: 0 })
  }
  // The first calls pay for what is loaded then.
  for (const { load } of contenders) await keepBusy(load, concurrency, 2, lifecycle)
  await pause(2000)
  collector.heard.spans = 0
  for (let round = 0; round < rounds; round++)
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) await runRound(contender)
  const [neither, metrics] = contenders
  if (neither === undefined || metrics === undefined) throw new Error('nobody to measure')
  const ratios = ({ costs }: Contender): number[] => costs.map((cost, n) => cost / (neither.costs[n] ?? Number.NaN))
  console.log(
    table([
      ['', 'CPU ms a lifecycle', '÷ neither'],
      ...contenders.map(one => [one.name, spread(one.costs, 1), spread(ratios(one), 2)]),
    ]),
  )
  console.log(await measureScrapes(metrics, token))
  const lifecycles = contenders.map(({ name, done }) => `${name} ${done.toFixed(0)}`).join(', ')
  console.log(`${collector.heard.spans} spans arrived; lifecycles: ${lifecycles}; ${machine()}`)
} finally {
  for (const end of ends) await end()
  collector.close()
}
