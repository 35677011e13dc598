import type { AnyEventObject, AnyStateMachine } from 'xstate'
import { Refusal, unavailable } from '../base/refusal.ts'
import type { NewRow } from '../store/columns.ts'
import { insert, LostRace, type Outcome, run, runAll, runLater, type Statement, type Unit } from '../store/statement.ts'
import type { Action, ActionContext, ActorState, AnyActorKind, NewActor, SendOptions } from './kind.ts'
import {
  type ActorRow,
  actorRow,
  type Due,
  dueOf,
  dueStatements,
  happenedNext,
  holdsFence,
  journalEntry,
  laneOf,
  selectActor,
  selectFence,
  updateActor,
  updateJournal,
} from './rows.ts'
import { contextOf, firstStep, nextStep, type PersistedSnapshot, type Step } from './xstate.ts'

/** The chart of that version. @throws {Refusal} `unavailable`: guessing with another chart could corrupt the actor. */
const chartOf = (kind: AnyActorKind, version: number): AnyStateMachine => {
  const chart = kind.charts[version]
  if (chart === undefined) throw unavailable(`this build does not know version ${version} of the ${kind.name} chart`)
  return chart
}

function* runActions(due: Due, step: Step, row: ActorRow): Unit<void> {
  const actions = due.kind.actions as Readonly<Record<string, Action>>
  for (const effect of step.effects) {
    if (effect.type !== 'action') continue
    const action = actions[effect.name]
    // Assignments have worked on the context already; they write nothing of their own.
    if (action === undefined) continue
    const { actor_id, account_id, at, clock_offset_ms } = due
    yield* action({
      actor_id,
      account_id,
      now: at,
      clock_offset_ms,
      params: effect.params,
      row: row as ActionContext['row'],
    })
  }
}

/** Creates an actor. */
export function* createUnit(kind: AnyActorKind, actor: NewActor, real_now: number): Unit<ActorState> {
  const { id, account_id, named = {}, columns, clock_offset_ms = 0 } = actor
  const now = real_now + clock_offset_ms
  const step = firstStep(chartOf(kind, kind.current), actor.input)
  const due: Due = { kind, actor_id: id, account_id, now, at: now, clock_offset_ms, lane: laneOf(kind, columns) }
  const created = {
    sequence: 1,
    event: { type: 'CREATE', ...named },
    status: step.status,
    chart_version: kind.current,
    before: '',
  }
  const journal = journalEntry(due, created)
  const row = {
    id,
    account_id,
    clock_offset_ms: clock_offset_ms === 0 ? null : clock_offset_ms,
    snapshot: JSON.stringify(step.snapshot),
    version: 1,
    chart_version: kind.current,
    status: step.status,
    journal_hash: journal.hash,
    journal_at: now,
    created_at: now,
    ...kind.onStatus(step.status, now),
    ...columns,
  }
  yield* runLater([
    insert(kind.table, row as NewRow<typeof kind.table>),
    journal.insertion,
    ...dueStatements(step, due),
  ])
  yield* runActions(due, step, row)
  return { kind: kind.name, id, account_id, status: step.status, step }
}

/** What telling came to: the actor's new state, or why the event was not taken. */
export type Told = { readonly actor: ActorState } | { readonly refused: string }

/** What is told to whom. */
export interface Telling {
  readonly kind: AnyActorKind
  readonly id: string
  readonly event: AnyEventObject
  readonly now: number
  readonly lock: string
  readonly options: SendOptions
}

const writesOf = ({ writes = [] }: SendOptions, row: ActorRow): readonly Statement[] =>
  typeof writes === 'function' ? writes(contextOf(JSON.parse(row.snapshot) as PersistedSnapshot)) : writes

/** An outcome that is yet to come is that of a server by itself: there the lock holds, and the version is what was read. */
const requireWritten = (updated: Outcome | undefined, kind: AnyActorKind, id: string): void => {
  if (updated?.changed === 0) throw new LostRace(`${kind.name} ${id} was changed by another node`)
}

function* takeStep(telling: Telling, row: ActorRow, step: Step, spent: readonly Statement[]): Unit<Told> {
  const { kind, id, event, now, options } = telling
  const due = dueOf(kind, row, now)
  const journal = journalEntry(due, happenedNext(row, event, step.status))
  const [updated] = yield* runLater([
    updateActor(due, row, step, journal.hash),
    journal.insertion,
    ...spent,
    ...dueStatements(step, due),
    ...writesOf(options, row),
  ])
  requireWritten(updated, kind, id)
  yield* runActions(due, step, row)
  return { actor: { kind: kind.name, id, account_id: due.account_id, status: step.status, step } }
}

/** An event that is not taken writes nothing, but that a fenced one's spent row goes. */
export function* tellUnit(telling: Telling): Unit<Told> {
  const { kind, id, event, lock, options } = telling
  const { fence } = options
  const [actor, fenced] = yield* runAll([
    selectActor(kind, id, lock),
    ...(fence === undefined ? [] : [selectFence(fence, id, lock)]),
  ])
  if (actor?.rows[0] === undefined) throw new Refusal('not_found', `${kind.name}: not found`)
  const row = actorRow(kind, actor.rows[0])
  if (!holdsFence(fence, fenced)) return { refused: 'its result came too late' }
  const chart = chartOf(kind, row.chart_version)
  const step = nextStep(chart, JSON.parse(row.snapshot) as PersistedSnapshot, event)
  const spent = fence === undefined ? [] : [{ sql: 'DELETE FROM due WHERE id = ?', values: [fence.due_id] }]
  if (step !== null) return yield* takeStep(telling, row, step, spent)
  yield* runLater(spent)
  return { refused: `it is ${row.status}` }
}

/** Adds to an actor's journal what is no event of its chart. @throws {Refusal} `not_found` */
export function* noteUnit({ kind, id, event, now, lock }: Omit<Telling, 'options'>): Unit<void> {
  const { rows } = yield* run(selectActor(kind, id, lock))
  if (rows[0] === undefined) throw new Refusal('not_found', `${kind.name}: not found`)
  const row = actorRow(kind, rows[0])
  const due = dueOf(kind, row, now)
  const { insertion, hash } = journalEntry(due, happenedNext(row, event, row.status))
  const [updated] = yield* runLater([updateJournal(due, row, hash), insertion])
  requireWritten(updated, kind, id)
}
