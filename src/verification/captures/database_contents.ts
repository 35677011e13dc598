import { unavailable } from '../../base/api_error.ts'
import { createContentPieces, hasPieces } from './content_pieces.ts'
import type { CaptureContents, ContentRow } from './contents.ts'
import { mapConcurrently } from './map_concurrently.ts'
import { collectRemovals, contentConcurrency, type RemovalDeps } from './removals.ts'

/** A row without content was stored by a node with another CAPTURE_STORE; its content is not lost. */
function contentIsElsewhere(id: string): Error {
  return unavailable(`the content of capture ${id} is in another store than CAPTURE_STORE names`)
}

/** Contents in the database: one of a single piece in the row of its capture, a larger one in pieces beside its head. */
export function createDatabaseContents(deps: RemovalDeps): CaptureContents {
  const pieces = createContentPieces(deps)
  const readWhole = async ({ content, ...row }: ContentRow): Promise<readonly [string, Uint8Array][]> => {
    if (content === null) throw contentIsElsewhere(row.id)
    const whole = await pieces.read({ ...row, content })
    return whole === null ? [] : [[row.id, whole]]
  }
  return {
    async put(owner, { head, pieces: parts }) {
      if (parts.length <= 1) return { content: Buffer.concat([head, ...parts]), writes: [], usableUntil: null }
      return { content: head, ...(await pieces.put(owner, parts)) }
    },
    get: async rows => new Map((await mapConcurrently(rows, contentConcurrency, readWhole)).flat()),
    collect: () => collectRemovals(deps, { condition: hasPieces, remove: pieces.remove }),
    isAvailable: () => true,
    close() {},
  }
}
