import test, { type ExecutionContext } from 'ava'
import { silentLog } from '../../../../src/base/log.ts'
import { sqlite } from '../../../../test/database.ts'
import type { AnyActorDefinition } from '../../actors/definition.ts'
import { requireValidCharts } from '../../actors/known_charts.ts'
import { noCrash } from '../../crash_points.ts'
import type { JobHandler } from '../../jobs/handler.ts'
import { startWorker } from '../../jobs/worker.ts'
import { createHandlers, noDeadline } from '../jobs/rig.ts'
import { openTestRig, type Rig } from './rig.ts'

function refused(t: ExecutionContext, kinds: readonly AnyActorDefinition[], message: string): void {
  void t.throws(() => requireValidCharts(kinds), { name: 'InvalidChartError', message })
}

test('The definitions of the service write each action of their charts, and no other', async t => {
  const { transaction, delivery } = await openTestRig(t, sqlite)
  t.notThrows(() => requireValidCharts([transaction, delivery]))
})

test('Invalid at start: an action that no chart has, one that nobody writes, and an event that is for the journal only', async t => {
  const { transaction, delivery } = await openTestRig(t, sqlite)
  const { passTurnOn } = delivery.actions
  refused(
    t,
    [transaction, { ...delivery, actions: { passTrunOn: passTurnOn } }],
    'chart delivery: nothing is written for its action passTurnOn; chart delivery: passTrunOn is not an action that writes',
  )
  const { notifyIntegrator: _, ...others } = transaction.actions
  refused(
    t,
    [{ ...transaction, actions: others }],
    'chart transaction: nothing is written for its action notifyIntegrator',
  )
  const assigned = { ...transaction.actions, keepDeclaration: passTurnOn }
  refused(t, [{ ...transaction, actions: assigned }], 'chart transaction: keepDeclaration is not an action that writes')
  refused(
    t,
    [{ ...transaction, journalOnly: ['CANCEL'] }],
    'chart transaction: CANCEL is an event of it, and not for its journal only',
  )
})

/** A worker that is started with these handlers, and stopped again where it does start. */
async function start(
  { store, host, clock, transaction, delivery }: Rig,
  handlers: readonly JobHandler[],
  servedElsewhere: readonly string[] = [],
): Promise<void> {
  const kinds = [transaction, delivery]
  const deps = {
    store,
    host,
    clock,
    log: silentLog,
    definitions: kinds,
    handlers,
    servedElsewhere,
    leaseMs: 9000,
    pollMs: 60_000,
    crashHook: noCrash,
  }
  await startWorker(deps).stop(noDeadline)
}

test('Invalid at start: a job without a handler, a handler without a job, and two handlers for one job', async t => {
  const rig = await openTestRig(t, sqlite)
  const { handlers } = createHandlers()
  await t.notThrowsAsync(start(rig, handlers))
  const without = handlers.filter(({ queue }) => queue !== 'analysis')
  const analysis = handlers.filter(({ queue }) => queue === 'analysis')
  const inOneLine = analysis.map(({ lanes: _, ...handler }) => handler)
  const misspelt = analysis.map(hand => ({ ...hand, queue: 'analysys' }))
  const cases: readonly (readonly [readonly JobHandler[], string])[] = [
    [without, 'chart transaction: nobody handles its job analysis'],
    [[...without, ...misspelt], 'chart transaction: nobody handles its job analysis; no chart has a job analysys'],
    [[...handlers, ...analysis], 'two handlers for the job analysis'],
    [[...without, ...inOneLine], 'chart transaction: the handler of its job analysis has no lanes'],
  ]
  for (const [given, message] of cases)
    await t.throwsAsync(() => start(rig, given), { name: 'InvalidChartError', message })
})

test('A job needs no handler where another node serves its queue; that queue must exist, and have no handler here', async t => {
  const rig = await openTestRig(t, sqlite)
  const { handlers } = createHandlers()
  const without = handlers.filter(({ queue }) => queue !== 'analysis')
  await t.notThrowsAsync(start(rig, without, ['analysis', 'timer']))
  const cases: readonly (readonly [readonly JobHandler[], string, string])[] = [
    [without, 'analysys', 'chart transaction: nobody handles its job analysis; no chart has a job analysys'],
    [handlers, 'analysis', 'two handlers for the job analysis'],
  ]
  for (const [given, elsewhere, message] of cases)
    await t.throwsAsync(() => start(rig, given, [elsewhere]), { name: 'InvalidChartError', message })
})

test('Invalid at start: a job of two definitions, which one queue would mix', async t => {
  const rig = await openTestRig(t, sqlite)
  const { handlers } = createHandlers()
  const twin = { ...rig.delivery, name: 'twin' }
  const kinds = [rig.transaction, rig.delivery, twin]
  const { store, host, clock } = rig
  const deps = {
    store,
    host,
    clock,
    log: silentLog,
    definitions: kinds,
    handlers,
    leaseMs: 9000,
    pollMs: 60_000,
    crashHook: noCrash,
  }
  t.throws(() => startWorker(deps), { name: 'InvalidChartError', message: 'attempt is the name of two queues' })
})
