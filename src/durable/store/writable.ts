import { newId } from '../../base/ids.ts'
import { insert, runAll } from './statement.ts'
import type { Store } from './store.ts'

/** As much as a commit of the service writes that holds no image. */
const probe_length = 64 * 1024

/**
 * Writes a row and takes it away again in one commit, which leaves nothing behind: a database that can be read may still
 * have a full disk, or have become read-only. @throws {ApiError} `unavailable`
 */
export const requireWritable = async (store: Store): Promise<void> => {
  const name = `write_probe/${newId()}`
  const remove = { sql: 'DELETE FROM facts WHERE name = ?', values: [name] }
  const unit = () => runAll([insert('facts', { name, value: ' '.repeat(probe_length) }), remove])
  await store.commit(unit, { is_lasting: false })
}
