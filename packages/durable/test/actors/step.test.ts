import test from 'ava'
import fc from 'fast-check'
import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  initialTransition,
  transition,
} from 'xstate'
import { deliveryMachine } from '../../../../machines/delivery.ts'
import { transactionMachine } from '../../../../machines/transaction.ts'
import { deliveryEvents, limits, strangeEvents, transactionEvents } from '../../../../test/machines/events.ts'
import { rounds } from '../../../../test/tier.ts'
import { takeRepeatedStep } from '../../actors/stored_step.ts'
import { firstStep, nextStep, type PersistedSnapshot, type Step } from '../../actors/xstate.ts'

function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

/** An action as XState's own `transition` lists it. */
interface Listed {
  readonly type: string
  readonly params: unknown
}

/** XState's own list of actions in the words of the host, derived again from XState's types. */
function effectsOf(actions: readonly Listed[]): unknown[] {
  return actions.flatMap(({ type, params }): object[] => {
    const given = (params ?? {}) as Record<string, unknown>
    if (type === 'xstate.raise') {
      const { id, delay, event } = given
      return delay === undefined ? [] : [{ type: 'startTimer', name: id, delayMs: delay, event }]
    }
    if (type === 'xstate.cancel') return [{ type: 'cancel', name: given.sendId }]
    if (type === 'xstate.spawnChild')
      return [{ type: 'startJob', name: given.id, src: given.src, input: given.input ?? null }]
    if (type === 'xstate.stopChild') return [{ type: 'cancel', name: given.id }]
    return [{ type: 'action', name: type, params: params ?? null }]
  })
}

function theirs(machine: AnyStateMachine, snapshot: AnyMachineSnapshot, actions: readonly unknown[]) {
  return {
    snapshot: throughJson(machine.getPersistedSnapshot(snapshot)),
    effects: throughJson(effectsOf(actions as readonly Listed[])),
    done: snapshot.status === 'done',
    tags: [...snapshot.tags],
  }
}

function ours(step: Step) {
  return {
    snapshot: throughJson(step.snapshot),
    effects: throughJson(step.effects),
    done: step.done,
    tags: [step.status],
  }
}

/** The way an event is chosen: on the way to a decision, among those that the state accepts, or among all. */
type Pick = readonly [how: 'onward' | 'enabled' | 'any', index: number]

const turnsBack = /CANCEL|DROPPED|TTL|DEADLINE/

type Taken = { steps: number; refused: number; ended: number; reached: string[] }

function choose(
  snapshot: AnyMachineSnapshot,
  all: readonly AnyEventObject[],
  [how, index]: Pick,
): AnyEventObject | undefined {
  const enabled = how === 'any' ? all : all.filter(event => snapshot.can(event))
  const possible = how === 'onward' ? enabled.filter(({ type }) => !turnsBack.test(type)) : enabled
  return possible[index % possible.length]
}

/** Walks one sequence on both sides; XState's side is never persisted, the library's at every step. */
function walk(machine: AnyStateMachine, input: unknown, picks: readonly Pick[], catalogue: typeof transactionEvents) {
  const taken: Taken = { steps: 0, refused: 0, ended: 0, reached: [] }
  const [initial, actions] = initialTransition(machine, input as never)
  let snapshot = initial as AnyMachineSnapshot
  let step = firstStep(machine, input)
  const agree = (a: unknown, b: unknown, event: AnyEventObject): void => {
    const left = JSON.stringify(a)
    const right = JSON.stringify(b)
    if (left !== right) throw new Error(`after ${JSON.stringify(event)}\nours   ${left}\ntheirs ${right}`)
  }
  agree(ours(step), theirs(machine, snapshot, actions), { type: 'CREATE' })
  for (const [salt, pick] of picks.entries()) {
    const event = choose(snapshot, [...catalogue(salt), ...strangeEvents], pick)
    if (event === undefined) continue
    const next = nextStep(machine, throughJson(step.snapshot) as PersistedSnapshot, throughJson(event))
    // The step may be taken from another actor's, or forgotten: there are more steps than are remembered.
    const repeated = takeRepeatedStep(machine, JSON.stringify(step.snapshot), throughJson(event))
    agree(repeated, next && { ...next, stored: JSON.stringify(next.snapshot) }, event)
    if (snapshot.status === 'done') {
      taken.ended += 1
      agree(next, null, event)
      continue
    }
    const [moved, effects] = transition(machine, snapshot, event)
    const before = theirs(machine, snapshot, [])
    const after = theirs(machine, moved as AnyMachineSnapshot, effects as readonly unknown[])
    // A stray job error or `xstate.stop` would kill XState's own actor: here it is an event that is not accepted.
    const dies = moved.status === 'error' || moved.status === 'stopped'
    const changed = !dies && JSON.stringify(before) !== JSON.stringify(after)
    // An event may be accepted without a change, such as a drop of an absent capture (`BACK_DROPPED` of a passport).
    const takes = changed || (!dies && snapshot.can(event))
    taken[takes ? 'steps' : 'refused'] += 1
    agree(next === null ? null : ours(next), takes ? after : null, event)
    if (next === null) continue
    snapshot = moved as AnyMachineSnapshot
    step = next
    taken.reached.push(step.status)
  }
  return taken
}

const how = fc.oneof(
  { weight: 12, arbitrary: fc.constant('onward' as const) },
  { weight: 3, arbitrary: fc.constant('enabled' as const) },
  { weight: 4, arbitrary: fc.constant('any' as const) },
)
const picks = fc.array(fc.tuple(how, fc.nat({ max: 10_000 })), { minLength: 10, maxLength: 60, size: 'max' })

const small = fc.integer({ min: 1, max: 3 })

const transactionInput = fc.record({
  transaction_type: fc.constantFrom('DOCUMENT_AND_BIOMETRIC', 'BIOMETRIC_ONLY', 'AGE'),
  limits: fc
    .record({ capture_attempts: small, challenge_attempts: small, analysis_attempts: small })
    .map(some => ({ ...limits, ...some })),
})

const deliveryInput = fc.record({
  schedule_ms: fc.array(fc.nat({ max: 100_000 }), { minLength: 1, maxLength: 4 }),
  has_turn: fc.boolean(),
})

for (const [machine, input, catalogue, statuses] of [
  [
    transactionMachine,
    transactionInput,
    transactionEvents,
    ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED', 'FAILED', 'EXPIRED'],
  ],
  [
    deliveryMachine,
    deliveryInput,
    deliveryEvents,
    ['ATTEMPTING', 'BACKING_OFF', 'DELAYED', 'DELIVERED', 'EXHAUSTED', 'GONE'],
  ],
] as const) {
  test(`Every step of the ${machine.id} chart is XState's own, on any sequence of events`, t => {
    const numRuns = rounds(80, 1000)
    const total = { steps: 0, refused: 0, ended: 0 }
    const reached = new Set<string>()
    fc.assert(
      fc.property(input as fc.Arbitrary<unknown>, picks, (some, sequence) => {
        const { steps, refused, ended, ...walked } = walk(machine as AnyStateMachine, some, sequence, catalogue)
        total.steps += steps
        total.refused += refused
        total.ended += ended
        for (const status of walked.reached) reached.add(status)
      }),
      { numRuns, seed: 20_261_121, includeErrorInReport: true },
    )
    t.log(`${total.steps} taken, ${total.refused} not taken, ${total.ended} after the end`)
    t.true(total.steps > 6 * numRuns && total.refused > 1.5 * numRuns)
    for (const status of statuses) t.true(reached.has(status), `${status} was reached`)
  })
}

test('A chart accepts nothing after its end, although a pure transition would go on', t => {
  const first = firstStep(transactionMachine, { transaction_type: 'BIOMETRIC_ONLY', limits })
  const ended = nextStep(transactionMachine, throughJson(first.snapshot), { type: 'CANCEL' })
  t.is(ended?.status, 'FAILED')
  t.true(ended?.done)
  for (const event of [...transactionEvents('late'), ...strangeEvents])
    t.is(nextStep(transactionMachine, throughJson(ended?.snapshot as PersistedSnapshot), event), null, event.type)
})
