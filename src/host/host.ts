import type { AnyEventObject, AnyStateMachine } from 'xstate'
import type { Clock } from '../base/clock.ts'
import { Refusal, unavailable } from '../base/refusal.ts'
import {
  insert,
  LostRace,
  number,
  type Row,
  run,
  runAll,
  type Statement,
  text,
  type Unit,
  type Value,
} from '../store/statement.ts'
import type { Store } from '../store/store.ts'
import type { ActorKind, ActorState, NewActor, TellOptions } from './kind.ts'
import { type Due, dueStatements, holdsFence, journalEntry, selectActor, selectFence, updateActor } from './rows.ts'
import { contextOf, firstStep, nextStep, type PersistedSnapshot, type Step } from './xstate.ts'

/** The durable actor host: the only place where charts run. */
export interface Host {
  /** Creates an actor in one commit, `writes` included. @throws {Refusal} `unavailable` */
  create(kind: ActorKind, actor: NewActor, writes?: readonly Statement[]): Promise<ActorState>
  /**
   * One event, one commit: snapshot, journal, timers, jobs, and whatever the chart's actions and `writes` add.
   * @throws {Refusal} `not_allowed_in_state` where the chart doesn't take the event, `not_found`, `unavailable`
   */
  tell(kind: ActorKind, id: string, event: AnyEventObject, options?: TellOptions): Promise<ActorState>
  /** `create` inside another actor's commit. */
  createWithin(kind: ActorKind, actor: NewActor): Unit<ActorState>
  /** `tell` inside another actor's commit; null where the chart doesn't take the event. */
  tellWithin(kind: ActorKind, id: string, event: AnyEventObject): Unit<ActorState | null>
  /** Calls `listener` after each commit of this node; the returned function ends that. */
  subscribe(listener: (actor: ActorState) => void): () => void
}

/** The chart of that version. @throws {Refusal} `unavailable`: guessing with another chart could corrupt the actor. */
const chartOf = (kind: ActorKind, version: number): AnyStateMachine => {
  const chart = kind.charts[version]
  if (chart === undefined) throw unavailable(`this build does not know version ${version} of the ${kind.name} chart`)
  return chart
}

function* runActions(due: Due, step: Step, row: Readonly<Record<string, Value>>): Unit<void> {
  for (const effect of step.effects) {
    if (effect.type !== 'action') continue
    const action = due.kind.actions[effect.name]
    // Assignments have worked on the context already; they write nothing of their own.
    if (action === undefined) continue
    yield* action({ actor_id: due.actor_id, account_id: due.account_id, now: due.now, params: effect.params, row })
  }
}

function* createUnit(kind: ActorKind, actor: NewActor, now: number): Unit<ActorState> {
  const { id, account_id, columns } = actor
  const step = firstStep(chartOf(kind, kind.current), actor.input)
  const due: Due = { kind, actor_id: id, account_id, now }
  const row = {
    id,
    account_id,
    snapshot: JSON.stringify(step.snapshot),
    version: 1,
    chart_version: kind.current,
    status: step.status,
    created_at: now,
    ...kind.onStatus(step.status, now),
    ...columns,
  }
  const journal = journalEntry(due, 1, { type: 'CREATE' }, step.status)
  yield* runAll([insert(kind.table, row), journal, ...dueStatements(step, due)])
  yield* runActions(due, step, row)
  return { kind: kind.name, id, account_id, status: step.status, step }
}

/** What telling came to: the actor's new state, or why the event was not taken. */
type Told = { readonly actor: ActorState } | { readonly refused: string }

interface Telling {
  readonly kind: ActorKind
  readonly id: string
  readonly event: AnyEventObject
  readonly now: number
  readonly lock: string
  readonly options: TellOptions
}

const writesOf = ({ writes = [] }: TellOptions, row: Row): readonly Statement[] =>
  typeof writes === 'function' ? writes(contextOf(JSON.parse(text(row, 'snapshot')) as PersistedSnapshot)) : writes

function* takeStep(telling: Telling, row: Row, step: Step, spent: readonly Statement[]): Unit<Told> {
  const { kind, id, event, now, options } = telling
  const due: Due = { kind, actor_id: id, account_id: text(row, 'account_id'), now }
  const [updated] = yield* runAll([
    updateActor(kind, row, step, now),
    journalEntry(due, number(row, 'version') + 1, event, step.status),
    ...spent,
    ...dueStatements(step, due),
    ...writesOf(options, row),
  ])
  if (updated?.changed !== 1) throw new LostRace(`${kind.name} ${id} was changed by another node`)
  for (const statement of options.large ?? []) yield* run(statement)
  yield* runActions(due, step, row)
  return { actor: { kind: kind.name, id, account_id: due.account_id, status: step.status, step } }
}

/** An event that is not taken writes nothing, but that a fenced one's spent row goes. */
function* tellUnit(telling: Telling): Unit<Told> {
  const { kind, id, event, lock, options } = telling
  const { fence } = options
  const [actor, fenced] = yield* runAll([
    selectActor(kind, id, lock),
    ...(fence === undefined ? [] : [selectFence(fence, id, lock)]),
  ])
  const row = actor?.rows[0]
  if (row === undefined) throw new Refusal('not_found', `${kind.name}: not found`)
  if (!holdsFence(fence, fenced)) return { refused: 'its result came too late' }
  const chart = chartOf(kind, number(row, 'chart_version'))
  const step = nextStep(chart, JSON.parse(text(row, 'snapshot')) as PersistedSnapshot, event)
  const spent = fence === undefined ? [] : [{ sql: 'DELETE FROM due WHERE id = ?', values: [fence.due_id] }]
  if (step !== null) return yield* takeStep(telling, row, step, spent)
  yield* runAll(spent)
  return { refused: `it is ${text(row, 'status')}` }
}

/** Results of jobs and timers: known by their fence, which nobody outside can have. */
const isInternal = (event: AnyEventObject): boolean => event.type.startsWith('xstate.')

/** Makes the host of a store. */
export const createHost = (store: Store, clock: Clock): Host => {
  const listeners = new Set<(actor: ActorState) => void>()
  const lock = store.dialect.lock
  const publish = (actor: ActorState): ActorState => {
    for (const listener of listeners) listener(actor)
    return actor
  }

  return {
    async create(kind, actor, writes = []) {
      const unit = function* (): Unit<ActorState> {
        yield* runAll(writes)
        return yield* createUnit(kind, actor, clock.now())
      }
      return publish(await store.commit(unit))
    },
    async tell(kind, id, event, options = {}) {
      if (isInternal(event) && options.fence === undefined) throw new Refusal('invalid_field', 'type: is reserved')
      const told = await store.commit(() => tellUnit({ kind, id, event, now: clock.now(), lock, options }))
      if ('actor' in told) return publish(told.actor)
      throw new Refusal('not_allowed_in_state', `${kind.name}: ${event.type} is not possible, ${told.refused}`)
    },
    createWithin: (kind, actor) => createUnit(kind, actor, clock.now()),
    *tellWithin(kind, id, event) {
      const told = yield* tellUnit({ kind, id, event, now: clock.now(), lock, options: {} })
      return 'actor' in told ? told.actor : null
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
