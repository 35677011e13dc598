import { newId } from '../random.ts'
import type { Asking } from './mysql_server.ts'
import { createInsert, run, type Statement, selectFirst, type Unit } from './statement.ts'
import { durableTables } from './tables.ts'

/**
 * A row that a unit changes in its own commit. When a connection is lost during a COMMIT, the node looks whether the row
 * has the unit's token, and changes it if not: then the lost COMMIT can't succeed any more, because its row is another.
 */
export interface CommitFence {
  readonly id: string
  readonly token: string
}

/** No unit takes this long; a row that is gone is created again. */
const keptMs = 7 * 24 * 3_600_000

const columns = { token: durableTables.commit_fences.columns.token } as const

const insertFence = createInsert('commit_fences', durableTables.commit_fences.columns)

/** The statement that a unit carries; it must change one row. */
export function raiseFence({ id, token }: CommitFence): Statement {
  return {
    sql: 'UPDATE commit_fences SET token = ? WHERE id = ?',
    values: [token, id],
  }
}

/** The outcome of the unit whose COMMIT had no response; `unknown` if the row is gone. */
export function* settleFence({ id, token }: CommitFence): Unit<'committed' | 'fenced' | 'unknown'> {
  const sql = 'SELECT token FROM commit_fences WHERE id = ? FOR UPDATE'
  const row = yield* selectFirst({ sql, values: [id], columns })
  if (row === null) return 'unknown'
  if (row.token === token) return 'committed'
  yield* run(raiseFence({ id, token: newId() }))
  return 'fenced'
}

/** The fences of one store: as many as its units ever ran at once. */
export interface CommitFences {
  /** Takes a row that no other unit of this store is using. */
  take(asking: Asking, now: number): Promise<CommitFence>
  /** Releases it. A fence whose outcome is unknown, or whose row is gone, is not released. */
  give(fence: CommitFence): void
}

export function createCommitFences(): CommitFences {
  const free: string[] = []
  return {
    async take({ ask }, now) {
      const id = free.pop()
      const token = newId()
      if (id !== undefined) return { id, token }
      const fence = { id: newId(), token }
      await ask([insertFence({ ...fence, token: newId(), made_at: now })])
      await ask([{ sql: 'DELETE FROM commit_fences WHERE made_at < ?', values: [now - keptMs] }])
      return fence
    },
    give: ({ id }) => void free.push(id),
  }
}
