import type { AnyEventObject } from 'xstate'
import { newId } from '../random.ts'
import { type RowOf, readRow } from '../store/columns.ts'
import type { ScheduledJob } from '../store/scheduled_jobs.ts'
import type { Row, Statement, Value } from '../store/statement.ts'
import { insertEntry, type journalColumns } from '../store/tables.ts'
import { type ActorRow, findActorSql, findUpdateText } from './actor_sql.ts'
import { chainHash } from './chain.ts'
import type { AnyActorDefinition, Fence } from './definition.ts'
import { insertNewJob, isJobInsertion, writeActor } from './new_jobs.ts'
import type { StoredStep } from './stored_step.ts'
import type { ActorWriteContext } from './write_context.ts'
import type { Effect, Step } from './xstate.ts'

/** The queue of timers. A job's queue is the `src` of its invoke. */
export const timerQueue = 'timer'

function scheduleJob(
  context: ActorWriteContext,
  job: { readonly queue: string; readonly name: string; readonly payload: unknown; readonly delayMs: number },
): Statement {
  return insertNewJob({
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
    traceparent: context.traceparent,
  })
}

/** Adds or removes the effect's row; null for an action. */
function toJobStatement(effect: Effect, context: ActorWriteContext): Statement | null {
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

/**
 * Writes the step's changes of timers and jobs, in the chart's order. An actor that has ended keeps none. When the step
 * accepts the result of the job `spent`, leaving the state also cancels that job; its row is already removed.
 */
export function jobStatements(step: Step, context: ActorWriteContext, spent: string | null): Statement[] {
  if (step.done) return [{ sql: 'DELETE FROM scheduled_jobs WHERE actor_id = ?', values: [context.actor_id] }]
  const ofSpent = step.effects.findIndex(effect => effect.type !== 'action' && effect.name === spent)
  const changes = step.effects
    .filter(({ type }, index) => type !== 'cancel' || index !== ofSpent)
    .map(effect => toJobStatement(effect, context))
  return changes.filter(statement => statement !== null)
}

/** An event that an actor accepted, and the head of its journal before it. */
export interface JournalEvent {
  readonly sequence: number
  readonly event: AnyEventObject
  /** The status after it. */
  readonly status: string
  readonly chart_version: number
  /** The hash of the entry before; empty for the first. */
  readonly previousHash: string
}

/** The event as the entry after the journal's last. */
export function nextJournalEvent(row: ActorRow, event: AnyEventObject, status: string): JournalEvent {
  return {
    sequence: row.version + 1,
    event,
    status,
    chart_version: row.chart_version,
    previousHash: row.journal_hash ?? '',
  }
}

/** The journal's next entry, and the columns of the actor's row that follow from it. */
export interface JournalWrites {
  readonly insertion: readonly Statement[]
  readonly columns: Partial<RowOf<typeof journalColumns>>
}

/** Nothing for an actor without a journal. */
export function journalWrites(
  context: ActorWriteContext,
  { previousHash, event, ...happened }: JournalEvent,
): JournalWrites {
  if (!findActorSql(context.definition).hasJournal) return { insertion: [], columns: {} }
  const entry = {
    actor_id: context.actor_id,
    actor_type: context.definition.name,
    event: JSON.stringify(event),
    occurred_at: context.time.actor,
    ...happened,
  }
  const hash = chainHash(previousHash, entry)
  const columns = { journal_hash: hash, journal_at: context.time.actor }
  return { insertion: [insertEntry({ ...entry, account_id: context.account_id, hash })], columns }
}

/** Reads the columns of an actor that a step needs. */
export function selectActor(definition: AnyActorDefinition, id: string, lock: string): Statement {
  return {
    sql: findActorSql(definition).select + lock,
    values: [id],
  }
}

/** The row that `selectActor` found. */
export function readActorRow(definition: AnyActorDefinition, row: Row): ActorRow {
  return readRow(findActorSql(definition).columns, row) as ActorRow
}

/**
 * Removes the row that a result claims to come from: none for a late, duplicate or stale result, as the row is gone or
 * another node now holds the lease.
 */
export function removeSpentJob({ job_id, lease }: Fence, actor_id: string): Statement {
  const held = lease === null ? 'lease IS NULL' : 'lease = ?'
  return {
    sql: `DELETE FROM scheduled_jobs WHERE id = ? AND actor_id = ? AND ${held}`,
    values: [job_id, actor_id, ...(lease === null ? [] : [lease])],
  }
}

function updateRow(definition: AnyActorDefinition, row: ActorRow, changes: object): Statement {
  return {
    sql: findUpdateText(definition, Object.keys(changes)),
    values: [...(Object.values(changes) as Value[]), row.id, row.version],
  }
}

/** Whether the job that the row holds ends with this step. */
function endsHeldJob({ held_job }: ActorRow, { done, effects }: Step): boolean {
  if (held_job === null) return false
  const { name } = JSON.parse(held_job) as ScheduledJob
  return done || effects.some(effect => effect.type === 'cancel' && effect.name === name)
}

/** The job that the actor's row may hold: the first one of `jobs`. */
function findStartedJob(jobs: readonly Statement[]) {
  return jobs.filter(isJobInsertion).find(({ job }) => job.queue !== timerQueue)?.job
}

export function insertActor(definition: AnyActorDefinition, row: object, jobs: readonly Statement[]): Statement {
  const { insert } = findActorSql(definition)
  return writeActor(definition.table.name, row, findStartedJob(jobs), held => insert({ ...row, ...held }))
}

/** Adds to the journal only. */
export function updateJournal({ definition }: ActorWriteContext, row: ActorRow, journal: JournalWrites): Statement {
  return updateRow(definition, row, { version: row.version + 1, ...journal.columns })
}

/** The writes of a step beside its snapshot. */
interface WithStep {
  /** The journal's head, and a caller's further columns. */
  readonly columns: object
  readonly jobs: readonly Statement[]
  /** The `held_job` that the event is the result of: the row must still have it. */
  readonly spent: string | null
}

/** Updates the snapshot, the columns that follow from its status, and a caller's further columns. */
export function updateActor(
  { definition, time }: ActorWriteContext,
  row: ActorRow,
  step: StoredStep,
  { columns, jobs, spent }: WithStep,
): Statement {
  const { stored, status } = step
  const isEnded = endsHeldJob(row, step)
  const changes = {
    snapshot: stored,
    version: row.version + 1,
    ...columns,
    // SQLite writes the indexes of every column that is set, also where its value stays.
    ...(status === row.status ? {} : { status, ...definition.onStatus(status, time.actor) }),
    ...(isEnded ? { held_job: null, held_until: null } : {}),
  }
  const started = row.held_job === null || isEnded ? findStartedJob(jobs) : undefined
  return writeActor(definition.table.name, { ...row, ...changes }, started, held => {
    const { sql, values } = updateRow(definition, row, { ...changes, ...held })
    if (spent === null) return { sql, values }
    // A lease and the actor's clock can change without a new version.
    const fenced = `${sql} AND held_job = ? AND COALESCE(clock_offset_ms, 0) = ?`
    return { sql: fenced, values: [...values, spent, row.clock_offset_ms ?? 0] }
  })
}
