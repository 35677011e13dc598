import { columnsOf } from '../database/schema.ts'
import { runAll, selectFirst, type Unit } from '../durable/store/statement.ts'
import type { CaptureName, KeptByCapture, KeptFindings } from '../engines/port.ts'
import { isTerminal } from '../transactions/definition.ts'
import type { TransactionDeps } from '../transactions/deps.ts'
import { type HeldCapture, listHeldCaptures } from '../transactions/feedback.ts'
import { parseContext } from '../transactions/rows.ts'
import type { Session } from '../transactions/session.ts'

/** Reads what engines have found in captures. @throws {UnreadableCaptureError} */
export const readKeptFindings = async (
  deps: TransactionDeps,
  key: Uint8Array,
  held: readonly HeldCapture[],
): Promise<KeptByCapture> => {
  const references = held.map(({ reference }) => reference)
  const found = await deps.captures.readFindings<readonly KeptFindings[]>(key, references)
  return Object.fromEntries(
    held.flatMap(({ capture, reference }) => {
      const findings = found.get(reference.capture_id)
      return findings === undefined ? [] : [[capture, findings] as const]
    }),
  )
}

/**
 * Stores what an engine has found in captures that the transaction still has. The commit locks the transaction, so that
 * a concurrent retake, erasure or result leaves no stale findings behind.
 */
export const storeKeptFindings = async (
  { store, captures }: TransactionDeps,
  { transaction_id, account_id, key }: Session,
  held: readonly HeldCapture[],
  kept: KeptByCapture,
): Promise<void> => {
  const sql = `SELECT status, snapshot FROM transactions WHERE id = ?${store.dialect.forUpdate}`
  const query = { sql, values: [transaction_id], columns: columnsOf('transactions', 'status', 'snapshot') }
  await store.commit(function* (): Unit<void> {
    const row = yield* selectFirst(query)
    if (row === null || isTerminal(row.status)) return
    const present = listHeldCaptures(parseContext(row))
    const isPresent = ({ reference }: HeldCapture): boolean =>
      present.some(other => other.reference.capture_id === reference.capture_id)
    const stored = held.filter(isPresent).flatMap(({ capture, reference }) => {
      const findings = kept[capture as CaptureName]
      return findings === undefined ? [] : [{ account_id, transaction_id, reference, findings }]
    })
    yield* runAll(stored.flatMap(findings => captures.replaceFindings(key, findings)))
  })
}
