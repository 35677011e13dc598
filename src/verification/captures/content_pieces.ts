import { readAll, readFirst, run, type Statement } from 'durable-xstate-sql'
import { nextTurn } from '../../base/bytes.ts'
import { encryptionOverhead } from '../../base/encryption.ts'
import { columnsOf, insert } from '../../database/schema.ts'
import type { ContentOwner, ContentRow, StoredContent } from './contents.ts'
import { deleteRemovals, planRemoval, type RemovalDeps } from './removals.ts'

/** Contents in pieces, each of which is a row: SQLite takes some milliseconds to write or to delete one. */
export interface ContentPieces {
  /** Stores the pieces before the commit of the row that has the content's head. */
  put(owner: ContentOwner, pieces: readonly Buffer[]): Promise<Pick<StoredContent, 'writes' | 'usableUntil'>>
  /** The content of a row that is in the database, whole; null where pieces are missing. */
  read(row: ContentRow & { readonly content: Uint8Array }): Promise<Uint8Array | null>
  /** Deletes the pieces of a content, and then its row of `object_removals`. */
  remove(id: string): Promise<void>
}

export const hasPieces = ' AND EXISTS (SELECT 1 FROM content_pieces p WHERE p.capture_id = object_removals.capture_id)'

function deletePiece(id: string, position: number): Statement {
  return { sql: 'DELETE FROM content_pieces WHERE capture_id = ? AND position = ?', values: [id, position] }
}

export function createContentPieces(deps: RemovalDeps): ContentPieces {
  const { store } = deps
  let last: Promise<unknown> = Promise.resolve()
  /** One piece at a time, whatever the number of uploads: others wait for one of them at most. */
  const write = (statement: Statement): Promise<unknown> => {
    const next = () => store.writeBeside([statement])
    last = last.then(next, next)
    return last
  }
  return {
    async put(owner, pieces) {
      const { plan, ...named } = planRemoval(deps, owner)
      await store.commit(plan, { isDurable: false })
      for (const [position, piece] of pieces.entries())
        await write(insert('content_pieces', { capture_id: owner.id, position, piece }))
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
      for (const { position } of rows) await write(deletePiece(id, position))
      await store.commit(() => run(deleteRemovals([id])))
    },
  }
}
