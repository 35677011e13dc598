import { asError, unavailable } from '../../base/api_error.ts'
import { encryptionOverhead } from '../../base/encryption.ts'
import { type Repeated, repeat } from '../../base/time.ts'
import { createContentPieces } from './content_pieces.ts'
import type { CaptureContents, ContentRow } from './contents.ts'
import { mapConcurrently } from './map_concurrently.ts'
import { type ObjectStore, ObjectStoreError } from './object_store.ts'
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

/** Number of different objects that must fail, without a success between them, before the store counts as failing. */
const maxFailing = 2

/**
 * Tracks whether the store works. While it does not, calls fail at once instead of waiting for its time-outs, and a
 * probe finds when it works again. Repeated failures of one object do not count, as other objects may work.
 */
function watchObjects({ clock, log, objects }: ObjectContentsDeps) {
  let isAvailable = true
  let probing: Repeated | null = null
  let checking: Promise<boolean> | null = null
  /** The objects that have failed since the last success. */
  const failing = new Set<string>()
  const works = (): Promise<boolean> => {
    checking ??= probeObjects(objects)
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        checking = null
      })
    return checking
  }
  const probe = async (): Promise<number | null> => {
    // The failure was logged when it began.
    if (!(await works())) return probeMs
    isAvailable = true
    log.info({ store: objects.url }, 'the capture store works again')
    return null
  }
  const createError = (): Error =>
    unavailable('images can’t be stored or read at the moment: try again', probeMs / 1000)
  const startProbing = (error: unknown): void => {
    if (!isAvailable) return
    isAvailable = false
    failing.clear()
    log.error({ store: objects.url, error: asError(error).message }, 'the capture store fails')
    probing = repeat(clock, probe)
  }
  /** A store that refuses an object answers, so that another one shows whether it refuses all. */
  const isOfObject = async (name: string, error: unknown): Promise<boolean> => {
    if (error instanceof ObjectStoreError && !error.is_temporary) return works()
    failing.add(name)
    return failing.size < maxFailing
  }
  return {
    isAvailable: () => isAvailable,
    /**
     * Works with one object.
     * @throws {ApiError} `unavailable` if the store fails, at once while it is known to fail, or if this object does
     * @throws {ObjectStoreError} where the store refuses this object alone
     */
    async use<T>(name: string, work: (objects: ObjectStore) => Promise<T>): Promise<T> {
      if (!isAvailable) throw createError()
      try {
        const result = await work(objects)
        failing.clear()
        return result
      } catch (error) {
        if (!(await isOfObject(name, error))) startProbing(error)
        else {
          log.warn({ store: objects.url, object: name, error: asError(error).message }, 'an object fails')
          if (error instanceof ObjectStoreError && error.is_denied) throw error
        }
        throw createError()
      }
    },
    stop: () => void probing?.stop(),
  }
}

/** Null for a missing object: a store that shows others, and not this one, has it no more. */
async function nullIfDenied<T>(result: Promise<T>): Promise<T | null> {
  try {
    return await result
  } catch (error) {
    if (error instanceof ObjectStoreError && error.is_denied) return null
    throw error
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
        ? await nullIfDenied(watch.use(row.id, objects => objects.get(row.id, row.byte_count + encryptionOverhead)))
        : await pieces.read({ ...row, content })
    return found === null ? [] : [[row.id, found]]
  }
  const remove = async (id: string): Promise<void> => {
    await watch.use(id, objects => objects.delete(id))
    await pieces.remove(id)
  }
  return {
    async put(owner, { encrypt }) {
      const { head, pieces: parts } = await encrypt()
      const { plan, ...named } = planRemoval(deps, owner)
      await store.commit(plan)
      await watch.use(owner.id, objects => objects.put(owner.id, [head, ...parts]))
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
