import { setTimeout as pause } from 'node:timers/promises'
import { jobDone } from 'durable-xstate-sql/sql'
import { start } from '../../packages/durable/test/actors/attempts.ts'
import { deliveriesOf, newTransaction } from '../../packages/durable/test/actors/charts.ts'
import { rows, tallied, until } from './galera_nodes.ts'
import type { Trial } from './galera_trials.ts'
import { claimFor, lasting } from './galera_work.ts'

const done = jobDone('attempt', { outcome: 'delivered' as const, jitter: 0, retry_after_ms: null })

const reachedWhileDelivered: Trial = {
  promise: 'a status is reached on one member while the one before is delivered on another',
  async run(cluster, rounds) {
    const [one, two] = cluster.nodes
    const words: string[] = []
    for (let round = 0; round < rounds; round++) {
      const actor = newTransaction(lasting)
      await one.service.host.create(one.service.transaction, actor)
      await one.service.host.send(one.service.transaction, actor.id, start)
      const job = await claimFor(one, actor.id)
      await until(
        async () => (await rows(two, 'SELECT id FROM scheduled_jobs WHERE lease = ?', job.lease ?? '')).length > 0,
      )
      const deliver = async () => {
        await pause(Math.random() * 4)
        const fence = { job_id: job.id, lease: job.lease }
        await one.service.host.send(one.service.delivery, job.actor_id, done, { fence })
      }
      const cancel = async () => {
        await pause(Math.random() * 4)
        await two.service.host.send(two.service.transaction, actor.id, { type: 'CANCEL' })
      }
      await Promise.all([deliver(), cancel()])
      const found = () => deliveriesOf(one.store, actor.id)
      await until(async () => (await found()).length === 2)
      words.push((await found()).map(({ notified_status, status }) => `${notified_status} ${status}`).join(' then '))
    }
    const holds = words.every(word => word === 'INITIATED DELIVERED then FAILED ATTEMPTING')
    return { said: tallied(words), holds }
  },
}

/** The first is on its way again or waits, and the second does the other: two at once would come in any order. */
const redeliveredWhileReached: Trial = {
  promise: 'a delivery is repeated on one member while the next status is reached on another',
  async run(cluster, rounds) {
    const [one, two] = cluster.nodes
    const words: string[] = []
    for (let round = 0; round < rounds; round++) {
      const actor = newTransaction(lasting)
      await one.service.host.create(one.service.transaction, actor)
      await one.service.host.send(one.service.transaction, actor.id, start)
      const job = await claimFor(one, actor.id)
      const fence = { job_id: job.id, lease: job.lease }
      await one.service.host.send(one.service.delivery, job.actor_id, done, { fence })
      const delivered = "SELECT id FROM deliveries WHERE id = ? AND status = 'DELIVERED'"
      await until(async () => (await rows(two, delivered, job.actor_id)).length === 1)
      const repeat = async () => {
        await pause(Math.random() * 4)
        await one.service.host.send(one.service.delivery, job.actor_id, { type: 'REDELIVER' })
      }
      const cancel = async () => {
        await pause(Math.random() * 4)
        await two.service.host.send(two.service.transaction, actor.id, { type: 'CANCEL' })
      }
      await Promise.all([repeat(), cancel()])
      const states = (await deliveriesOf(one.store, actor.id)).map(({ status }) => String(status))
      words.push(states.toSorted().join(' and '))
    }
    return { said: tallied(words), holds: words.every(word => word === 'ATTEMPTING and PENDING') }
  },
}

/** The promises about deliveries that follow each other. */
export const deliveryTrials: readonly Trial[] = [reachedWhileDelivered, redeliveredWhileReached]
