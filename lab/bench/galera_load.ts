import { setTimeout as pause } from 'node:timers/promises'
import { isUnavailable } from 'durable-xstate-sql/sql'
import { journalOf, newTransaction, openCharts } from '../../packages/durable/test/actors/charts.ts'
import { untilComplete } from '../../packages/durable/test/jobs/script.ts'
import { systemClock } from '../../src/base/clock.ts'
import { newId } from '../../src/base/ids.ts'
import { text } from '../../test/raw_row.ts'
import { type ClusterNode, post, rows } from './galera_nodes.ts'
import { lasting } from './galera_work.ts'

/** The record of what callers sent and what was acknowledged, while members came and went. */
export interface Load {
  readonly answers: string[]
  readonly customers: string[]
  readonly transactions: string[]
  /** Keys of calls that were not answered 201. */
  readonly unanswered: { readonly key: string; readonly customer_id: string }[]
  /** Actors and the events that were acknowledged. */
  readonly carried: Map<string, string[]>
  slowest_ms: number
  stopped: boolean
}

/** Nothing was asked for yet. */
export function newLoad(): Load {
  return {
    answers: [],
    customers: [],
    transactions: [],
    unanswered: [],
    carried: new Map(),
    slowest_ms: 0,
    stopped: false,
  }
}

async function timed<T>(load: Load, work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  try {
    return await work()
  } finally {
    load.slowest_ms = Math.max(load.slowest_ms, performance.now() - began)
  }
}

/** A backend that registers and opens, one after the other. */
export async function integrate(load: Load, node: ClusterNode, index: number): Promise<void> {
  while (!load.stopped) {
    const key = newId()
    const made = await timed(load, () => post(node, 'customer', { external_customer_id: key }, `${key}-c`))
    load.answers.push(`node ${index + 1}: ${made.status}`)
    if (made.status !== 201) {
      await pause(50)
      continue
    }
    const customer_id = String(made.body.customer_id)
    load.customers.push(customer_id)
    const call = { customer_id, transaction_type: 'BIOMETRIC_ONLY' }
    const opened = await timed(load, () => post(node, 'transaction', call, key))
    load.answers.push(`node ${index + 1}: ${opened.status}`)
    if (opened.status === 201) load.transactions.push(String(opened.body.transaction_id))
    else load.unanswered.push({ key, customer_id })
  }
}

/** Works like a client: it looks what was accepted, and sends the rest. @throws any error but 503 */
async function persist(work: () => Promise<unknown>): Promise<void> {
  for (;;)
    try {
      await work()
      return
    } catch (error) {
      if (!isUnavailable(error)) throw error
      await pause(200)
    }
}

/** A phone that carries transactions to COMPLETED, for the workers to finish. */
export async function capture(load: Load, { store }: ClusterNode): Promise<void> {
  const { host, transaction } = openCharts(store, systemClock)
  while (!load.stopped) {
    const actor = newTransaction(lasting)
    const took = async (): Promise<readonly string[]> =>
      (await journalOf(store, actor.id)).map(entry => text(entry, 'event'))
    await persist(async () => (await took()).length > 0 || host.create(transaction, actor))
    const acknowledged: string[] = []
    load.carried.set(actor.id, acknowledged)
    for (const event of untilComplete) {
      const sent = JSON.stringify(event)
      await persist(async () => (await took()).includes(sent) || host.send(transaction, actor.id, event))
      acknowledged.push(sent)
    }
    await pause(20)
  }
}

async function missing(node: ClusterNode, table: string, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0
  const sql = `SELECT COUNT(*) AS many FROM ${table} WHERE id IN (${ids.map(() => '?').join(', ')})`
  return ids.length - Number((await rows(node, sql, ...ids))[0]?.many)
}

/** Acknowledged things that a member does not have. */
export async function lostOn(node: ClusterNode, load: Load): Promise<number> {
  let lost =
    (await missing(node, 'customers', load.customers)) + (await missing(node, 'transactions', load.transactions))
  for (const [id, acknowledged] of load.carried) {
    const kept = new Set((await journalOf(node.store, id)).map(entry => text(entry, 'event')))
    lost += acknowledged.filter(event => !kept.has(event)).length
  }
  return lost
}

/** Calls again with the same key for a caller without an answer: there must be one transaction of that key. */
export async function askAgain(node: ClusterNode, load: Load): Promise<number> {
  let wrong = 0
  for (const { key, customer_id } of load.unanswered) {
    const { status } = await post(node, 'transaction', { customer_id, transaction_type: 'BIOMETRIC_ONLY' }, key)
    const found = await rows(node, 'SELECT id FROM transactions WHERE customer_id = ?', customer_id)
    if (status !== 201 || found.length !== 1) wrong++
  }
  return wrong
}
