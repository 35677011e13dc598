import test, { type ExecutionContext } from 'ava'
import { passBy } from '../../src/base/instants.ts'
import { silentLog } from '../../src/base/log.ts'
import type { AnyActorKind } from '../../src/host/kind.ts'
import { refuseFaultyCharts } from '../../src/host/known_charts.ts'
import type { Hands } from '../../src/worker/hands.ts'
import { startWorker } from '../../src/worker/worker.ts'
import { databases } from '../database.ts'
import { createHands, noDeadline } from '../worker/rig.ts'
import { openRig, type Rig } from './rig.ts'

const rigOf = async (t: ExecutionContext): Promise<Rig> => {
  const [engine] = databases
  if (engine === undefined) throw new Error('no database')
  const rig = await openRig(engine)
  t.teardown(rig.close)
  return rig
}

const refused = (t: ExecutionContext, kinds: readonly AnyActorKind[], message: string): void =>
  void t.throws(() => refuseFaultyCharts(kinds), { name: 'ChartRefused', message })

test('The kinds of the service have a handler for each action of their charts, and no other', async t => {
  const { transaction, delivery } = await rigOf(t)
  t.notThrows(() => refuseFaultyCharts([transaction, delivery]))
})

test('Refused at start: a handler that no chart names, an action that nobody handles, an event as a note', async t => {
  const { transaction, delivery } = await rigOf(t)
  const { giveTurn } = delivery.actions
  refused(
    t,
    [transaction, { ...delivery, actions: { giveTrun: giveTurn } }],
    'chart delivery: nothing is written for its action giveTurn; chart delivery: giveTrun is no action of it that writes',
  )
  refused(t, [{ ...transaction, actions: {} }], 'chart transaction: nothing is written for its action notify')
  const assigned = { ...transaction.actions, declare: giveTurn }
  refused(t, [{ ...transaction, actions: assigned }], 'chart transaction: declare is no action of it that writes')
  refused(t, [{ ...transaction, notes: ['CANCEL'] }], 'chart transaction: CANCEL is an event of it, and no note')
})

/** A worker that is started with these hands, and stopped again where it does start. */
const start = async ({ store, host, clock, transaction, delivery }: Rig, hands: readonly Hands[]): Promise<void> => {
  const kinds = [transaction, delivery]
  const deps = { store, host, clock, log: silentLog, kinds, hands, lease_ms: 9000, poll_ms: 60_000, reach: passBy }
  await startWorker(deps).stop(noDeadline)
}

test('Refused at start: a job that nobody does, hands that no chart has a job for, and two for one job', async t => {
  const rig = await rigOf(t)
  const { hands } = createHands()
  await t.notThrowsAsync(start(rig, hands))
  const without = hands.filter(({ queue }) => queue !== 'analysis')
  const analysis = hands.filter(({ queue }) => queue === 'analysis')
  const misspelt = analysis.map(hand => ({ ...hand, queue: 'analysys' }))
  const cases: readonly (readonly [readonly Hands[], string])[] = [
    [without, 'chart transaction: nobody does its job analysis'],
    [[...without, ...misspelt], 'chart transaction: nobody does its job analysis; no chart has a job analysys'],
    [[...hands, ...analysis], 'two do the job analysis'],
  ]
  for (const [given, message] of cases) await t.throwsAsync(() => start(rig, given), { name: 'ChartRefused', message })
})

test('Refused at start: a job of two kinds, which one queue would mix', async t => {
  const rig = await rigOf(t)
  const { hands } = createHands()
  const twin = { ...rig.delivery, name: 'twin' }
  const kinds = [rig.transaction, rig.delivery, twin]
  const { store, host, clock } = rig
  const deps = { store, host, clock, log: silentLog, kinds, hands, lease_ms: 9000, poll_ms: 60_000, reach: passBy }
  t.throws(() => startWorker(deps), { name: 'ChartRefused', message: 'attempt is the name of two queues' })
})
