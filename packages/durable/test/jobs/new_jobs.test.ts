import test from 'ava'
import { countFreeSlots } from '../../../../src/verification/analysis/admission.ts'
import { until } from '../../../../test/awaited.ts'
import { eachDialect } from '../../../../test/database.ts'
import type { JobResult } from '../../jobs/handler.ts'
import { readScheduledJobs } from '../actors/charts.ts'
import type { Rig } from '../actors/rig.ts'
import { completed, createHandlers, gate, opened, openWorkerRig, startNode, statusOf, transactionOf } from './rig.ts'
import { leaseMs, untilComplete } from './script.ts'

/** Counts the commits that the store has made. */
function countCommits({ store }: Rig): () => number {
  const { commit } = store
  let count = 0
  Object.assign(store, {
    commit: (...given: Parameters<typeof commit>) => {
      count++
      return commit(...given)
    },
  })
  return () => count
}

function slotsOf(count: number, handlers: ReturnType<typeof createHandlers>['handlers']) {
  return handlers.map(handler => ({ ...handler, slots: () => count }))
}

for (const engine of eachDialect) {
  test(`On ${engine.name} a job that begins with its commit is in its actor's row alone, with its lease`, async t => {
    const rig = await openWorkerRig(t, engine)
    const result = gate<JobResult>()
    const { handlers, done, count } = createHandlers({ analysis: () => result.promise })
    const { worker } = startNode(t, rig, handlers)
    await worker.idle()
    const id = await opened(rig)
    for (const event of untilComplete.slice(0, -1)) await rig.host.send(rig.transaction, id, event)
    const commits = countCommits(rig)
    await rig.host.send(rig.transaction, id, { type: 'COMPLETE' })
    await until(() => count('analysis') === 1)
    t.is(commits(), 2, 'the event, and the result of the admission')
    const rows = { sql: 'SELECT queue FROM scheduled_jobs WHERE actor_id = ?', values: [id] }
    t.deepEqual(await rig.store.read(rows), [{ queue: 'timer' }])
    const row = await transactionOf(rig, id)
    t.like(JSON.parse(String(row.held_job)), { queue: 'analysis', claims: 1 })
    t.is(row.held_until, rig.clock.now() + leaseMs)
    result.resolve({ output: { decision: 'APPROVED' } })
    await worker.idle()
    t.is(await statusOf(rig, id), 'FINISHED')
    t.is(commits(), 3)
    t.like(await transactionOf(rig, id), { held_job: null, held_until: null })
    t.deepEqual(
      done.map(({ queue, claims }) => `${queue} ${claims}`),
      ['admission 1', 'analysis 1'],
    )
  })

  test(`On ${engine.name} the result of a job passes its slot on to the job that it starts`, async t => {
    const rig = await openWorkerRig(t, engine)
    const { handlers, done } = createHandlers()
    const other = (queue: string) => (queue === 'admission' ? 'analysis' : 'admission')
    const sharers = handlers.map(handler =>
      handler.queue === 'attempt' ? handler : { ...handler, slots: countFreeSlots(other(handler.queue), () => 1) },
    )
    const { worker } = startNode(t, rig, sharers)
    await worker.idle()
    const id = await opened(rig)
    for (const event of untilComplete.slice(0, -1)) await rig.host.send(rig.transaction, id, event)
    const commits = countCommits(rig)
    await rig.host.send(rig.transaction, id, { type: 'COMPLETE' })
    await worker.idle()
    t.is(await statusOf(rig, id), 'FINISHED')
    t.is(commits(), 3, 'nothing was claimed')
    t.deepEqual(
      done.map(({ queue, claims }) => `${queue} ${claims}`),
      ['admission 1', 'analysis 1'],
    )
  })

  test(`On ${engine.name} a commit that fails begins no job, and gives the slot back`, async t => {
    const rig = await openWorkerRig(t, engine)
    const { handlers, count } = createHandlers()
    const { worker } = startNode(t, rig, slotsOf(1, handlers))
    await worker.idle()
    const id = await opened(rig)
    for (const event of untilComplete.slice(0, -1)) await rig.host.send(rig.transaction, id, event)
    const writes = [{ sql: 'INSERT INTO there_is_no_such_table (id) VALUES (?)', values: [id] }]
    await t.throwsAsync(rig.host.send(rig.transaction, id, { type: 'COMPLETE' }, { writes }))
    await worker.idle()
    t.is(count('admission'), 0)
    const commits = countCommits(rig)
    await rig.host.send(rig.transaction, id, { type: 'COMPLETE' })
    await worker.idle()
    t.is(await statusOf(rig, id), 'FINISHED')
    t.is(commits(), 3, 'nothing was claimed')
  })

  test(`On ${engine.name} a node that stops begins no new job: another does it`, async t => {
    const rig = await openWorkerRig(t, engine)
    const stopped = createHandlers()
    const { worker } = startNode(t, rig, stopped.handlers)
    await worker.idle()
    await worker.stop(Promise.resolve())
    const id = await completed(rig)
    t.like(
      (await readScheduledJobs(rig.store, id)).find(({ queue }) => queue === 'admission'),
      {
        claims: 0,
        lease: null,
      },
    )
    const next = createHandlers()
    await startNode(t, rig, next.handlers).worker.idle()
    t.is(await statusOf(rig, id), 'FINISHED')
    t.is(stopped.done.length, 0)
  })

  test(`On ${engine.name} a node that stops while it commits a job releases it at once`, async t => {
    const rig = await openWorkerRig(t, engine)
    const { handlers, count } = createHandlers()
    const { worker } = startNode(t, rig, handlers)
    await worker.idle()
    const id = await opened(rig)
    for (const event of untilComplete.slice(0, -1)) await rig.host.send(rig.transaction, id, event)
    const { commit } = rig.store
    let stopping: Promise<void> | null = null
    Object.assign(rig.store, {
      commit: async (...given: Parameters<typeof commit>) => {
        const value = await commit(...given)
        stopping ??= worker.stop(Promise.resolve())
        return value
      },
    })
    await rig.host.send(rig.transaction, id, { type: 'COMPLETE' })
    await stopping
    t.is(count('admission'), 0)
    const row = (await readScheduledJobs(rig.store, id)).find(({ queue }) => queue === 'admission')
    t.like(row, { claims: 0, lease: null, ready_at: rig.clock.now() })
  })
}
