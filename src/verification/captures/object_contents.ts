import { asError, unavailable } from '../../base/api_error.ts'
import { encryptionOverhead } from '../../base/encryption.ts'
import { type Repeated, repeat } from '../../base/time.ts'
import { createContentPieces } from './content_pieces.ts'
import type { CaptureContents, ContentRow } from './contents.ts'
import { mapConcurrently } from './map_concurrently.ts'
import type { ObjectStore } from './object_store.ts'
import { collectRemovals, contentConcurrency, planRemoval, type RemovalDeps } from './removals.ts'

export interface ObjectContentsDeps extends RemovalDeps {
  readonly objects: ObjectStore
}

/** The interval of probes of a store that failed. */
const probeMs = 5000

const probeName = 'probe'
const probeContent = Buffer.from('Attestor writes and reads this object to see whether the store works.\n')

/** Writes and reads an object. @throws {ObjectStoreError} */
export async function probeObjects(objects: ObjectStore): Promise<void> {
  await objects.put(probeName, [probeContent])
  await objects.get(probeName, probeContent.length)
}

/**
 * Tracks whether the store works. While it does not, calls fail at once instead of waiting for its time-outs, and a
 * probe finds when it works again.
 */
function watchObjects({ clock, log, objects }: ObjectContentsDeps) {
  let isAvailable = true
  let probing: Repeated | null = null
  const probe = async (): Promise<number | null> => {
    try {
      await probeObjects(objects)
      isAvailable = true
      log.info({ store: objects.url }, 'the capture store works again')
      return null
    } catch {
      // The failure was logged when it began.
      return probeMs
    }
  }
  const createError = (): Error =>
    unavailable('images can’t be stored or read at the moment: try again', probeMs / 1000)
  const startProbing = (error: unknown): void => {
    if (!isAvailable) return
    isAvailable = false
    log.error({ store: objects.url, error: asError(error).message }, 'the capture store fails')
    probing = repeat(clock, probe, probeMs)
  }
  return {
    isAvailable: () => isAvailable,
    /** @throws {ApiError} `unavailable` if the store fails; at once while it is known to fail */
    async use<T>(work: (objects: ObjectStore) => Promise<T>): Promise<T> {
      if (!isAvailable) throw createError()
      try {
        return await work(objects)
      } catch (error) {
        startProbing(error)
        throw createError()
      }
    },
    stop: () => void probing?.stop(),
  }
}

/**
 * Contents as objects. A row of `object_removals` is an object that is to be deleted. It is written before the object.
 * The commit that names the object deletes the row; the commit that deletes the capture writes it again. So no object
 * is left behind, and nobody ever has to list a bucket.
 */
export function createObjectContents(deps: ObjectContentsDeps): CaptureContents {
  const { store } = deps
  const watch = watchObjects(deps)
  // Contents that were stored before CAPTURE_STORE was set are in the database.
  const pieces = createContentPieces(deps)
  const fetchContent = async ({ content, ...row }: ContentRow): Promise<readonly [string, Uint8Array][]> => {
    const found =
      content === null
        ? await watch.use(objects => objects.get(row.id, row.byte_count + encryptionOverhead))
        : await pieces.read({ ...row, content })
    return found === null ? [] : [[row.id, found]]
  }
  const remove = async (id: string): Promise<void> => {
    await watch.use(objects => objects.delete(id))
    await pieces.remove(id)
  }
  return {
    async put(owner, { head, pieces: parts }) {
      const { plan, ...named } = planRemoval(deps, owner)
      await store.commit(plan)
      await watch.use(objects => objects.put(owner.id, [head, ...parts]))
      return { content: null, ...named }
    },
    get: async rows => new Map((await mapConcurrently(rows, contentConcurrency, fetchContent)).flat()),
    collect: () => collectRemovals(deps, { condition: '', remove }),
    isAvailable: watch.isAvailable,
    close() {
      watch.stop()
      deps.objects.close()
    },
  }
}
