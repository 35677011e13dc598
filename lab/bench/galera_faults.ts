import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../src/base/ids.ts'
import { kyc } from '../../test/service/client.ts'
import { askAgain, capture, integrate, type Load, lostOn, newLoad } from './galera_load.ts'
import { type Cluster, type ClusterNode, post, rows, tallied, until } from './galera_nodes.ts'
import type { Trial } from './galera_trials.ts'
import { workerOn } from './galera_work.ts'

function answersAgain(node: ClusterNode): Promise<number> {
  return until(async () => (await post(node, 'customer', { external_customer_id: newId() })).status === 201, 60_000)
}

async function allFinished({ nodes: [one] }: Cluster, load: Load): Promise<void> {
  const ids = [...load.carried.keys()]
  const marks = ids.map(() => '?').join(', ')
  const open = `SELECT COUNT(*) AS many FROM transactions WHERE status <> 'FINISHED' AND id IN (${marks})`
  await until(async () => Number((await rows(one, open, ...ids))[0]?.many) === 0, 60_000)
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

const memberKilled: Trial = {
  promise: 'a member is killed with SIGKILL under load, and comes back',
  async run(cluster) {
    const load = newLoad()
    const noted = { acted: [], logged: [], leaseMs: 6_000 }
    const workers = cluster.nodes.map(node => workerOn(node, noted))
    const work = cluster.nodes.flatMap((node, index) => [
      integrate(load, node, index),
      integrate(load, node, index),
      capture(load, node),
      capture(load, node),
      capture(load, node),
    ])
    const failing = Promise.all(work)
    await Promise.race([pause(3000), failing])
    await cluster.kill(2)
    await Promise.race([pause(6000), failing])
    await cluster.start(2)
    const backMs = await answersAgain(cluster.nodes[2])
    await Promise.race([pause(2000), failing])
    load.stopped = true
    await failing
    await allFinished(cluster, load)
    await Promise.all(workers.map(worker => worker.stop(Promise.resolve())))
    const lost = await Promise.all(cluster.nodes.map(node => lostOn(node, load)))
    const wrong = await askAgain(cluster.nodes[0], load)
    const things = load.customers.length + load.transactions.length
    const said = [
      `${tallied(load.answers)}; the slowest took ${seconds(load.slowest_ms)}, and the first ${seconds(backMs)} after the member`,
      `of ${things} things and ${[...load.carried.values()].flat().length} events acknowledged ${lost.join(', ')} missing`,
      `${load.unanswered.length} asked again, ${wrong} answered wrongly; ${load.carried.size} carried through and finished`,
    ].join('; ')
    const isOurs = load.answers.every(word => /^node [12]: 201$|: 503$|^node 3: 201$/.test(word))
    const someRefused = load.answers.includes('node 3: 503')
    return { said, holds: isOurs && someRefused && lost.every(many => many === 0) && wrong === 0 }
  },
}

const majorityKilled: Trial = {
  promise: 'the majority is killed: what is left answers 503, until its operator makes it the cluster',
  async run(cluster) {
    const [one] = cluster.nodes
    const kept = String((await post(one, 'customer', { external_customer_id: newId() })).body.customer_id)
    const load = newLoad()
    const work = Promise.all(Array.from({ length: 8 }, () => integrate(load, one, 0)))
    await Promise.race([pause(1000), work])
    await Promise.all([cluster.kill(1), cluster.kill(2)])
    await Promise.race([pause(8000), work])
    load.stopped = true
    await work
    const last: number[] = []
    for (let call = 0; call < 10; call++) {
      last.push((await post(one, 'customer', { external_customer_id: newId() })).status)
      last.push((await one.door.call('GET', `${kyc}/customer/${kept}`, { token: one.door.token })).status)
    }
    await one.store.read({ sql: "SET GLOBAL wsrep_provider_options = 'pc.bootstrap=true'", values: [] }).catch(() => [])
    const backMs = await answersAgain(one)
    await cluster.start(1)
    await cluster.start(2)
    for (const node of cluster.nodes) await answersAgain(node)
    load.customers.push(kept)
    const lost = await Promise.all(cluster.nodes.map(node => lostOn(node, load)))
    const wrong = await askAgain(cluster.nodes[1], load)
    const isOurs = load.answers.every(word => /201|503/.test(word)) && last.every(status => status === 503)
    const said = [
      `${tallied(load.answers)}; then ${tallied(last)}; back ${seconds(backMs)} after the word`,
      `of ${load.customers.length + load.transactions.length} things acknowledged ${lost.join(', ')} missing`,
      `${load.unanswered.length} asked again, ${wrong} answered wrongly`,
    ].join('; ')
    return { said, holds: isOurs && lost.every(many => many === 0) && wrong === 0 }
  },
}

/** The promises about members that die. */
export const faultTrials: readonly Trial[] = [memberKilled, majorityKilled]
