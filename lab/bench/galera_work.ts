import { setTimeout as pause } from 'node:timers/promises'
import { type JobHandler, run, startWorker, type Worker } from 'durable-xstate-sql'
import { jobDone, noCrash, type ScheduledJob } from 'durable-xstate-sql/sql'
import { claimJobs, readLanes } from 'durable-xstate-sql/testing'
import { start } from '../../packages/durable/test/actors/attempts.ts'
import { account_id, deliveriesOf, newTransaction, openCharts } from '../../packages/durable/test/actors/charts.ts'
import { everyLane, outputs, untilComplete } from '../../packages/durable/test/jobs/script.ts'
import { systemClock } from '../../src/base/clock.ts'
import { newId } from '../../src/base/ids.ts'
import { type Log, silentLog } from '../../src/base/log.ts'
import { insert } from '../../src/database/schema.ts'
import { createDatabaseContents } from '../../src/verification/captures/open_contents.ts'
import { createErasures } from '../../src/verification/erasure/erasures.ts'
import { insertAttempt } from '../../src/webhooks/attempts.ts'
import { limits } from '../../test/machines/events.ts'
import { type ClusterNode, rows, tallied, until } from './galera_nodes.ts'
import type { Trial } from './galera_trials.ts'

/** The input of a transaction that a worker brings from COMPLETED to its end. */
export const lasting = { transaction_type: 'BIOMETRIC_ONLY', limits } as const
const expiring = { transaction_type: 'BIOMETRIC_ONLY', limits: { ...limits, ttl_ms: 1 } } as const

/** Handlers that record every job they get, and that take a moment for it. */
function notingHandlers(acted: string[]): readonly JobHandler[] {
  return Object.entries(outputs).map(([queue, output]) => ({
    queue,
    slots: () => 8,
    lanes: everyLane,
    async handle(job) {
      acted.push(`${queue} ${job.actor_id} ${JSON.stringify(job.payload)}`)
      await pause(2)
      return { output }
    },
  }))
}

/** The record of a node's worker: its jobs and its log. */
export interface Noted {
  readonly acted: string[]
  readonly logged: string[]
  readonly leaseMs: number
}

/** A worker on a node, by the machine's clock. */
export function workerOn({ store }: ClusterNode, { acted, logged, leaseMs }: Noted): Worker {
  const { host, transaction, delivery } = openCharts(store, systemClock)
  const write = (_: object, message: string): void => void logged.push(message)
  const log: Log = { debug: () => {}, info: () => {}, warn: write, error: write }
  const deps = {
    store,
    host,
    clock: systemClock,
    log,
    definitions: [transaction, delivery],
    handlers: notingHandlers(acted),
  }
  return startWorker({ ...deps, leaseMs, pollMs: 100, crashHook: noCrash })
}

async function fill({ store }: ClusterNode, many: number): Promise<readonly string[]> {
  const { host, transaction } = openCharts(store, systemClock)
  const ids: string[] = []
  for (let round = 0; round < many; round++) {
    const one = newTransaction(lasting)
    const two = newTransaction(expiring)
    await Promise.all([host.create(transaction, one), host.create(transaction, two)])
    for (const event of untilComplete) await host.send(transaction, one.id, event)
    ids.push(one.id, two.id)
  }
  return ids
}

/** Four statuses of a transaction that is carried through are notified, and one of a transaction that expires. */
const workedAtOnce: Trial = {
  promise: 'jobs and timers fall due for workers on three members at once',
  async run(cluster, rounds) {
    const [one] = cluster.nodes
    const ids = await fill(one, rounds)
    const noted: Noted = { acted: [], logged: [], leaseMs: 20_000 }
    const { acted, logged } = noted
    const workers = cluster.nodes.map(node => workerOn(node, noted))
    const marks = ids.map(() => '?').join(', ')
    const delivered = `SELECT COUNT(*) AS many FROM deliveries WHERE status = 'DELIVERED' AND transaction_id IN (${marks})`
    await until(async () => Number((await rows(one, delivered, ...ids))[0]?.many) === rounds * 5, 120_000)
    await Promise.all(workers.map(worker => worker.stop(Promise.resolve())))
    const twice = acted.length - new Set(acted).size
    const ends = await rows(one, `SELECT status FROM transactions WHERE id IN (${marks})`, ...ids)
    const statuses = tallied(ends.map(({ status }) => String(status)))
    const said = `${acted.length} jobs, ${twice} done twice; ${statuses}; the log: ${tallied(logged) || 'nothing'}`
    return { said, holds: twice === 0 && statuses === `EXPIRED ${rounds}, FINISHED ${rounds}` }
  },
}

/** Claims the attempt of a transaction's delivery. */
export async function claimFor({ store }: ClusterNode, transaction_id: string): Promise<ScheduledJob> {
  const { lanes } = await readLanes(store, 'attempt', null)
  const portions = lanes.map(({ lane }) => ({ lane, limit: 50 }))
  const jobs = await claimJobs(store, 'attempt', portions, { now: systemClock.now() + 60_000, leaseMs: 1000 })
  const deliveries = await deliveriesOf(store, transaction_id)
  const job = jobs.find(({ actor_id }) => deliveries.some(({ id }) => id === actor_id))
  if (job === undefined) throw new Error('no attempt is due')
  return job
}

const answered = { outcome: 'failed', status: 500, duration_ms: 1, address: null, retry_after_ms: null } as const

function customerOf({ id, columns: { customer_id } }: ReturnType<typeof newTransaction>) {
  return insert('customers', {
    id: customer_id,
    account_id,
    lookup: id,
    profile: Buffer.alloc(0),
    data_key: Buffer.alloc(0),
    face: null,
    face_transaction_id: null,
    created_at: 0,
  })
}

const failedWhileErased: Trial = {
  promise: "a receiver's words are kept on one member while their transaction is erased on another",
  async run(cluster, rounds) {
    const [one, two] = cluster.nodes
    const ids: string[] = []
    for (let round = 0; round < rounds; round++) {
      const actor = newTransaction(lasting)
      ids.push(actor.id)
      await one.store.commit(() => run(customerOf(actor)))
      await one.service.host.create(one.service.transaction, actor)
      await one.service.host.send(one.service.transaction, actor.id, start)
      const job = await claimFor(one, actor.id)
      const made = { account_id, transaction_id: actor.id, delivery_id: job.actor_id, attempt: 1, started_at: 0 }
      const sent = { ...answered, error: 'a name', response: Buffer.from('a name') }
      const writes = insertAttempt(one.store.dialect, { ...made, sent, key: Buffer.alloc(32, 1) })
      const fence = { job_id: job.id, lease: job.lease }
      const event = jobDone('attempt', { outcome: 'failed' as const, jitter: 0, retry_after_ms: null })
      await until(
        async () => (await rows(two, 'SELECT id FROM scheduled_jobs WHERE lease = ?', job.lease ?? '')).length > 0,
      )
      const note = async () => {
        await pause(Math.random() * 6)
        await one.service.host.send(one.service.delivery, job.actor_id, event, { fence, writes })
      }
      const remove = async () => {
        await pause(Math.random() * 6)
        const deps = {
          store: two.store,
          clock: cluster.clock,
          host: two.service.host,
          definition: two.service.transaction,
          captures: createDatabaseContents({ store: two.store, clock: cluster.clock, log: silentLog }),
          rowKey: Buffer.alloc(32),
        }
        const erasure = { account_id, erased_by: newId(), subject_id: actor.id }
        await createErasures(deps, silentLog).erase('transaction', erasure)
      }
      await Promise.all([note(), remove()])
    }
    const sql = `SELECT COUNT(*) AS many, COUNT(a.error) AS words FROM delivery_attempts a
      JOIN deliveries d ON d.id = a.delivery_id WHERE d.transaction_id IN (${ids.map(() => '?').join(', ')})`
    const [found] = await rows(one, sql, ...ids)
    const said = `${found?.words} of ${found?.many} attempts kept words`
    return { said, holds: found?.words === 0 && found.many === rounds }
  },
}

const sentAtOnce: Trial = {
  promise: 'one event is sent at once on three members',
  async run(cluster, rounds) {
    const words: string[] = []
    for (let round = 0; round < rounds; round++) {
      const actor = newTransaction(lasting)
      const [one] = cluster.nodes
      await one.service.host.create(one.service.transaction, actor)
      for (const node of cluster.nodes)
        await until(async () => (await rows(node, 'SELECT id FROM transactions WHERE id = ?', actor.id)).length === 1)
      const settled = await Promise.allSettled(
        cluster.nodes.map(({ service }) => service.host.send(service.transaction, actor.id, { type: 'CANCEL' })),
      )
      words.push(...settled.map(result => (result.status === 'fulfilled' ? 'taken' : String(result.reason.code))))
    }
    const holds = words.filter(word => word === 'taken').length === rounds
    return { said: tallied(words), holds: holds && words.every(word => /taken|not_allowed_in_state/.test(word)) }
  },
}

/** The promises about work that several nodes share. */
export const workTrials: readonly Trial[] = [workedAtOnce, failedWhileErased, sentAtOnce]
