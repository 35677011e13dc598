import type { AnyEventObject } from 'xstate'
import { newId } from '../base/ids.ts'
import {
  insert,
  number,
  type Outcome,
  optional,
  type Row,
  type Statement,
  text,
  type Value,
} from '../store/statement.ts'
import { chainHash } from './chain.ts'
import type { ActorKind, Fence } from './kind.ts'
import type { Effect, Step } from './xstate.ts'

/** The queue that timers wait in; a job's queue is the `src` of its invoke. */
export const timerQueue = 'timer'

/** Whose rows a commit writes, and when. */
export interface Due {
  readonly kind: ActorKind
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

/** The lane of a kind's jobs, from an actor's row as it was read or as it will be written. */
export const laneOf = (kind: ActorKind, row: Row): string =>
  kind.lane === undefined ? '' : (optional(row, kind.lane, text) ?? '')

/** The due row that an effect adds or takes away; null for an action. */
const dueStatement = (effect: Effect, due: Due): Statement | null => {
  const added = (queue: string, name: string, payload: unknown, ready_at: number): Statement =>
    insert('due', {
      id: newId(),
      account_id: due.account_id,
      queue,
      lane: queue === timerQueue ? '' : due.lane,
      kind: due.kind.name,
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
      return { sql: 'DELETE FROM due WHERE actor_id = ? AND name = ?', values: [due.actor_id, effect.name] }
    case 'action':
      return null
  }
}

/** Rows that the step wants gone before the same name is added again, in the chart's order. */
export const dueStatements = (step: Step, due: Due): Statement[] =>
  step.done
    ? [{ sql: 'DELETE FROM due WHERE actor_id = ?', values: [due.actor_id] }]
    : step.effects.map(effect => dueStatement(effect, due)).filter(statement => statement !== null)

/** Whose rows the actor's row is, and what its own clock shows: a test account's may be turned. */
export const dueOf = (kind: ActorKind, row: Row, real_now: number): Due => {
  const clock_offset_ms = optional(row, 'clock_offset_ms', number) ?? 0
  const [actor_id, account_id] = [text(row, 'id'), text(row, 'account_id')]
  const now = real_now + clock_offset_ms
  const at = Math.max(now, optional(row, 'journal_at', number) ?? now)
  return { kind, actor_id, account_id, now, at, clock_offset_ms, lane: laneOf(kind, row) }
}

/** What happened to an actor, and what came before it in its journal. */
export interface Happened {
  readonly sequence: number
  readonly event: AnyEventObject
  /** The status after it. */
  readonly status: string
  readonly chart_version: number
  /** The hash of the entry before; empty for the first. */
  readonly before: string
}

/** What the actor's row says of its journal, and the event that comes now. */
export const happenedNext = (row: Row, event: AnyEventObject, status: string): Happened => ({
  sequence: number(row, 'version') + 1,
  event,
  status,
  chart_version: number(row, 'chart_version'),
  before: optional(row, 'journal_hash', text) ?? '',
})

/** The journal's next entry, for the timeline and the audit trail, and the hash that goes into the actor's row. */
export const journalEntry = (
  due: Due,
  { before, event, ...happened }: Happened,
): { readonly insertion: Statement; readonly hash: string } => {
  const entry = {
    actor_id: due.actor_id,
    kind: due.kind.name,
    event: JSON.stringify(event),
    occurred_at: due.at,
    ...happened,
  }
  const hash = chainHash(before, entry)
  return { insertion: insert('journal', { ...entry, account_id: due.account_id, hash }), hash }
}

const actor_columns = [
  'id',
  'account_id',
  'clock_offset_ms',
  'snapshot',
  'version',
  'chart_version',
  'status',
  'journal_hash',
  'journal_at',
]

/** `SELECT` of what a step needs to know, with the fence's row beside it so that both cost one round trip. */
export const selectActor = (kind: ActorKind, id: string, lock: string): Statement => ({
  sql: `SELECT ${[...actor_columns, ...kind.reads].join(', ')} FROM ${kind.table} WHERE id = ?${lock}`,
  values: [id],
})

/** The due row that a result claims to come from. */
export const selectFence = (fence: Fence, actor_id: string, lock: string): Statement => ({
  sql: `SELECT id, lease FROM due WHERE id = ? AND actor_id = ?${lock}`,
  values: [fence.due_id, actor_id],
})

/** A late, duplicate or stale result: its row is gone, or another holds the lease by now. */
export const holdsFence = (fence: Fence | undefined, outcome: Outcome | undefined): boolean =>
  fence === undefined || (outcome?.rows[0] !== undefined && outcome.rows[0].lease === fence.lease)

const update = (kind: ActorKind, row: Row, changes: Readonly<Record<string, Value>>): Statement => ({
  sql: `UPDATE ${kind.table} SET ${Object.keys(changes)
    .map(column => `${column} = ?`)
    .join(', ')} WHERE id = ? AND version = ?`,
  values: [...Object.values(changes), text(row, 'id'), number(row, 'version')],
})

/** The journal alone goes on. */
export const updateJournal = ({ kind, at }: Due, row: Row, journal_hash: string): Statement =>
  update(kind, row, { version: number(row, 'version') + 1, journal_hash, journal_at: at })

/** The row lock serialises one node's events; the version is the fence where locks are local to a node (Galera). */
export const updateActor = ({ kind, at }: Due, row: Row, { snapshot, status }: Step, journal_hash: string): Statement =>
  update(kind, row, {
    snapshot: JSON.stringify(snapshot),
    version: number(row, 'version') + 1,
    status,
    journal_hash,
    journal_at: at,
    ...(status === text(row, 'status') ? {} : kind.onStatus(status, at)),
  })
