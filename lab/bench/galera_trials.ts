import { setTimeout as pause } from 'node:timers/promises'
import { openRateLimits } from '../../src/database/rate_limits.ts'
import { kyc } from '../../test/service/client.ts'
import { type Cluster, type ClusterNode, post, rows, tallied, until } from './galera_nodes.ts'

/** The observation of a trial, and whether the promise held. */
export interface Seen {
  readonly said: string
  readonly holds: boolean
}

/** One promise, put to a trial on a cluster. */
export interface Trial {
  readonly promise: string
  run(cluster: Cluster, rounds: number): Promise<Seen>
}

function together<T>(many: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: many }, (_, index) => work(index)))
}

/** A node by turns. */
export function at({ nodes }: Cluster, index: number): ClusterNode {
  return nodes[index % 3] ?? nodes[0]
}

/** A moment, so that calls meet now at one point and now at another. */
function jitter(mostMs: number): Promise<void> {
  return pause(Math.random() * mostMs)
}

async function registered(cluster: Cluster, name: string): Promise<string> {
  const { body } = await post(cluster.nodes[0], 'customer', { external_customer_id: name })
  const id = String(body.customer_id)
  for (const node of cluster.nodes)
    await until(async () => (await rows(node, 'SELECT id FROM customers WHERE id = ?', id)).length === 1)
  return id
}

function erase({ door }: ClusterNode, id: string) {
  return door.call('DELETE', `${kyc}/customer/${id}`, { token: door.token })
}

const orphans = `SELECT COUNT(*) AS many FROM transactions t LEFT JOIN customers c ON c.id = t.customer_id
  WHERE t.account_id = ? AND c.id IS NULL AND (t.erasure_id IS NULL OR t.reference IS NOT NULL)`

/** The one number that a statement counts. */
export async function countOf(node: ClusterNode, sql: string, ...values: string[]): Promise<number> {
  return Number((await rows(node, sql, ...values))[0]?.many)
}

const erasedWhileOpened: Trial = {
  promise: 'a customer is erased while transactions of theirs are opened on two other members',
  async run(cluster, rounds) {
    const answers: string[] = []
    for (let round = 0; round < rounds; round++) {
      const customer_id = await registered(cluster, `erased ${round}`)
      const open = async (index: number) => {
        await jitter(8)
        const call = { customer_id, transaction_type: 'BIOMETRIC_ONLY', config: { reference: `person ${round}` } }
        return `opening ${(await post(at(cluster, 1 + index), 'transaction', call)).status}`
      }
      const remove = async () => {
        await jitter(8)
        return `erasing ${(await erase(cluster.nodes[0], customer_id)).status}`
      }
      answers.push(...(await Promise.all([remove(), together(4, open)])).flat())
    }
    await pause(500)
    const left = await countOf(cluster.nodes[0], orphans, cluster.nodes[0].door.account.account_id)
    const isOurs = answers.every(word => ['opening 201', 'opening 404', 'erasing 200'].includes(word))
    return { said: `${left} rows left behind; ${tallied(answers)}`, holds: left === 0 && isOurs }
  },
}

const erasedWhileRepeated: Trial = {
  promise: 'a customer is erased while their registration is repeated with a key on another member',
  async run(cluster, rounds) {
    const answers: string[] = []
    for (let round = 0; round < rounds; round++) {
      const customer_id = await registered(cluster, `repeated ${round}`)
      const repeat = async (index: number) => {
        await jitter(8)
        const call = { external_customer_id: `repeated ${round}` }
        return `repeating ${(await post(at(cluster, 1 + index), 'customer', call, `repeat-${round}-${index}`)).status}`
      }
      const remove = async () => {
        await jitter(8)
        return `erasing ${(await erase(cluster.nodes[0], customer_id)).status}`
      }
      answers.push(...(await Promise.all([remove(), together(4, repeat)])).flat())
    }
    await pause(500)
    const sql = `SELECT COUNT(*) AS many FROM idempotency_keys k JOIN erasures e ON e.subject_id = k.subject_id`
    const left = await countOf(cluster.nodes[0], sql)
    const isOurs = answers.every(word => /^(erasing 200|repeating 20[01])$/.test(word))
    return { said: `${left} answers left behind; ${tallied(answers)}`, holds: left === 0 && isOurs }
  },
}

const keyedAtOnce: Trial = {
  promise: 'one Idempotency-Key is used at once on three members',
  async run(cluster, rounds) {
    const answers: number[] = []
    const customer_id = await registered(cluster, 'keyed')
    const call = { customer_id, transaction_type: 'BIOMETRIC_ONLY' }
    for (let round = 0; round < rounds; round++) {
      const posted = await together(3, index => post(at(cluster, index), 'transaction', call, `at-once-${round}`))
      answers.push(...posted.map(({ status }) => status))
    }
    await pause(300)
    const sql = 'SELECT COUNT(*) AS many FROM transactions WHERE customer_id = ?'
    const made = await countOf(cluster.nodes[0], sql, customer_id)
    const holds = made === rounds && answers.every(status => status === 201 || status === 409)
    return { said: `${made} transactions of ${rounds} keys; ${tallied(answers)}`, holds }
  },
}

const limitedTogether: Trial = {
  promise: 'a rate limit of 100 a minute, asked 300 times at once on three members',
  async run(cluster, rounds) {
    const counts: number[] = []
    const serviceKeys = { roots: [], lookup: Buffer.alloc(32, 3) }
    const limit = cluster.nodes.map(({ store }) => openRateLimits(store, cluster.clock, serviceKeys))
    for (let round = 0; round < Math.ceil(rounds / 10); round++) {
      const turns = await together(300, async index => {
        await jitter(100)
        return limit[index % 3]?.take({ name: 'trial', per_minute: 100 }, `subject ${round}`)
      })
      counts.push(turns.filter(turn => turn?.allowed).length)
    }
    return { said: `allowed ${tallied(counts)} times`, holds: counts.every(count => count === 100) }
  },
}

const registeredAtOnce: Trial = {
  promise: 'one external id is registered at once on three members',
  async run(cluster, rounds) {
    const answers: number[] = []
    let different = 0
    for (let round = 0; round < rounds; round++) {
      const call = { external_customer_id: `at once ${round}` }
      const posted = await together(3, index => post(at(cluster, index), 'customer', call))
      answers.push(...posted.map(({ status }) => status))
      different += new Set(posted.map(({ body }) => body.customer_id)).size - 1
    }
    const made = answers.filter(status => status === 201).length
    const holds = made === rounds && different === 0 && answers.every(status => status === 201 || status === 200)
    return { said: `${different} of another id; ${tallied(answers)}`, holds }
  },
}

/** The promises about callers' concurrent actions. */
export const trials: readonly Trial[] = [
  erasedWhileOpened,
  erasedWhileRepeated,
  keyedAtOnce,
  limitedTogether,
  registeredAtOnce,
]
