import type { AnyEventObject } from 'xstate'
import { newId } from '../../base/ids.ts'
import { actor_columns, type Column, type Columns, tables } from '../../database/tables.ts'
import { columnsOf, listOf, type RowOf, readRow } from '../store/columns.ts'
import { insert, type Outcome, type Row, type Statement, type Value } from '../store/statement.ts'
import { chainHash } from './chain.ts'
import type { AnyActorDefinition, Fence } from './definition.ts'
import type { Effect, Step } from './xstate.ts'

/** The queue that timers wait in; a job's queue is the `src` of its invoke. */
export const timerQueue = 'timer'

/** Whose rows a commit writes, and when. */
export interface ActorWriteContext {
  readonly kind: AnyActorDefinition
  readonly actor_id: string
  readonly account_id: string
  /** The hour of the actor's own clock. */
  readonly now: number
  /** `now`, but never before the journal's last entry, whose node's clock may have been ahead: the journal's timestamp. */
  readonly at: number
  /** How far that is ahead of the clock by which rows fall due, in milliseconds. */
  readonly clock_offset_ms: number
  /** Where its jobs wait; empty for a kind without lanes. */
  readonly lane: string
}

/** What a step needs to know of every actor. */
const { created_at: _, ...stepped_columns } = actor_columns

/** An actor's row as a step reads it, beside what its kind's actions read. */
export type ActorRow = RowOf<typeof stepped_columns>

const columns_read = new WeakMap<AnyActorDefinition, Columns>()

/** Made once for a kind, as every step reads its actor's row by them. */
const columnsRead = (kind: AnyActorDefinition): Columns => {
  const known = columns_read.get(kind)
  if (known !== undefined) return known
  const own = Object.entries<Column>(tables[kind.table].columns).filter(([name]) => kind.reads.includes(name))
  const made: Columns = { ...stepped_columns, ...Object.fromEntries(own) }
  columns_read.set(kind, made)
  return made
}

/** The lane of a kind's jobs, from an actor's row as it was read or as it will be written. */
export const laneOf = (kind: AnyActorDefinition, row: object): string =>
  kind.lane === undefined ? '' : String(Reflect.get(row, kind.lane) ?? '')

/** The due row that an effect adds or takes away; null for an action. */
const dueStatement = (effect: Effect, due: ActorWriteContext): Statement | null => {
  const added = (queue: string, name: string, payload: unknown, ready_at: number): Statement =>
    insert('scheduled_jobs', {
      id: newId(),
      account_id: due.account_id,
      queue,
      lane: queue === timerQueue ? '' : due.lane,
      actor_type: due.kind.name,
      actor_id: due.actor_id,
      name,
      payload: JSON.stringify(payload ?? null),
      ready_at,
      lease: null,
      claims: 0,
    })
  switch (effect.type) {
    case 'timer':
      return added(timerQueue, effect.name, effect.event, due.now - due.clock_offset_ms + effect.delay_ms)
    case 'job':
      return added(effect.src, effect.name, effect.input, due.now - due.clock_offset_ms)
    case 'timer_off':
    case 'job_off':
      return { sql: 'DELETE FROM scheduled_jobs WHERE actor_id = ? AND name = ?', values: [due.actor_id, effect.name] }
    case 'action':
      return null
  }
}

/** Rows that the step wants gone before the same name is added again, in the chart's order. */
export const jobStatements = (step: Step, due: ActorWriteContext): Statement[] =>
  step.done
    ? [{ sql: 'DELETE FROM scheduled_jobs WHERE actor_id = ?', values: [due.actor_id] }]
    : step.effects.map(effect => dueStatement(effect, due)).filter(statement => statement !== null)

/** Whose rows the actor's row is, and what its own clock shows: a test account's may be turned. */
export const actorWriteContext = (kind: AnyActorDefinition, row: ActorRow, real_now: number): ActorWriteContext => {
  const clock_offset_ms = row.clock_offset_ms ?? 0
  const [actor_id, account_id] = [row.id, row.account_id]
  const now = real_now + clock_offset_ms
  const at = Math.max(now, row.journal_at)
  return { kind, actor_id, account_id, now, at, clock_offset_ms, lane: laneOf(kind, row) }
}

/** What happened to an actor, and what came before it in its journal. */
export interface JournalEvent {
  readonly sequence: number
  readonly event: AnyEventObject
  /** The status after it. */
  readonly status: string
  readonly chart_version: number
  /** The hash of the entry before; empty for the first. */
  readonly before: string
}

/** What the actor's row says of its journal, and the event that comes now. */
export const nextJournalEvent = (row: ActorRow, event: AnyEventObject, status: string): JournalEvent => ({
  sequence: row.version + 1,
  event,
  status,
  chart_version: row.chart_version,
  before: row.journal_hash,
})

/** The journal's next entry, for the timeline and the audit trail, and the hash that goes into the actor's row. */
export const journalEntry = (
  due: ActorWriteContext,
  { before, event, ...happened }: JournalEvent,
): { readonly insertion: Statement; readonly hash: string } => {
  const entry = {
    actor_id: due.actor_id,
    actor_type: due.kind.name,
    event: JSON.stringify(event),
    occurred_at: due.at,
    ...happened,
  }
  const hash = chainHash(before, entry)
  return { insertion: insert('journal', { ...entry, account_id: due.account_id, hash }), hash }
}

/** `SELECT` of what a step needs to know, with the fence's row beside it so that both cost one round trip. */
export const selectActor = (kind: AnyActorDefinition, id: string, lock: string): Statement => ({
  sql: `SELECT ${listOf(columnsRead(kind))} FROM ${kind.table} WHERE id = ?${lock}`,
  values: [id],
})

/** The row that `selectActor` found. */
export const actorRow = (kind: AnyActorDefinition, row: Row): ActorRow => readRow(columnsRead(kind), row) as ActorRow

const fence_columns = columnsOf('scheduled_jobs', 'id', 'lease')

/** The due row that a result claims to come from. */
export const selectFence = (fence: Fence, actor_id: string, lock: string): Statement => ({
  sql: `SELECT ${listOf(fence_columns)} FROM scheduled_jobs WHERE id = ? AND actor_id = ?${lock}`,
  values: [fence.due_id, actor_id],
})

/** A late, duplicate or stale result: its row is gone, or another holds the lease by now. */
export const holdsFence = (fence: Fence | undefined, outcome: Outcome | undefined): boolean =>
  fence === undefined ||
  (outcome?.rows[0] !== undefined && readRow(fence_columns, outcome.rows[0]).lease === fence.lease)

const update = (kind: AnyActorDefinition, row: ActorRow, changes: object): Statement => ({
  sql: `UPDATE ${kind.table} SET ${Object.keys(changes)
    .map(column => `${column} = ?`)
    .join(', ')} WHERE id = ? AND version = ?`,
  values: [...(Object.values(changes) as Value[]), row.id, row.version],
})

/** The journal alone goes on. */
export const updateJournal = ({ kind, at }: ActorWriteContext, row: ActorRow, journal_hash: string): Statement =>
  update(kind, row, { version: row.version + 1, journal_hash, journal_at: at })

/** The row lock serialises one node's events; the version is the fence where locks are local to a node (Galera). */
export const updateActor = (
  { kind, at }: ActorWriteContext,
  row: ActorRow,
  { snapshot, status }: Step,
  journal_hash: string,
): Statement =>
  update(kind, row, {
    snapshot: JSON.stringify(snapshot),
    version: row.version + 1,
    status,
    journal_hash,
    journal_at: at,
    ...(status === row.status ? {} : kind.onStatus(status, at)),
  })
