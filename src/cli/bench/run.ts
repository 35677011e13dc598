import { pause, systemClock } from '../../base/clock.ts'
import type { Config } from '../../config/settings.ts'
import { createAccount, type NewAccount } from '../../identity/accounts/accounts.ts'
import { withDatabase, withTimeout } from '../command.ts'
import { authenticate, type Client, createClient, finishTransaction, type Started, startTransaction } from './calls.ts'
import { type BenchDatabase, migrateBenchDatabase, openBenchDatabase } from './database.ts'
import { divideTime, measure, type Rate, type Time } from './measure.ts'
import { startBenchNode } from './node.ts'
import { openReceiver, type Receiver } from './receiver.ts'

/** What one machine does, with its callers on the same machine. Null where the time was too short to measure. */
export interface BenchFigures {
  database: string
  /** Transactions read. */
  requests_per_second: number | null
  /** Whole transactions, with the images decoded and stored, without their analysis. */
  transactions_per_second: number | null
  deliveries_per_second: number | null
  /** Whole transactions with the models. */
  analyses_per_second: number | null
  /** Growth of the database with its indexes, without images; null on a server too. */
  bytes_per_transaction: number | null
}

interface BenchOptions {
  readonly config: Config
  /** For all measurements together; the starts of nodes come on top. */
  readonly seconds: number
  /** After this many seconds the bench ends, measured or not. */
  readonly limit: number
  readonly isConfigured: boolean
  readonly report: (text: string) => void
}

/** The operator's settings, except those that would let others in, limit the load, or send anything elsewhere. */
const toBenchConfig = (config: Config, database: BenchDatabase): Config => ({
  ...config,
  ...database.config,
  ...{ HOST: '127.0.0.1', PORT: 0, BASE_URL: null, LOG_LEVEL: 'error', METRICS_TOKEN: null, CAPTURE_STORE: null },
  ...{ RATE_LIMIT_READS: 0, RATE_LIMIT_WRITES: 0, RATE_LIMIT_TOKENS: 0, RATE_LIMIT_DEVICE: 0 },
  ...{ WEBHOOK_ALLOW_HOSTS: ['127.0.0.1'], WEBHOOK_ORIGIN_CONCURRENCY: config.WEBHOOK_CONCURRENCY },
  ...{ ANALYSIS_DOCUMENT_ENGINE: null, ANALYSIS_LIVENESS_ENGINE: null, ANALYSIS_FACE_ENGINE: null },
})

const concurrency = 16

/** A bench at work. */
interface Bench extends Time {
  readonly config: Config
  readonly account: NewAccount
  readonly receiver: Receiver
  readonly report: (text: string) => void
}

/** Runs `work` against a node that is started for it. */
const withNode = async <T>(
  { config, account, over }: Bench,
  changes: Partial<Config>,
  work: (client: Client, token: string) => Promise<T>,
): Promise<T> => {
  over.throwIfAborted()
  const node = await startBenchNode({ ...config, ...changes }, over)
  const client = createClient(node.url)
  try {
    return await work(client, await authenticate(client, account))
  } finally {
    client.close()
    await node.stop()
  }
}

/** Nothing sends webhooks yet: they wait, to be measured afterwards. */
const measureRequests = (bench: Bench): Promise<{ rate: Rate; waiting: number }> =>
  withNode(bench, { ROLES: ['api'], ANALYSIS_ENGINE: 'scripted' }, async (client, token) => {
    const opened: Started[] = []
    bench.report('transactions are opened')
    await measure(bench, 'opening', concurrency, async () => {
      opened.push(await startTransaction(client, token, bench.receiver.url))
    })
    bench.report('requests')
    let next = 0
    const read = () => client.call({ method: 'GET', path: opened[next++ % opened.length]?.path ?? '', token })
    return { rate: await measure(bench, 'requests', concurrency, read), waiting: opened.length }
  })

const countDeliveries = async ({ receiver: { times }, allotSeconds, over }: Bench, waiting: number): Promise<Rate> => {
  const until = systemClock.monotonic() + allotSeconds('deliveries') * 1000 + 5000
  while (times.length < waiting && systemClock.monotonic() < until && !over.aborted) await pause(50)
  const took = (times.at(-1) ?? 0) - (times[0] ?? 0)
  return took === 0 ? null : ((times.length - 1) * 1000) / took
}

interface Load {
  readonly deliveries: Rate
  readonly transactions: Rate
  readonly finished: number
  readonly imageBytes: number
}

const measureTransactions = (bench: Bench, waiting: number): Promise<Load> =>
  withNode(bench, { ROLES: ['api', 'worker', 'analysis'], ANALYSIS_ENGINE: 'scripted' }, async (client, token) => {
    bench.report('deliveries')
    const deliveries = await countDeliveries(bench, waiting)
    bench.report('transactions')
    let [finished, imageBytes] = [0, 0]
    const transactions = await measure(bench, 'transactions', concurrency, async () => {
      const bytes = await finishTransaction(client, token, await startTransaction(client, token))
      imageBytes += bytes
      finished++
    })
    return { deliveries, transactions, finished, imageBytes }
  })

/** One more than are analysed at once, so that no process waits for uploads. */
const measureAnalyses = (bench: Bench): Promise<Rate> =>
  withNode(bench, { ROLES: ['api', 'worker', 'analysis'], ANALYSIS_ENGINE: 'local' }, (client, token) => {
    bench.report('analyses')
    const analyse = async () => finishTransaction(client, token, await startTransaction(client, token))
    return measure(bench, 'analyses', bench.config.ANALYSIS_PROCESSES + 1, analyse)
  })

const measureAll = async (bench: Bench, database: BenchDatabase, figures: BenchFigures): Promise<void> => {
  const { rate, waiting } = await measureRequests(bench)
  figures.requests_per_second = rate
  const before = await database.size()
  const { deliveries, transactions, finished, imageBytes } = await measureTransactions(bench, waiting)
  figures.deliveries_per_second = deliveries
  figures.transactions_per_second = transactions
  const after = await database.size()
  if (before !== null && after !== null && finished > 0)
    figures.bytes_per_transaction = Math.round((after - before - imageBytes) / finished)
  figures.analyses_per_second = await measureAnalyses(bench)
}

const nothingYet = {
  ...{ requests_per_second: null, transactions_per_second: null, deliveries_per_second: null },
  ...{ analyses_per_second: null, bytes_per_transaction: null },
}

/** Measures this machine with the operator's settings, on a database that is gone afterwards. */
export const runBench = async ({
  config: given,
  seconds,
  limit,
  isConfigured,
  report,
}: BenchOptions): Promise<BenchFigures> => {
  const began = systemClock.monotonic()
  const database = await openBenchDatabase(given, isConfigured)
  const receiver = await openReceiver()
  // The nodes end with this process. A database left on a server would be refused next time, because it is not empty.
  const stop = (): void => void database.remove().finally(() => process.exit(130))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  try {
    const config = toBenchConfig(given, database)
    await migrateBenchDatabase(config)
    const accounts: NewAccount[] = []
    await withDatabase(config, async context => void accounts.push(await createAccount(context, { name: 'bench' })))
    const [account] = accounts
    if (account === undefined) throw new Error('no account was made')
    const figures: BenchFigures = { database: database.name, ...nothingYet }
    const left = limit * 1000 - (systemClock.monotonic() - began)
    await withTimeout(left, async over => {
      const bench = { config, account, receiver, report, over, allotSeconds: divideTime(seconds) }
      await measureAll(bench, database, figures).catch(error => {
        // What the end of the time has cut off stays null; any other failure is an error.
        if (!over.aborted) throw error
      })
    })
    return figures
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop)
    receiver.close()
    await database.remove()
  }
}
