import type { CaptureName, KeptByCapture, KeptFindings, KeptFor } from '@attestor/vision'
import { runAll, selectFirst, type Unit } from 'durable-xstate-sql'
import { columnsOf } from '../../database/schema.ts'
import { adviceOf, type KeptAdvice } from '../transactions/advice.ts'
import { isTerminal } from '../transactions/definition.ts'
import type { TransactionDeps } from '../transactions/deps.ts'
import { type HeldCapture, listHeldCaptures } from '../transactions/held_captures.ts'
import { parseContext } from '../transactions/rows.ts'
import { isCapturing, type Session } from '../transactions/session.ts'

/** A capture, and the parts of its findings that a request needs. */
export interface WantedFindings extends HeldCapture {
  readonly parts: readonly KeptFor[]
}

/** Reads the findings of engines in captures. @throws {UnreadableCaptureError} */
export async function readKeptFindings(
  deps: TransactionDeps,
  key: Uint8Array,
  wanted: readonly WantedFindings[],
): Promise<KeptByCapture> {
  const references = wanted.flatMap(({ capture, reference, parts }) =>
    parts.map(part => ({ capture, reference, part })),
  )
  const found = await deps.captures.readFindings<readonly KeptFindings[]>(key, references)
  const findIn = ({ reference }: HeldCapture): readonly KeptFindings[] =>
    found.flatMap(one => (one.reference.capture_id === reference.capture_id ? one.findings : []))
  return Object.fromEntries(
    wanted.flatMap(one => {
      const findings = findIn(one)
      return findings.length === 0 ? [] : [[one.capture, findings] as const]
    }),
  )
}

/** Advice that the person is to hear about a capture. */
export interface NewAdvice {
  readonly capture: HeldCapture
  readonly advice: KeptAdvice
  /** The upload was answered before: the session's next version has the advice. */
  readonly isLate: boolean
}

/** The stored part of the analysis of a capture. */
export interface NewKept {
  readonly held: readonly HeldCapture[]
  readonly kept: KeptByCapture
  readonly news: NewAdvice | null
}

/** Empty advice, without more to come, gets no row. */
function prepareAdvice({ captures }: TransactionDeps, session: Session, { capture, advice }: NewAdvice) {
  const { account_id, transaction_id, key } = session
  const { reference } = capture
  if (advice.warnings.length === 0 && advice.pending_until === null)
    return { writes: [captures.deleteFindingsPart(adviceOf(reference))], release: () => {}, reference }
  const prepared = captures.prepareFindings(key, {
    account_id,
    transaction_id,
    ...adviceOf(reference),
    findings: advice,
  })
  return { ...prepared, reference }
}

/**
 * Stores an engine's findings in captures that the transaction still has. The commit locks the transaction, so that a
 * concurrent retake, erasure or result leaves no stale findings behind.
 */
export async function storeKeptFindings(
  deps: TransactionDeps,
  session: Session,
  { held, kept, news }: NewKept,
): Promise<void> {
  const { store, captures } = deps
  const { transaction_id, account_id, key } = session
  const prepared = held.flatMap(({ capture, reference }) => {
    const parts = Map.groupBy(kept[capture as CaptureName] ?? [], ({ kept_for }) => kept_for)
    return [...parts].map(([part, findings]) => ({
      ...captures.prepareFindings(key, { account_id, transaction_id, reference, part, findings }),
      reference,
    }))
  })
  if (news !== null) prepared.push(prepareAdvice(deps, session, news))
  const sql = `SELECT status, snapshot FROM transactions WHERE id = ?${store.dialect.forUpdate}`
  const query = { sql, values: [transaction_id], columns: columnsOf('transactions', 'status', 'snapshot') }
  await store.commit(function* (): Unit<void> {
    const row = yield* selectFirst(query)
    if (row === null || isTerminal(row.status)) return
    const present = listHeldCaptures(parseContext(row))
    const isPresent = ({ reference }: { readonly reference: HeldCapture['reference'] }): boolean =>
      present.some(other => other.reference.capture_id === reference.capture_id)
    yield* runAll(prepared.filter(isPresent).flatMap(({ writes }) => writes))
    if (news?.isLate !== true || !isPresent(news.capture) || !isCapturing({ ...row, context: parseContext(row) }))
      return
    const event = { type: 'ADVICE_GIVEN', by: 'job', capture: news.capture.capture } as const
    yield* deps.host.appendToJournal(deps.definition, transaction_id, event)
  })
  for (const { release } of prepared) release()
}
