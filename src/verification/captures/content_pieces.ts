import { readAll, readFirst, run, runAll, type Statement, type Unit } from 'durable-xstate-sql'
import { toPlaceholders } from 'durable-xstate-sql/sql'
import { nextTurn } from '../../base/bytes.ts'
import { encryptionOverhead } from '../../base/encryption.ts'
import { columnsOf, insert } from '../../database/schema.ts'
import type { ContentOwner, ContentRow, StoredContent } from './contents.ts'
import { deleteRemovals, planRemoval, type RemovalDeps } from './removals.ts'

/** Contents in pieces, each of which is a row: SQLite holds the event loop while it writes or deletes one. */
export interface ContentPieces {
  /** Stores the pieces before the commit of the row that has the content's head. */
  put(owner: ContentOwner, pieces: readonly Buffer[]): Promise<Pick<StoredContent, 'writes' | 'usableUntil'>>
  /** The content of a row that is in the database, whole; null where pieces are missing. */
  read(row: ContentRow & { readonly content: Uint8Array }): Promise<Uint8Array | null>
  /** Deletes the pieces of a content, and its row of `object_removals` with the last of them. */
  remove(id: string): Promise<void>
}

export const hasPieces = ' AND EXISTS (SELECT 1 FROM content_pieces p WHERE p.capture_id = object_removals.capture_id)'

function deletePieces(id: string, positions: readonly number[]): Statement {
  return {
    sql: `DELETE FROM content_pieces WHERE capture_id = ? AND position IN (${toPlaceholders(positions)})`,
    values: [id, ...positions],
  }
}

export function createContentPieces(deps: RemovalDeps): ContentPieces {
  const { store } = deps
  let last: Promise<unknown> = Promise.resolve()
  /** One piece at a time: SQLite would write those of several uploads in one group. Not durable before a later commit is. */
  const commit = (work: () => Unit<unknown>): Promise<unknown> => {
    const write = () => store.commit(work, { isDurable: false })
    last = last.then(write, write)
    return last
  }
  return {
    async put(owner, pieces) {
      const { plan, ...named } = planRemoval(deps, owner)
      for (const [position, piece] of pieces.entries()) {
        const insertion = insert('content_pieces', { capture_id: owner.id, position, piece })
        await commit(function* () {
          if (position === 0) yield* plan()
          yield* run(insertion)
        })
      }
      return named
    },
    async read({ id, byte_count, content }) {
      const size = byte_count + encryptionOverhead
      if (content.length === size) return content
      const whole = Buffer.allocUnsafeSlow(size)
      whole.set(content)
      const columns = columnsOf('content_pieces', 'piece')
      const sql = 'SELECT piece FROM content_pieces WHERE capture_id = ? AND position = ?'
      for (let at = content.length, position = 0; at < size; position++) {
        if (position > 0) await nextTurn()
        const row = await readFirst(store, { sql, values: [id, position], columns })
        if (row === null || at + row.piece.length > size) return null
        whole.set(row.piece, at)
        at += row.piece.length
      }
      return whole
    },
    async remove(id) {
      const sql = 'SELECT position FROM content_pieces WHERE capture_id = ? ORDER BY position'
      const rows = await readAll(store, { sql, values: [id], columns: columnsOf('content_pieces', 'position') })
      const [first, ...more] = rows.map(({ position }) => position)
      for (const position of more) await commit(() => run(deletePieces(id, [position])))
      const rest = first === undefined ? [] : [deletePieces(id, [first])]
      await store.commit(() => runAll([...rest, deleteRemovals([id])]))
    },
  }
}
