import test from 'ava'
import fc from 'fast-check'
import type { AnyEventObject, AnyStateMachine } from 'xstate'
import type { TransactionInput } from '../../../../machines/transaction.ts'
import { eachDialect, sqlite } from '../../../../test/database.ts'
import { limits, transactionEvents } from '../../../../test/machines/events.ts'
import type { AnyActorDefinition } from '../../actors/definition.ts'
import { ReplayError, replayEntry } from '../../actors/replay.ts'
import { firstStep, nextStep } from '../../actors/xstate.ts'
import { newTransaction } from './charts.ts'
import { openRig } from './rig.ts'
import { checkReplay, walkPath } from './walk.ts'

/** Returns the event that each number picks among those that the chart accepts, until it accepts none. */
function drawPath(
  chart: AnyStateMachine,
  input: unknown,
  events: readonly AnyEventObject[],
  picks: readonly number[],
): readonly AnyEventObject[] {
  const path: AnyEventObject[] = []
  let step = firstStep(chart, input)
  for (const pick of picks) {
    const before = JSON.parse(JSON.stringify(step.snapshot))
    const taken = events.filter(event => nextStep(chart, before, event) !== null)
    const event = taken[pick % taken.length]
    const next = event === undefined ? null : nextStep(chart, before, event)
    if (event === undefined || next === null) return path
    path.push(event)
    step = next
  }
  return path
}

const attempts = fc.integer({ min: 1, max: 4 })

const transactionInput: fc.Arbitrary<TransactionInput> = fc.record({
  transaction_type: fc.constantFrom('DOCUMENT_AND_BIOMETRIC', 'BIOMETRIC_ONLY', 'AGE'),
  limits: fc
    .record({ capture_attempts: attempts, challenge_attempts: attempts, analysis_attempts: attempts })
    .map(drawn => ({ ...limits, ...drawn })),
})

const picks = fc.array(fc.nat(1000), { minLength: 1, maxLength: 25 })

function versionsOf({ charts }: AnyActorDefinition) {
  return Object.entries(charts).map(([version, chart]) => [Number(version), chart] as const)
}

for (const engine of eachDialect) {
  const numRuns = engine.name === 'SQLite' ? 25 : 5

  test(`On ${engine.name} the journal of any transaction leads to its statuses and its snapshot, its entries beside the chart included`, async t => {
    const { store, transaction, host, close } = await openRig(engine)
    const events = transactionEvents('a')
    const property = fc.asyncProperty(transactionInput, picks, async (input, drawn) => {
      for (const [version, chart] of versionsOf(transaction)) {
        const actor = newTransaction(input)
        await walkPath(
          { t, store, kind: 'transaction', actor, version, others: [] },
          drawPath(chart, input, events, drawn),
        )
        await store.commit(() =>
          host.appendToJournal(transaction, actor.id, { type: 'ERASE', by: 'erasure', erasure_id: actor.id }),
        )
        await checkReplay({ t, store, kind: transaction, id: actor.id })
      }
    })
    await fc.assert(property, { numRuns })
    await close()
  })
}

test('A journal that its chart does not lead through is not replayed', async t => {
  const { transaction, close } = await openRig(sqlite)
  const input = { transaction_type: 'BIOMETRIC_ONLY', limits }
  const entry = (sequence: number, event: object, chart_version = 1) =>
    ({ sequence, event: JSON.stringify(event), chart_version }) as const
  const created = replayEntry(transaction, null, entry(1, { type: 'CREATE', input }))
  t.is(created.status, 'CREATED')
  for (const [before, given, message] of [
    [null, entry(1, { type: 'CREATE' }), 'the first entry does not say what the actor began with'],
    [null, entry(1, { type: 'START', input }), 'the first entry is START'],
    [null, entry(1, { type: 'CREATE', input }, 99), 'this build does not know version 99 of the transaction chart'],
    [created, entry(2, { type: 'COMPLETE' }), 'entry 2: COMPLETE is not possible in CREATED'],
  ] as const)
    t.throws(() => replayEntry(transaction, before, given), { instanceOf: ReplayError, message })
  await close()
})
