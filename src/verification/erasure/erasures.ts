import { readAll } from 'durable-xstate-sql'
import { ApiError, asError } from '../../base/api_error.ts'
import type { Log } from '../../base/log.ts'
import { columnsOf } from '../../database/schema.ts'
import type { ErasureContext } from './empty_transaction.ts'
import { beginErasure, continueErasure, type Erasure } from './erase.ts'
import { type ErasureReceipt, type ErasureSubject, findReceipt } from './receipts.ts'

/** An erasure is one commit that makes its subject unreachable, followed by bounded commits that empty it. */
export interface Erasures {
  /**
   * Erases a customer or a transaction. Open transactions end as FAILED/CANCELLED; results, faces and images that arrive
   * later are not stored. Resolves with the receipt when everything is erased, or when `enough` resolves: the rest
   * continues. Repeating the call continues the erasure and resolves with the same receipt.
   * @throws {ApiError} `not_found` for an unknown id, and for another account's
   */
  erase(subject: ErasureSubject, erasure: Erasure, enough?: Promise<unknown>): Promise<ErasureReceipt>
  /** Continues the erasures that the end of a process interrupted. */
  resume(): Promise<void>
  /** Stops after the current commits. */
  stop(): Promise<void>
}

export function createErasures(context: ErasureContext, log: Log): Erasures {
  const { store } = context
  const running = new Map<string, Promise<void>>()
  let stopping = false

  const emptyAll = async (erasure_id: string): Promise<void> => {
    while (!stopping) {
      const rest = await continueErasure(context, erasure_id)
      if (rest === 'nothing') return store.scrub()
      // The object of an upload that was under way is deleted later: the erasure is resumed until then.
      if (rest === 'objects' && (await context.captures.collect()) === 0) return
    }
  }
  const run = (erasure_id: string): Promise<void> => {
    const present = running.get(erasure_id)
    if (present !== undefined) return present
    const started = emptyAll(erasure_id).finally(() => running.delete(erasure_id))
    running.set(erasure_id, started)
    // The caller may no longer wait for it.
    started.catch(error => log.warn({ erasure_id, error: asError(error).message }, 'an erasure was interrupted'))
    return started
  }
  const readReceipt = async (subject: ErasureSubject, { account_id, subject_id }: Erasure): Promise<ErasureReceipt> => {
    const receipt = await findReceipt(store, subject, account_id, subject_id)
    if (receipt === null) throw new ApiError('not_found', `${subject}_id: not found`)
    return receipt
  }

  return {
    async erase(subject, erasure, enough) {
      await beginErasure(context, subject, erasure)
      const { erasure_id } = await readReceipt(subject, erasure)
      // It runs even if the erasure is complete: the process may have ended before `scrub`.
      const emptied = run(erasure_id)
      await (enough === undefined ? emptied : Promise.race([emptied, enough]))
      return readReceipt(subject, erasure)
    },
    async resume() {
      const sql = 'SELECT id FROM erasures WHERE completed_at IS NULL LIMIT 100'
      for (const { id } of await readAll(store, { sql, values: [], columns: columnsOf('erasures', 'id') }))
        await run(id)
    },
    async stop() {
      stopping = true
      await Promise.allSettled(running.values())
    },
  }
}
