import test from 'ava'
import type { AnyStateMachine } from 'xstate'
import { deliveryMachine } from '../../../../machines/delivery.ts'
import { type TransactionInput, transactionMachine } from '../../../../machines/transaction.ts'
import { eachDialect, forOneDialect } from '../../../../test/database.ts'
import { deliveryEvents, deliveryInput, transactionEvents } from '../../../../test/machines/events.ts'
import { deliveryPaths, transactionPaths } from '../../../../test/machines/generated_paths.ts'
import {
  covering,
  declaredTransitions,
  type GeneratedPath,
  longest,
  restingStates,
} from '../../../../test/machines/paths.ts'
import { isLong } from '../../../../test/tier.ts'
import { newDelivery, newTransaction } from './charts.ts'
import { openRig } from './rig.ts'
import { type WalkOf, walkPath } from './walk.ts'

const transaction = transactionMachine as AnyStateMachine
const delivery = deliveryMachine as AnyStateMachine
const ofTransaction = transactionPaths()
const ofDelivery = deliveryPaths()

for (const [machine, paths] of [
  [transaction, ofTransaction],
  [delivery, ofDelivery],
] as const) {
  test(`The generated paths take every transition of the ${machine.id} chart and rest in every state`, t => {
    const taken = new Set(paths.flatMap(({ transitions }) => transitions))
    t.deepEqual(
      declaredTransitions(machine).filter(name => !taken.has(name)),
      [],
    )
    const rested = new Set(paths.flatMap(({ states }) => states))
    t.deepEqual(
      restingStates(machine).filter(
        id => !rested.has(id) && id !== 'transaction.open.CREATED' && id !== 'delivery.pending',
      ),
      [],
    )
    const few = new Set(covering(paths).flatMap(({ transitions }) => transitions))
    t.deepEqual(
      declaredTransitions(machine).filter(name => !few.has(name)),
      [],
    )
  })
}

function external(events: readonly { type: string }[]) {
  return events.filter(({ type }) => !type.startsWith('xstate.'))
}

/** Walked side by side, a dozen at a time: they share the database, not their clocks. */
async function walkAll(
  paths: readonly GeneratedPath[],
  walkOf: (path: GeneratedPath) => WalkOf | Promise<WalkOf>,
): Promise<number> {
  const waiting = [...paths]
  const walker = async (): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift())
      await walkPath(await walkOf(path), path.events)
  }
  await Promise.all(Array.from({ length: 12 }, walker))
  return paths.reduce((sum, { events }) => sum + events.length, 0)
}

for (const engine of eachDialect) {
  const testOnce = forOneDialect(engine, test.serial)
  // In the long tier SQLite walks a third of all paths beside those that cover every transition.
  const moreOf = (paths: readonly GeneratedPath[]) => longest(paths).filter((_, index) => index % 3 === 0)
  const chosen = (paths: readonly GeneratedPath[]) => [
    ...covering(paths),
    ...(isLong && engine.name === 'SQLite' ? moreOf(paths) : []),
  ]

  testOnce(`On ${engine.name} every path of a transaction leaves exactly the rows that its states imply`, async t => {
    const { store, close } = await openRig(engine)
    const paths = chosen(ofTransaction)
    const others = external(transactionEvents('b'))
    const count = await walkAll(paths, ({ input }) => {
      const actor = newTransaction(input as TransactionInput)
      return { t, store, kind: 'transaction', actor, others }
    })
    t.log(`${paths.length} paths, ${count} events`)
    await close()
  })

  test.serial(`On ${engine.name} every path of a delivery leaves exactly the rows that its states imply`, async t => {
    const { store, close, host, delivery } = await openRig(engine)
    const others = external(deliveryEvents())
    await walkAll(longest(ofDelivery), async ({ input }) => {
      const actor = newDelivery(input as typeof deliveryInput)
      // Another one is under way, so that the turn comes by the path's own TURN alone.
      const under_way = newDelivery({ ...deliveryInput, has_turn: true })
      const { transaction_id } = actor.columns
      await host.create(delivery, { ...under_way, columns: { ...under_way.columns, transaction_id, sequence: 2 } })
      return { t, store, kind: 'delivery', actor, others }
    })
    await close()
  })
}
