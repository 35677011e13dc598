import { readFirst, type Store } from 'durable-xstate-sql'
import { asError, unavailable } from '../../base/api_error.ts'
import { pieceBytes } from '../../base/bytes.ts'
import { readFact, setFact } from '../../database/facts.ts'
import { columnsOf } from '../../database/schema.ts'
import { createContentPieces, hasPieces } from './content_pieces.ts'
import type { CaptureContents, ContentOwner, ContentRow, NewContent, StoredContent } from './contents.ts'
import { limitConcurrency, mapConcurrently } from './map_concurrently.ts'
import { createObjectContents, probeObjects } from './object_contents.ts'
import { type ObjectStore, ObjectStoreError } from './object_store.ts'
import { collectRemovals, contentConcurrency, type RemovalDeps } from './removals.ts'
import { openS3Objects, type S3Location } from './s3_objects.ts'

/** A row without content was stored by a node with another CAPTURE_STORE; its content is not lost. */
function contentIsElsewhere(id: string): Error {
  return unavailable(`the content of capture ${id} is in another store than CAPTURE_STORE names`)
}

/** The uploads whose encrypted images are held beside them. Their pieces are written one after another, whatever their number. */
const maxStoring = 2

/** Contents in the database: one of a single piece in the row of its capture, a larger one in pieces beside its head. */
export function createDatabaseContents(deps: RemovalDeps): CaptureContents {
  const pieces = createContentPieces(deps)
  const inTurns = limitConcurrency(maxStoring)
  const putLarge = (owner: ContentOwner, encrypt: NewContent['encrypt']): Promise<StoredContent> =>
    inTurns(async () => {
      const { head, pieces: parts } = await encrypt()
      return { content: head, ...(await pieces.put(owner, parts)) }
    })
  const readWhole = async ({ content, ...row }: ContentRow): Promise<readonly [string, Uint8Array][]> => {
    if (content === null) throw contentIsElsewhere(row.id)
    const whole = await pieces.read({ ...row, content })
    return whole === null ? [] : [[row.id, whole]]
  }
  return {
    async put(owner, { size, encrypt }) {
      if (size > pieceBytes) return putLarge(owner, encrypt)
      const { head, pieces: parts } = await encrypt()
      return { content: Buffer.concat([head, ...parts]), writes: [], usableUntil: null }
    },
    get: async rows => new Map((await mapConcurrently(rows, contentConcurrency, readWhole)).flat()),
    collect: () => collectRemovals(deps, { condition: hasPieces, remove: pieces.remove }),
    isAvailable: () => true,
    close() {},
  }
}

/** Thrown for a store that can't be used as it is set; the message names the setting. */
export class CaptureStoreError extends Error {
  override name = 'CaptureStoreError'
}

/** The place for new captures; a null location is the database. */
export interface ContentsOptions {
  readonly location: S3Location | null
  readonly path_style: boolean
  readonly attempt_ms: number
}

/** Name of the fact that records the last store of captures: `s3://bucket/prefix`; none is the database. */
const factName = 'capture_store'

/** A capture whose content is outside of the database. */
function findObjectCapture(store: Store): Promise<ContentRow | null> {
  const columns = columnsOf('captures', 'id', 'byte_count', 'content')
  const sql = 'SELECT id, byte_count, content FROM captures WHERE content IS NULL LIMIT 1'
  return readFirst(store, { sql, values: [], columns })
}

/** A store that was probed, and refuses one object, does not have it. */
async function isStored(objects: ObjectStore, name: string): Promise<boolean> {
  try {
    return (await objects.get(name, 0)) !== null
  } catch (error) {
    if (error instanceof ObjectStoreError && error.is_denied) return false
    throw error
  }
}

/** @throws {CaptureStoreError} if the captures stored until now would not be found */
async function requireKnownCaptures(store: Store, objects: ObjectStore | null): Promise<void> {
  const known = await readFact(store, factName)
  if (known === (objects?.url ?? null)) return
  const capture = known === null ? null : await findObjectCapture(store)
  const isThere = capture === null || (objects !== null && (await isStored(objects, capture.id)))
  if (!isThere)
    throw new CaptureStoreError(
      `CAPTURE_STORE: images are stored at ${known}: set it so, or copy all objects to the new place first`,
    )
  await store.commit(() => setFact(factName, objects?.url ?? null))
}

/** A wrong setting prevents the start; a store that does not respond at the moment does not. @throws {CaptureStoreError} */
async function checkObjects({ store, log }: RemovalDeps, objects: ObjectStore): Promise<void> {
  try {
    await probeObjects(objects)
    await requireKnownCaptures(store, objects)
  } catch (cause) {
    if (!(cause instanceof ObjectStoreError)) throw cause
    if (!cause.is_temporary)
      throw new CaptureStoreError(`CAPTURE_STORE: ${objects.url} can't be used: ${asError(cause).message}`, { cause })
    log.error({ store: objects.url, error: cause.message }, 'the capture store does not answer')
  }
}

/** Opens the store of the captures' contents. @throws {CaptureStoreError} */
export async function openContents(
  deps: RemovalDeps,
  { location, ...options }: ContentsOptions,
): Promise<CaptureContents> {
  if (location === null) {
    await requireKnownCaptures(deps.store, null)
    return createDatabaseContents(deps)
  }
  const objects = await openS3Objects({ ...options, ...location, clock: deps.clock })
  try {
    await checkObjects(deps, objects)
    return createObjectContents({ ...deps, objects })
  } catch (error) {
    objects.close()
    throw error
  }
}
