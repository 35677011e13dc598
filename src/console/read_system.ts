import { readAll, readFirst, type Store } from 'durable-xstate-sql'
import { readQueueDepths } from 'durable-xstate-sql/sql'
import { isoTimestamp, toTimestamp } from '../base/clock.ts'
import { version } from '../base/version.ts'
import { columnsOf } from '../database/schema.ts'

const queues = ['admission', 'analysis', 'attempt', 'timer'] as const

/** A node that has missed this many heartbeats is lost. */
const missedToBeLost = 4

/** A node's report about itself. */
export interface NodeState {
  readonly state: 'ready' | 'not_ready'
  readonly reasons: readonly string[]
  /** The interval of its heartbeats. */
  readonly every_ms: number
  /** Analyses that it could run now; null without the role `worker`. */
  readonly analysis_capacity: number | null
  readonly processes: readonly { readonly work: string; readonly ready: number; readonly restarts: number }[]
}

const nodeColumns = columnsOf('nodes', 'id', 'url', 'version', 'roles', 'started_at', 'seen_at', 'state')

async function readNodes(store: Store, now: number) {
  const sql = 'SELECT id, url, version, roles, started_at, seen_at, state FROM nodes ORDER BY id'
  return (await readAll(store, { sql, values: [], columns: nodeColumns })).map(row => {
    const { every_ms, ...reported } = JSON.parse(row.state) as NodeState
    const state: NodeState['state'] | 'lost' = now - row.seen_at > missedToBeLost * every_ms ? 'lost' : reported.state
    return {
      node_id: row.id,
      url: row.url,
      version: row.version,
      roles: row.roles.split(','),
      started_at: isoTimestamp(row.started_at),
      last_seen_at: isoTimestamp(row.seen_at),
      ...reported,
      state,
    }
  })
}

const reviewColumns = { waiting: 'count', oldest_at: 'instant?' } as const

/** Queues, reviews and nodes of the whole service. */
export async function readSystem(store: Store, now: number) {
  const depths = await readQueueDepths(store, queues, now)
  const sql = `SELECT COUNT(*) AS waiting, MIN(awaiting_review_since) AS oldest_at FROM transactions
    WHERE awaiting_review_since > 0`
  const reviews = await readFirst(store, { sql, values: [], columns: reviewColumns })
  return {
    now: isoTimestamp(now),
    version,
    queues: queues.map(queue => {
      const depth = depths.get(queue)
      return { queue, waiting: depth?.waiting ?? 0, oldest_at: toTimestamp(depth?.oldest_at) }
    }),
    reviews: { waiting: reviews?.waiting ?? 0, oldest_at: toTimestamp(reviews?.oldest_at) },
    nodes: await readNodes(store, now),
  }
}
