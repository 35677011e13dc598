/** The service for benches of what one caller can do to others: it watches its own memory and its own event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { systemClock } from '../src/base/clock.ts'
import { openLog } from '../src/base/log.ts'
import { readConfig } from '../src/config/settings.ts'
import { createApprovedFindings, scriptedEngine } from '../src/engines/scripted.ts'
import { tokenScope } from '../src/identity/accounts/access_token.ts'
import { createAccount } from '../src/identity/accounts/accounts.ts'
import { createCustomer } from '../src/identity/customers/customers.ts'
import { startNode } from '../src/node/start_node.ts'
import { openTransaction } from '../src/verification/transactions/transactions.ts'
import { answerQuestions, cpuMilliseconds } from './measure.ts'

/** Limits of calls would end each attack before it hurts. */
const benchSettings = {
  PORT: '0',
  RATE_LIMIT_READS: '0',
  RATE_LIMIT_WRITES: '0',
  RATE_LIMIT_DEVICE: '0',
  CAPTURE_ATTEMPTS: '100',
}
const config = readConfig({ ...benchSettings, ...process.env })
const node = await startNode({
  config,
  clock: systemClock,
  log: openLog({ level: config.LOG_LEVEL }),
  engine: scriptedEngine(createApprovedFindings),
})

async function newAccount() {
  const { account_id, client_id, client_secret } = await createAccount(node.service, { name: 'bench' })
  const form = { grant_type: 'client_credentials', client_id, client_secret, scope: tokenScope }
  const answer = await fetch(`${node.url}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) })
  return { account_id, client_id, token: ((await answer.json()) as { access_token: string }).access_token }
}

const delays = monitorEventLoopDelay({ resolution: 1 })
let mostRss = 0
setInterval(() => {
  mostRss = Math.max(mostRss, process.memoryUsage.rss())
}, 20).unref()

/** A timer of 1 ms is late by the turn that was before it. */
const turns = { last: { at: 0, cpu: 0 }, turn_ms: 0, turn_cpu_ms: 0, cpu: 0 }

function readThread() {
  const { user, system } = process.threadCpuUsage()
  return { at: performance.now(), cpu: (user + system) / 1000 }
}

function countTurn(): void {
  const now = readThread()
  turns.turn_ms = Math.max(turns.turn_ms, now.at - turns.last.at)
  turns.turn_cpu_ms = Math.max(turns.turn_cpu_ms, now.cpu - turns.last.cpu)
  turns.last = now
}

let watching: NodeJS.Timeout | null = null

/** A customer with so many open transactions, written without HTTP, as thousands of calls would take minutes. */
async function seed({ account_id, client_id, count }: { account_id: string; client_id: string; count: number }) {
  const { transactions } = node.service
  const profile = { external_customer_id: crypto.randomUUID(), email: null, phone_number: null }
  const { customer } = await createCustomer(node.service, account_id, profile)
  const call = {
    customer_id: customer.customer_id,
    transaction_type: 'DOCUMENT_AND_BIOMETRIC',
    transaction_ttl_minutes: 1440,
    webhook: null,
    device_policy: {},
    locale: null,
    redirect_url: null,
    reference: null,
    expected_data: null,
    asked_test: null,
  } as unknown as Parameters<typeof openTransaction>[2]
  for (let made = 0; made < count; made += 200)
    await Promise.all(
      Array.from({ length: Math.min(200, count - made) }, () =>
        openTransaction(transactions, { account_id, client_id }, call),
      ),
    )
  return { customer_id: customer.customer_id }
}

answerQuestions({
  ready: async () => ({ url: node.url, accounts: [await newAccount(), await newAccount()] }),
  seed,
  watch: () => {
    delays.enable()
    delays.reset()
    mostRss = process.memoryUsage.rss()
  },
  watchTurns: () => {
    Object.assign(turns, { last: readThread(), turn_ms: 0, turn_cpu_ms: 0, cpu: cpuMilliseconds() })
    watching ??= setInterval(countTurn, 1)
  },
  watchedTurns: () => {
    countTurn()
    clearInterval(watching ?? undefined)
    watching = null
    return { turn_ms: turns.turn_ms, turn_cpu_ms: turns.turn_cpu_ms, cpu_ms: cpuMilliseconds() - turns.cpu }
  },
  watched: () => ({ stall_ms: delays.max / 1e6, usual_ms: delays.percentile(99.9) / 1e6, rss_mb: mostRss / 2 ** 20 }),
})
