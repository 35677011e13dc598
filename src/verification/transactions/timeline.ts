import { readAll } from 'durable-xstate-sql'
import { listColumns, type RowOf, rowExists } from 'durable-xstate-sql/sql'
import { ApiError } from '../../base/api_error.ts'
import { isoTimestamp } from '../../base/clock.ts'
import { columnsOf } from '../../database/schema.ts'
import type { TransactionDeps } from './deps.ts'

export type EventSource = 'device' | 'integrator' | 'operator' | 'timer' | 'job' | 'erasure'

interface JournalEvent {
  readonly type: string
  readonly by?: EventSource
}

function toUpperSnake(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')
}

/**
 * Such as `START`, `TTL_ELAPSED`, `ANALYSIS_DONE`, `ANALYSIS_FAILED`. Hides XState's own names, which depend on the chart's
 * inner structure. `event` is as it is stored.
 */
export function nameEvent(event: string): { readonly event: string; readonly sent_by: EventSource } {
  const { type, by = 'device' } = JSON.parse(event) as JournalEvent
  const [, kind, second = '', third = ''] = type.split('.')
  if (type.startsWith('xstate.after.')) return { event: `${toUpperSnake(second)}_ELAPSED`, sent_by: 'timer' }
  if (type.startsWith('xstate.done.actor.')) return { event: `${toUpperSnake(third)}_DONE`, sent_by: 'job' }
  if (type.startsWith('xstate.error.actor.')) return { event: `${toUpperSnake(third)}_FAILED`, sent_by: 'job' }
  if (kind !== undefined) throw new TypeError(`the timeline knows no event ${type}`)
  return { event: type, sent_by: type === 'CREATE' ? 'integrator' : by }
}

const columns = columnsOf('journal', 'sequence', 'event', 'status', 'occurred_at')

/** Nothing in an entry is personal. `status` is the one after the event. */
export function toTimelineEvent(row: RowOf<typeof columns>) {
  return {
    sequence: row.sequence,
    occurred_at: isoTimestamp(row.occurred_at),
    ...nameEvent(row.event),
    status: row.status,
  }
}

export type TimelineEvent = ReturnType<typeof toTimelineEvent>

/** A page of a transaction's timeline, oldest first, after the entry `after`. It outlives an erasure. @throws {ApiError} `not_found` */
export async function readTimeline(
  deps: TransactionDeps,
  account_id: string,
  id: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<{ readonly data: readonly TimelineEvent[]; readonly next: number | null }> {
  const known = { sql: 'SELECT id FROM transactions WHERE id = ? AND account_id = ?', values: [id, account_id] }
  if (!(await rowExists(deps.store, known))) throw new ApiError('not_found', 'transaction_id: not found')
  const sql = `SELECT ${listColumns(columns)} FROM journal WHERE actor_id = ? AND sequence > ?
    ORDER BY sequence LIMIT ${limit + 1}`
  const rows = await readAll(deps.store, { sql, values: [id, after], columns })
  const data = rows.slice(0, limit).map(toTimelineEvent)
  return { data, next: rows.length > limit ? (data.at(-1)?.sequence ?? null) : null }
}
