import { newId } from '../random.ts'
import { runAll } from './statement.ts'
import type { Store } from './store.ts'
import { insertJob } from './tables.ts'

/** About as much as a commit writes that stores no image. */
const probeLength = 64 * 1024

/**
 * Inserts a row and deletes it in one commit, so that nobody ever sees it: a database that can be read may still have a
 * full disk, or be read-only. @throws {DurableError} `unavailable`
 */
export async function requireWritable(store: Store): Promise<void> {
  const id = newId()
  const names = { account_id: id, actor_id: id, actor_type: 'probe', queue: 'probe', name: 'probe' }
  const row = { id, ...names, lane: '', payload: ' '.repeat(probeLength), ready_at: 0, lease: null, claims: 0 }
  const remove = { sql: 'DELETE FROM scheduled_jobs WHERE id = ?', values: [id] }
  await store.commit(() => runAll([insertJob(row), remove]), { isDurable: false })
}
