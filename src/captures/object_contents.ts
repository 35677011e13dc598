import { asError, unavailable } from '../base/api_error.ts'
import type { Clock } from '../base/clock.ts'
import { encryptionOverhead } from '../base/encryption.ts'
import type { Log } from '../base/log.ts'
import { columnsOf, insert } from '../database/schema.ts'
import { run, runAll, selectAll, toPlaceholders, type Unit } from '../durable/store/statement.ts'
import type { Store } from '../durable/store/store.ts'
import type { CaptureContents, ContentRow } from './contents.ts'
import { mapConcurrently } from './map_concurrently.ts'
import type { ObjectStore } from './object_store.ts'

export interface ObjectContentsDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly objects: ObjectStore
}

/** A content that no commit names within this time is deleted. */
const abandonedMs = 3_600_000
/** A commit may name a content within this time: much less than the limit above, so that nodes' clocks may differ. */
const usableMs = 300_000
/** How many contents one node claims and deletes at a time. */
const collectLimit = 100
const collectLeaseMs = 60_000
const concurrency = 8
/** The interval of probes of a store that failed. */
const probeMs = 5000

const probeName = 'probe'
const probeContent = Buffer.from('Attestor writes and reads this object to see whether the store works.\n')

/** Writes and reads an object. @throws {ObjectStoreError} */
export const probeObjects = async (objects: ObjectStore): Promise<void> => {
  await objects.put(probeName, [probeContent])
  await objects.get(probeName, probeContent.length)
}

/**
 * Tracks whether the store works. While it does not, calls fail at once instead of waiting for its time-outs, and a
 * probe finds when it works again.
 */
const watchObjects = ({ clock, log, objects }: ObjectContentsDeps) => {
  let isAvailable = true
  let cancel = (): void => {}
  const probe = async (): Promise<void> => {
    try {
      await probeObjects(objects)
      isAvailable = true
      log.info({ store: objects.url }, 'the capture store works again')
    } catch {
      // The failure was logged when it began.
      cancel = clock.setTimer(probeMs, probe)
    }
  }
  const createError = (): Error =>
    unavailable('images can’t be stored or read at the moment: try again', probeMs / 1000)
  const startProbing = (error: unknown): void => {
    if (!isAvailable) return
    isAvailable = false
    log.error({ store: objects.url, error: asError(error).message }, 'the capture store fails')
    cancel = clock.setTimer(probeMs, probe)
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
    stop: () => cancel(),
  }
}

const removalColumns = columnsOf('object_removals', 'capture_id')

/** Claims rows that are due, so that no other node takes them. Rows whose capture exists after all are left out. */
function* claimRemovals({ store, clock }: ObjectContentsDeps): Unit<{ due: string[]; named: string[] }> {
  const rows = yield* selectAll({
    sql: `SELECT capture_id FROM object_removals WHERE remove_at <= ? ORDER BY remove_at LIMIT ${collectLimit}${store.dialect.forUpdate}`,
    values: [clock.now()],
    columns: removalColumns,
  })
  const ids = rows.map(({ capture_id }) => capture_id)
  if (ids.length === 0) return { due: [], named: [] }
  const existing = yield* selectAll({
    sql: `SELECT id FROM captures WHERE id IN (${toPlaceholders(ids)})`,
    values: ids,
    columns: columnsOf('captures', 'id'),
  })
  const named = existing.map(({ id }) => id)
  const sql = `UPDATE object_removals SET remove_at = ? WHERE capture_id IN (${toPlaceholders(ids)})`
  yield* runAll([{ sql, values: [clock.now() + collectLeaseMs, ...ids] }])
  return { due: ids.filter(id => !named.includes(id)), named }
}

/**
 * Contents as objects. A row of `object_removals` is an object that is to be deleted. It is written before the object.
 * The commit that names the object deletes the row; the commit that deletes the capture writes it again. So no object
 * is left behind, and nobody ever has to list a bucket.
 */
export const createObjectContents = (deps: ObjectContentsDeps): CaptureContents => {
  const { store, clock, log } = deps
  const watch = watchObjects(deps)
  const fetchContent = async ({ id, byte_count, content }: ContentRow): Promise<readonly [string, Uint8Array][]> => {
    const found = content ?? (await watch.use(objects => objects.get(id, byte_count + encryptionOverhead)))
    return found === null ? [] : [[id, found]]
  }
  return {
    async put({ id, ...owner }, pieces) {
      const now = clock.now()
      const removal = insert('object_removals', { capture_id: id, ...owner, remove_at: now + abandonedMs })
      await store.commit(() => run(removal))
      await watch.use(objects => objects.put(id, pieces))
      return {
        content: null,
        writes: [{ sql: 'DELETE FROM object_removals WHERE capture_id = ?', values: [id] }],
        usableUntil: now + usableMs,
      }
    },
    get: async rows => new Map((await mapConcurrently(rows, concurrency, fetchContent)).flat()),
    async collect() {
      const { due, named } = await store.commit(() => claimRemovals(deps))
      await mapConcurrently(due, concurrency, id => watch.use(objects => objects.delete(id)))
      const done = [...due, ...named]
      if (done.length === 0) return 0
      await store.commit(() =>
        run({ sql: `DELETE FROM object_removals WHERE capture_id IN (${toPlaceholders(done)})`, values: done }),
      )
      if (named.length > 0) log.warn({ captures: named }, 'contents that captures name were not deleted')
      return done.length
    },
    isAvailable: watch.isAvailable,
    close() {
      watch.stop()
      deps.objects.close()
    },
  }
}
