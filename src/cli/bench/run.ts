import { createAccount, type NewAccount } from '../../accounts/accounts.ts'
import { pause, systemClock } from '../../base/clock.ts'
import type { Config } from '../../config.ts'
import { withDatabase } from '../command.ts'
import { authenticate, type Client, createClient, finishTransaction, type Started, startTransaction } from './calls.ts'
import { type BenchDatabase, migrateBenchDatabase, openBenchDatabase } from './database.ts'
import { startBenchNode } from './node.ts'
import { openReceiver, type Receiver } from './receiver.ts'

/** What one machine does, by the clock, with whoever calls it on the same machine. */
export interface BenchFigures {
  readonly database: string
  /** Transactions read. */
  readonly requests_per_second: number
  /** Whole transactions, with the images decoded and stored, without their analysis. */
  readonly transactions_per_second: number
  readonly deliveries_per_second: number
  /** Whole transactions with the models. */
  readonly analyses_per_second: number
  /** Of the database, its indexes included, without images; null of a server's. */
  readonly bytes_per_transaction: number | null
}

interface BenchOptions {
  readonly config: Config
  /** For all measurements together; the starts of nodes come on top. */
  readonly seconds: number
  readonly isConfigured: boolean
  readonly report: (text: string) => void
}

/** The operator's settings, but for what would let others in, hold the load back, or send anything elsewhere. */
const toBenchConfig = (config: Config, database: BenchDatabase): Config => ({
  ...config,
  ...database.config,
  ...{ HOST: '127.0.0.1', PORT: 0, BASE_URL: null, LOG_LEVEL: 'error', METRICS_TOKEN: null, CAPTURE_STORE: null },
  ...{ RATE_LIMIT_READS: 0, RATE_LIMIT_WRITES: 0, RATE_LIMIT_TOKENS: 0, RATE_LIMIT_DEVICE: 0 },
  ...{ WEBHOOK_ALLOW_HOSTS: ['127.0.0.1'], WEBHOOK_ORIGIN_CONCURRENCY: config.WEBHOOK_CONCURRENCY },
  ...{ ANALYSIS_DOCUMENT_ENGINE: null, ANALYSIS_LIVENESS_ENGINE: null, ANALYSIS_FACE_ENGINE: null },
})

const concurrency = 16

/** Keeps `workers` of `work` going for `seconds`; resolves with how many were done a second. */
const measure = async (workers: number, seconds: number, work: () => Promise<unknown>): Promise<number> => {
  const began = systemClock.monotonic()
  let done = 0
  const repeat = async (): Promise<void> => {
    while (systemClock.monotonic() < began + seconds * 1000) {
      await work()
      done++
    }
  }
  await Promise.all(Array.from({ length: workers }, repeat))
  return (done * 1000) / (systemClock.monotonic() - began)
}

/** The part of the time that each measurement takes. */
const shares = { opening: 0.1, requests: 0.1, deliveries: 0.1, transactions: 0.25, analyses: 0.45 }

/** A bench at work. */
interface Bench {
  readonly config: Config
  readonly account: NewAccount
  readonly receiver: Receiver
  readonly secondsOf: (part: keyof typeof shares) => number
  readonly report: (text: string) => void
}

/** Runs `work` against a node that is started for it. */
const withNode = async <T>(
  { config, account }: Bench,
  changes: Partial<Config>,
  work: (client: Client, token: string) => Promise<T>,
): Promise<T> => {
  const node = await startBenchNode({ ...config, ...changes })
  const client = createClient(node.url)
  try {
    return await work(client, await authenticate(client, account))
  } finally {
    client.close()
    await node.stop()
  }
}

/** Nothing sends webhooks yet: they wait, to be measured afterwards. */
const measureRequests = (bench: Bench): Promise<{ rate: number; waiting: number }> =>
  withNode(bench, { ROLES: ['api'], ANALYSIS_ENGINE: 'scripted' }, async (client, token) => {
    const opened: Started[] = []
    bench.report('transactions are opened')
    await measure(concurrency, bench.secondsOf('opening'), async () => {
      opened.push(await startTransaction(client, token, bench.receiver.url))
    })
    bench.report('requests')
    let next = 0
    const read = () => client.call({ method: 'GET', path: opened[next++ % opened.length]?.path ?? '', token })
    return { rate: await measure(concurrency, bench.secondsOf('requests'), read), waiting: opened.length }
  })

const countDeliveries = async ({ receiver: { times }, secondsOf }: Bench, waiting: number): Promise<number> => {
  const until = systemClock.monotonic() + secondsOf('deliveries') * 1000 + 5000
  while (times.length < waiting && systemClock.monotonic() < until) await pause(50)
  const took = (times.at(-1) ?? 0) - (times[0] ?? 0)
  return took === 0 ? times.length : ((times.length - 1) * 1000) / took
}

interface Load {
  readonly deliveries: number
  readonly transactions: number
  readonly finished: number
  readonly imageBytes: number
}

const measureTransactions = (bench: Bench, waiting: number): Promise<Load> =>
  withNode(bench, { ROLES: ['api', 'worker'], ANALYSIS_ENGINE: 'scripted' }, async (client, token) => {
    bench.report('deliveries')
    const deliveries = await countDeliveries(bench, waiting)
    bench.report('transactions')
    let [finished, imageBytes] = [0, 0]
    const transactions = await measure(concurrency, bench.secondsOf('transactions'), async () => {
      const bytes = await finishTransaction(client, token, await startTransaction(client, token))
      imageBytes += bytes
      finished++
    })
    return { deliveries, transactions, finished, imageBytes }
  })

/** One more than are analysed at once, so that no process waits for uploads. */
const measureAnalyses = (bench: Bench): Promise<number> =>
  withNode(bench, { ROLES: ['api', 'worker'], ANALYSIS_ENGINE: 'local' }, (client, token) => {
    bench.report('analyses')
    const analyse = async () => finishTransaction(client, token, await startTransaction(client, token))
    return measure(bench.config.ANALYSIS_PROCESSES + 1, bench.secondsOf('analyses'), analyse)
  })

const measureAll = async (bench: Bench, database: BenchDatabase): Promise<BenchFigures> => {
  const { rate, waiting } = await measureRequests(bench)
  const before = await database.size()
  const { deliveries, transactions, finished, imageBytes } = await measureTransactions(bench, waiting)
  const after = await database.size()
  const analyses = await measureAnalyses(bench)
  return {
    database: database.name,
    requests_per_second: rate,
    transactions_per_second: transactions,
    deliveries_per_second: deliveries,
    analyses_per_second: analyses,
    bytes_per_transaction:
      before === null || after === null ? null : Math.round((after - before - imageBytes) / finished),
  }
}

/** Measures this machine with the operator's settings, on a database that is gone afterwards. */
export const runBench = async ({
  config: given,
  seconds,
  isConfigured,
  report,
}: BenchOptions): Promise<BenchFigures> => {
  const database = await openBenchDatabase(given, isConfigured)
  const receiver = await openReceiver()
  // Its nodes end with it. A database that is left on a server would be refused next time.
  const stop = (): void => void database.remove().finally(() => process.exit(130))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  try {
    const config = toBenchConfig(given, database)
    await migrateBenchDatabase(config)
    const accounts: NewAccount[] = []
    await withDatabase(config, async context => void accounts.push(await createAccount(context, { name: 'bench' })))
    const [account] = accounts
    if (account === undefined) throw new Error('no account was made')
    const secondsOf = (part: keyof typeof shares): number => seconds * shares[part]
    return await measureAll({ config, account, receiver, secondsOf, report }, database)
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop)
    receiver.close()
    await database.remove()
  }
}
