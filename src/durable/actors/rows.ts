import { v7 as newId } from 'uuid'
import type { AnyEventObject } from 'xstate'
import { type Column, type Columns, listColumns, type RowOf, readRow } from '../store/columns.ts'
import { insertRow, type Row, type Statement, type StatementResult, type Value } from '../store/statement.ts'
import { actorColumns, durableTables } from '../store/tables.ts'
import { chainHash } from './chain.ts'
import type { ActorTime, AnyActorDefinition, Fence } from './definition.ts'
import type { Effect, Step } from './xstate.ts'

/** The queue of timers. A job's queue is the `src` of its invoke. */
export const timerQueue = 'timer'

/** Whose rows a commit writes, and when. */
export interface ActorWriteContext {
  readonly definition: AnyActorDefinition
  readonly actor_id: string
  readonly account_id: string
  readonly time: ActorTime
  readonly clock_offset_ms: number
  /** Where its jobs wait; empty for a definition without lanes. */
  readonly lane: string
}

const { created_at: _, ...stepColumns } = actorColumns

/** An actor's row as a step reads it, beside what its definition's actions read. */
export type ActorRow = RowOf<typeof stepColumns>

const knownColumns = new WeakMap<AnyActorDefinition, Columns>()

/** One object for each definition: every step reads its actor's row by it. */
const findReadColumns = (definition: AnyActorDefinition): Columns => {
  const known = knownColumns.get(definition)
  if (known !== undefined) return known
  const own = Object.entries<Column>(definition.table.columns).filter(([name]) => definition.reads.includes(name))
  const columns: Columns = { ...stepColumns, ...Object.fromEntries(own) }
  knownColumns.set(definition, columns)
  return columns
}

/** The lane of an actor's jobs, by its row as it was read or as it will be written. */
export const findLane = (definition: AnyActorDefinition, row: object): string =>
  definition.lane === undefined ? '' : String(Reflect.get(row, definition.lane) ?? '')

const scheduleJob = (
  context: ActorWriteContext,
  job: { readonly queue: string; readonly name: string; readonly payload: unknown; readonly delayMs: number },
): Statement =>
  insertRow('scheduled_jobs', {
    id: newId(),
    account_id: context.account_id,
    queue: job.queue,
    lane: job.queue === timerQueue ? '' : context.lane,
    actor_type: context.definition.name,
    actor_id: context.actor_id,
    name: job.name,
    payload: JSON.stringify(job.payload ?? null),
    ready_at: context.time.wall + job.delayMs,
    lease: null,
    claims: 0,
  })

/** Adds or removes the effect's row; null for an action. */
const toJobStatement = (effect: Effect, context: ActorWriteContext): Statement | null => {
  switch (effect.type) {
    case 'startTimer':
      return scheduleJob(context, {
        queue: timerQueue,
        name: effect.name,
        payload: effect.event,
        delayMs: effect.delayMs,
      })
    case 'startJob':
      return scheduleJob(context, { queue: effect.src, name: effect.name, payload: effect.input, delayMs: 0 })
    case 'cancel':
      return {
        sql: 'DELETE FROM scheduled_jobs WHERE actor_id = ? AND name = ?',
        values: [context.actor_id, effect.name],
      }
    case 'action':
      return null
  }
}

/** The step's changes of the actor's timers and jobs, in the chart's order. An actor that has ended keeps none. */
export const jobStatements = (step: Step, context: ActorWriteContext): Statement[] =>
  step.done
    ? [{ sql: 'DELETE FROM scheduled_jobs WHERE actor_id = ?', values: [context.actor_id] }]
    : step.effects.map(effect => toJobStatement(effect, context)).filter(statement => statement !== null)

/** `wall` is the machine's time. */
export const actorWriteContext = (definition: AnyActorDefinition, row: ActorRow, wall: number): ActorWriteContext => {
  const clock_offset_ms = row.clock_offset_ms ?? 0
  const time = { wall, actor: Math.max(wall + clock_offset_ms, row.journal_at) }
  return {
    definition,
    actor_id: row.id,
    account_id: row.account_id,
    time,
    clock_offset_ms,
    lane: findLane(definition, row),
  }
}

/** An event that an actor accepted, and what came before it in its journal. */
export interface JournalEvent {
  readonly sequence: number
  readonly event: AnyEventObject
  /** The status after it. */
  readonly status: string
  readonly chart_version: number
  /** The hash of the entry before; empty for the first. */
  readonly previousHash: string
}

/** The event as what follows the journal's last entry. */
export const nextJournalEvent = (row: ActorRow, event: AnyEventObject, status: string): JournalEvent => ({
  sequence: row.version + 1,
  event,
  status,
  chart_version: row.chart_version,
  previousHash: row.journal_hash,
})

/** The journal's next entry, and the hash that goes into the actor's row. */
export const journalEntry = (
  context: ActorWriteContext,
  { previousHash, event, ...happened }: JournalEvent,
): { readonly insertion: Statement; readonly hash: string } => {
  const entry = {
    actor_id: context.actor_id,
    actor_type: context.definition.name,
    event: JSON.stringify(event),
    occurred_at: context.time.actor,
    ...happened,
  }
  const hash = chainHash(previousHash, entry)
  return { insertion: insertRow('journal', { ...entry, account_id: context.account_id, hash }), hash }
}

/** Reads what a step needs to know of its actor. */
export const selectActor = (definition: AnyActorDefinition, id: string, lock: string): Statement => ({
  sql: `SELECT ${listColumns(findReadColumns(definition))} FROM ${definition.table.name} WHERE id = ?${lock}`,
  values: [id],
})

/** The row that `selectActor` found. */
export const readActorRow = (definition: AnyActorDefinition, row: Row): ActorRow =>
  readRow(findReadColumns(definition), row) as ActorRow

const { id, lease } = durableTables.scheduled_jobs.columns
const fenceColumns = { id, lease } as const

/** Reads the row that a result claims to come from. */
export const selectFence = (fence: Fence, actor_id: string, lock: string): Statement => ({
  sql: `SELECT ${listColumns(fenceColumns)} FROM scheduled_jobs WHERE id = ? AND actor_id = ?${lock}`,
  values: [fence.job_id, actor_id],
})

/** False for a late, duplicate or stale result: its row is gone, or another node holds the lease by now. */
export const holdsFence = (fence: Fence | undefined, outcome: StatementResult | undefined): boolean =>
  fence === undefined ||
  (outcome?.rows[0] !== undefined && readRow(fenceColumns, outcome.rows[0]).lease === fence.lease)

/** The row lock serialises one node's events; the version is the fence where locks are local to a node (Galera). */
const updateRow = (definition: AnyActorDefinition, row: ActorRow, changes: object): Statement => ({
  sql: `UPDATE ${definition.table.name} SET ${Object.keys(changes)
    .map(column => `${column} = ?`)
    .join(', ')} WHERE id = ? AND version = ?`,
  values: [...(Object.values(changes) as Value[]), row.id, row.version],
})

/** Only the journal grows. */
export const updateJournal = (
  { definition, time }: ActorWriteContext,
  row: ActorRow,
  journal_hash: string,
): Statement => updateRow(definition, row, { version: row.version + 1, journal_hash, journal_at: time.actor })

/** The snapshot, what follows from its status, and the journal's head. */
export const updateActor = (
  { definition, time }: ActorWriteContext,
  row: ActorRow,
  { snapshot, status }: Step,
  journal_hash: string,
): Statement =>
  updateRow(definition, row, {
    snapshot: JSON.stringify(snapshot),
    version: row.version + 1,
    status,
    journal_hash,
    journal_at: time.actor,
    ...(status === row.status ? {} : definition.onStatus(status, time.actor)),
  })
