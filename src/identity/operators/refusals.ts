import type { Store, Unit } from 'durable-xstate-sql'
import { asError } from '../../base/api_error.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { AuditAction } from '../../database/words.ts'
import { type Actor, appendAudit } from './audit.ts'

const windowMs = 60_000
/** Entries of one node in a minute that are written at once, and those that a minute's end adds. */
const maxEntries = 50

/** Records log-ins and token requests that were refused: nobody needs a credential to be refused, so these are summed. */
export interface Refusals {
  /** Writes the caller's first refusal in a minute at once, and the number of further ones at the minute's end. */
  record(by: Actor, action: AuditAction): Promise<void>
  /** Writes the counts of the current minute. */
  flush(): Promise<void>
}

interface RefusalDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
}

interface Counted {
  readonly by: Actor
  readonly action: AuditAction
  /** Refusals that have no entry yet. */
  more: number
}

/** The name under which the callers without an entry of their own are summed. */
const others = 'several'

/** Limits the log of all nodes to a hundred entries a minute and node, however many calls are refused. */
export function createRefusals({ store, clock, log }: RefusalDeps): Refusals {
  let counted = new Map<string, Counted>()
  let began = Number.NEGATIVE_INFINITY
  const write = async (minute: ReadonlyMap<string, Counted>): Promise<void> => {
    const repeated = [...minute.values()].filter(({ more }) => more > 0)
    const own = repeated.slice(0, maxEntries)
    const rest = Map.groupBy(repeated.slice(maxEntries), ({ action }) => action)
    if (repeated.length === 0) return
    await store.commit(function* (): Unit<void> {
      for (const { by, action, more } of own)
        yield* appendAudit(store, clock.now(), by, { action, details: { count: more } })
      for (const [action, callers] of rest) {
        const count = callers.reduce((sum, { more }) => sum + more, 0)
        const by = { operator_id: null, address: others }
        yield* appendAudit(store, clock.now(), by, { action, details: { count, callers: callers.length } })
      }
    })
  }
  const flush = async (): Promise<void> => {
    const minute = counted
    counted = new Map()
    began = Number.NEGATIVE_INFINITY
    await write(minute)
  }
  return {
    flush,
    async record(by, action) {
      const now = clock.monotonic()
      if (now >= began + windowMs) await flush()
      if (began === Number.NEGATIVE_INFINITY) {
        began = now
        const minute = counted
        // The last refusals must be written even if no other follows.
        clock.setTimer(windowMs, () => {
          if (counted !== minute) return
          flush().catch((error: unknown) =>
            log.warn({ error: asError(error).message }, 'refusals could not be recorded'),
          )
        })
      }
      const name = JSON.stringify([action, by.operator_id, by.client_id ?? null, by.address])
      const known = counted.get(name)
      if (known !== undefined) known.more++
      else {
        const isWritten = counted.size < maxEntries
        counted.set(name, { by, action, more: isWritten ? 0 : 1 })
        if (isWritten) await store.commit(() => appendAudit(store, clock.now(), by, { action }))
      }
    },
  }
}
