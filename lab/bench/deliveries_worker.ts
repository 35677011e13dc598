/**
 * A node that makes deliveries, its settings in the environment; or, with `BARE=1`, a bare loop that signs the same and
 * sends it, and with a `DATABASE_URL` also stores each result there.
 */

import { openStore, runAll } from 'durable-xstate-sql'
import { Agent, request } from 'undici'
import { systemClock } from '../../src/base/clock.ts'
import { newId } from '../../src/base/ids.ts'
import { readConfig, readDatabaseAddress } from '../../src/config/settings.ts'
import { insert } from '../../src/database/schema.ts'
import { createApprovedFindings, scriptedEngine } from '../../src/engines/scripted.ts'
import { generateSigningKey, openSigningKey } from '../../src/identity/keys/sign.ts'
import { openLog } from '../../src/node/open_log.ts'
import { type AttestorNode, startNode } from '../../src/node/start_node.ts'
import { prepareDelivery } from '../../src/webhooks/delivery_request.ts'
import { addAccount, startOne } from './deliveries_seed.ts'
import { answerQuestions, cpuMilliseconds } from './measure.ts'

const { BARE, NODE_CHANNEL_FD: _, NODE_CHANNEL_SERIALIZATION_MODE: __, ...environment } = process.env

/** Stores a result as it must be at least, in commits that others share: the attempt, the status, and that no job is left. */
async function openResults(url: string) {
  const store = await openStore(readDatabaseAddress({ DATABASE_URL: url }), 10)
  const rows = [...(await store.read({ sql: 'SELECT id, account_id FROM deliveries', values: [] }))]
  return {
    async next(): Promise<void> {
      const row = rows.pop()
      if (row === undefined) throw new Error('no delivery is left')
      const { id, account_id } = row as { id: string; account_id: string }
      const attempt = { id: newId(), account_id, delivery_id: id, attempt: 1, started_at: systemClock.now() }
      await store.commit(() =>
        runAll([
          insert('delivery_attempts', { ...attempt, duration_ms: 1, outcome: 'delivered', http_status: 204 }),
          { sql: "UPDATE deliveries SET status = 'DELIVERED', version = version + 1 WHERE id = ?", values: [id] },
          { sql: 'DELETE FROM scheduled_jobs WHERE actor_id = ?', values: [id] },
        ]),
      )
    },
    close: () => store.close(),
  }
}

async function bareLoop(url: string, count: number, keep_alive: boolean): Promise<void> {
  const results = environment.DATABASE_URL === undefined ? null : await openResults(environment.DATABASE_URL)
  const key = openSigningKey(await generateSigningKey('RS256'))
  const dispatcher = new Agent({ connections: 50, pipelining: 1 })
  // They wait before it begins, as the service's do.
  const waiting = Array.from({ length: count }, () => {
    const notification = { transaction_id: newId(), status: 'INITIATED', event_id: newId(), sequence: 1 } as const
    return { notification: { ...notification, occurred_at: systemClock.now() }, delivery_id: newId() }
  })
  const one = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const prepared = await prepareDelivery({ ...next, attempt: 1, key, now: systemClock.now(), version: '0' })
      const answer = await request(url, { method: 'POST', ...prepared, dispatcher, reset: !keep_alive })
      await answer.body.dump()
      await results?.next()
    }
  }
  await Promise.all(Array.from({ length: 50 }, one))
  await dispatcher.close()
  await results?.close()
}

/** Starts transactions at a steady pace on this node itself, one origin after the other. */
async function pace(node: AttestorNode, urls: readonly string[], count: number, gap_ms: number): Promise<void> {
  const { host, store } = node.service
  const transaction = node.service.transactions.definition
  const accounts = await Promise.all(urls.map(() => addAccount(store)))
  const begun = systemClock.now()
  const all: Promise<void>[] = []
  for (let index = 0; index < count; index++) {
    const at = index % urls.length
    all.push(startOne(host, transaction, urls[at] ?? '', accounts[at] ?? ''))
    const wait_ms = begun + (index + 1) * gap_ms - systemClock.now()
    if (wait_ms > 0) await new Promise<void>(resolve => void setTimeout(resolve, wait_ms))
  }
  await Promise.all(all)
}

const node =
  BARE === '1'
    ? null
    : await (async () => {
        const config = readConfig(environment)
        const engine = scriptedEngine(createApprovedFindings)
        return startNode({ config, clock: systemClock, log: openLog({ level: config.LOG_LEVEL }), engine })
      })()

answerQuestions({
  ready: () => true,
  usage: () => cpuMilliseconds(),
  bare: ({ url, count, keep_alive }: { url: string; count: number; keep_alive: boolean }) => {
    void bareLoop(url, count, keep_alive)
  },
  pace: async ({ urls, count, gap_ms }: { urls: readonly string[]; count: number; gap_ms: number }) => {
    if (node !== null) await pace(node, urls, count, gap_ms)
  },
})
process.once('disconnect', () => process.exit(0))
