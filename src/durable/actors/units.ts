import type { AnyEventObject, AnyStateMachine } from 'xstate'
import { ApiError, unavailable } from '../../base/api_error.ts'
import type { NewRow } from '../store/columns.ts'
import {
  ConflictError,
  insert,
  type Outcome,
  run,
  runAll,
  runLater,
  type Statement,
  type Unit,
} from '../store/statement.ts'
import type { Action, ActionContext, ActorState, AnyActorDefinition, NewActor, SendOptions } from './definition.ts'
import {
  type ActorRow,
  type ActorWriteContext,
  actorRow,
  actorWriteContext,
  holdsFence,
  jobStatements,
  journalEntry,
  laneOf,
  nextJournalEvent,
  selectActor,
  selectFence,
  updateActor,
  updateJournal,
} from './rows.ts'
import { contextOf, firstStep, nextStep, type PersistedSnapshot, type Step } from './xstate.ts'

/** The chart of that version. @throws {ApiError} `unavailable`: guessing with another chart could corrupt the actor. */
const chartOf = (kind: AnyActorDefinition, version: number): AnyStateMachine => {
  const chart = kind.charts[version]
  if (chart === undefined) throw unavailable(`this build does not know version ${version} of the ${kind.name} chart`)
  return chart
}

function* runActions(due: ActorWriteContext, step: Step, row: ActorRow): Unit<void> {
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
export function* createUnit(kind: AnyActorDefinition, actor: NewActor, real_now: number): Unit<ActorState> {
  const { id, account_id, named = {}, columns, clock_offset_ms = 0 } = actor
  const now = real_now + clock_offset_ms
  const step = firstStep(chartOf(kind, kind.current), actor.input)
  const due: ActorWriteContext = {
    kind,
    actor_id: id,
    account_id,
    now,
    at: now,
    clock_offset_ms,
    lane: laneOf(kind, columns),
  }
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
    ...jobStatements(step, due),
  ])
  yield* runActions(due, step, row)
  return { kind: kind.name, id, account_id, status: step.status, step }
}

/** What telling came to: the actor's new state, or why the event was not taken. */
export type SendOutcome = { readonly actor: ActorState } | { readonly refused: string }

/** What is told to whom. */
export interface SendRequest {
  readonly kind: AnyActorDefinition
  readonly id: string
  readonly event: AnyEventObject
  readonly now: number
  readonly lock: string
  readonly options: SendOptions
}

const writesOf = ({ writes = [] }: SendOptions, row: ActorRow): readonly Statement[] =>
  typeof writes === 'function' ? writes(contextOf(JSON.parse(row.snapshot) as PersistedSnapshot)) : writes

/** An outcome that is yet to come is that of a server by itself: there the lock holds, and the version is what was read. */
const requireWritten = (updated: Outcome | undefined, kind: AnyActorDefinition, id: string): void => {
  if (updated?.changed === 0) throw new ConflictError(`${kind.name} ${id} was changed by another node`)
}

function* takeStep(telling: SendRequest, row: ActorRow, step: Step, spent: readonly Statement[]): Unit<SendOutcome> {
  const { kind, id, event, now, options } = telling
  const due = actorWriteContext(kind, row, now)
  const journal = journalEntry(due, nextJournalEvent(row, event, step.status))
  const [updated] = yield* runLater([
    updateActor(due, row, step, journal.hash),
    journal.insertion,
    ...spent,
    ...jobStatements(step, due),
    ...writesOf(options, row),
  ])
  requireWritten(updated, kind, id)
  yield* runActions(due, step, row)
  return { actor: { kind: kind.name, id, account_id: due.account_id, status: step.status, step } }
}

/** An event that is not taken writes nothing, but that a fenced one's spent row goes. */
export function* sendUnit(telling: SendRequest): Unit<SendOutcome> {
  const { kind, id, event, lock, options } = telling
  const { fence } = options
  const [actor, fenced] = yield* runAll([
    selectActor(kind, id, lock),
    ...(fence === undefined ? [] : [selectFence(fence, id, lock)]),
  ])
  if (actor?.rows[0] === undefined) throw new ApiError('not_found', `${kind.name}: not found`)
  const row = actorRow(kind, actor.rows[0])
  if (!holdsFence(fence, fenced)) return { refused: 'its result came too late' }
  const chart = chartOf(kind, row.chart_version)
  const step = nextStep(chart, JSON.parse(row.snapshot) as PersistedSnapshot, event)
  const spent = fence === undefined ? [] : [{ sql: 'DELETE FROM scheduled_jobs WHERE id = ?', values: [fence.due_id] }]
  if (step !== null) return yield* takeStep(telling, row, step, spent)
  yield* runLater(spent)
  return { refused: `it is ${row.status}` }
}

/** Adds to an actor's journal what is no event of its chart. @throws {ApiError} `not_found` */
export function* appendToJournalUnit({ kind, id, event, now, lock }: Omit<SendRequest, 'options'>): Unit<void> {
  const { rows } = yield* run(selectActor(kind, id, lock))
  if (rows[0] === undefined) throw new ApiError('not_found', `${kind.name}: not found`)
  const row = actorRow(kind, rows[0])
  const due = actorWriteContext(kind, row, now)
  const { insertion, hash } = journalEntry(due, nextJournalEvent(row, event, row.status))
  const [updated] = yield* runLater([updateJournal(due, row, hash), insertion])
  requireWritten(updated, kind, id)
}
