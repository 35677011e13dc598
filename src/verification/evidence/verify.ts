import { isDeepStrictEqual } from 'node:util'
import type { Decision } from '@attestor/rules'
import { chainHash } from 'durable-xstate-sql/sql'
import { createLocalJWKSet, errors, type FlattenedJWSInput, flattenedVerify, type JSONWebKeySet } from 'jose'
import type { TransactionStatus } from '../../../machines/transaction.ts'
import { sha256 } from '../../base/ids.ts'
import { evidenceType } from '../../identity/keys/evidence_keys.ts'
import { traceFailure } from '../transactions/failure.ts'
import type { DecidedEvent } from '../transactions/trace.ts'
import type { Evidence, JournalEvidence } from './evidence.ts'

/** The evidence was changed; the message names where. */
export class InvalidEvidenceError extends Error {
  override name = 'InvalidEvidenceError'
}

export interface VerifiedEvidence {
  readonly transaction_id: string
  readonly status: TransactionStatus
  readonly issued_at: string
  readonly signed_by: string
  readonly entries: number
  readonly head: string
  /** `absent` if nothing was decided, or it was erased. */
  readonly trace: 'pinned' | 'absent'
}

function assertValid(isValid: boolean, message: string): void {
  if (!isValid) throw new InvalidEvidenceError(message)
}

/** Recomputes every hash from the entries. */
function checkChain({ transaction, journal, head }: JournalEvidence): void {
  let before = ''
  for (const [index, entry] of journal.entries()) {
    assertValid(entry.sequence === index + 1, `journal: entry ${index + 1} is missing`)
    const hash = chainHash(before, {
      actor_id: transaction.id,
      sequence: entry.sequence,
      actor_type: 'transaction',
      event: entry.stored_event,
      status: entry.status,
      occurred_at: Date.parse(entry.occurred_at),
      chart_version: entry.chart_version,
    })
    assertValid(hash === entry.hash, `journal: entry ${entry.sequence} is not the one that was written`)
    before = hash
  }
  assertValid(head === before, 'head: is not the hash of the last entry')
  assertValid(journal.at(-1)?.status === transaction.status, 'status: is not the one that the journal ends with')
}

const stages = {
  created_at: ['CREATED'],
  initiated_at: ['INITIATED'],
  completed_at: ['COMPLETED'],
  processing_at: ['PROCESSING'],
  finished_at: ['FINISHED', 'FAILED'],
} as const satisfies Partial<Record<keyof Evidence['transaction'], readonly string[]>>

function readStoredEvent(entry: Evidence['journal'][number] | undefined): Readonly<Record<string, unknown>> {
  return JSON.parse(entry?.stored_event ?? '{}')
}

/** The chain does not cover the transaction's row, so the row must agree with the entries. */
function checkRow({ transaction, journal }: JournalEvidence): void {
  for (const stage of Object.keys(stages) as (keyof typeof stages)[]) {
    const reached = journal.find(({ status }) => stages[stage].some(one => one === status))
    assertValid((reached?.occurred_at ?? null) === transaction[stage], `${stage}: is not the time in the journal`)
  }
  const created = readStoredEvent(journal[0])
  for (const name of ['account_id', 'customer_id', 'transaction_type'] as const)
    assertValid(created[name] === transaction[name], `${name}: is not the journal's`)
  const { erasure_id = null } = readStoredEvent(journal.find(({ event }) => event === 'ERASE'))
  assertValid(erasure_id === transaction.erasure_id, "erasure_id: is not the journal's")
}

interface DecidingEvent {
  readonly decision?: Decision
  readonly output?: { readonly decision?: Decision }
}

/** Lists are searched by the row's decision: it must be the last one that an entry made. */
function checkDecision({ transaction, journal }: JournalEvidence): void {
  const { status, erasure_id, decision } = transaction
  const decided = journal.toReversed().map(entry => {
    const event: DecidingEvent = readStoredEvent(entry)
    return event.decision ?? event.output?.decision
  })
  const last = decided.find(one => one !== undefined)
  if (erasure_id !== null) assertValid(decision === null, 'decision: is there after the erasure')
  else if (status === 'FAILED')
    assertValid(decision === 'UNDETERMINED', 'decision: is not UNDETERMINED, as of a failure')
  else if (status === 'FINISHED') assertValid(decision === last, "decision: is not the journal's")
}

/** The chain of a transaction's journal, and its row by that. @throws {InvalidEvidenceError} */
export function checkJournal(entries: JournalEvidence): void {
  checkChain(entries)
  checkRow(entries)
  checkDecision(entries)
}

/** The deciding entry has the trace's digest. Only an erasure, which has an entry of its own, deletes a trace. */
function checkTrace({ trace, journal }: Evidence): void {
  const decided = journal.find(({ status }) => status === 'FINISHED')
  const { output }: DecidedEvent = readStoredEvent(decided)
  if (trace === null) {
    const isErased = journal.some(({ event }) => event === 'ERASE')
    assertValid(isErased || output?.trace_sha256 === undefined, 'trace: is missing, and was not erased')
    return
  }
  assertValid(output?.trace_sha256 === sha256(JSON.stringify(trace)), 'trace: is not the one that the journal names')
}

/** The failure must be the one that the entries show. */
function checkFailure({ failure, journal }: Evidence): void {
  assertValid(isDeepStrictEqual(failure, traceFailure(journal)), 'failure: is not the one in the journal')
}

function toSignatureError(error: unknown): unknown {
  return error instanceof errors.JOSEError
    ? new InvalidEvidenceError(`signature: ${error.message}`, { cause: error })
    : error
}

function readKeySet(keys: JSONWebKeySet) {
  try {
    return createLocalJWKSet(keys)
  } catch (cause) {
    throw new InvalidEvidenceError('jwks: is not a key set', { cause })
  }
}

/** Checks signature, chain and trace; needs only the key set. @throws {InvalidEvidenceError} */
export async function verifyEvidence(signed: FlattenedJWSInput, keys: JSONWebKeySet): Promise<VerifiedEvidence> {
  const verified = await flattenedVerify(signed, readKeySet(keys)).catch(error => {
    throw toSignatureError(error)
  })
  const { kid = '', typ } = verified.protectedHeader ?? {}
  assertValid(typ === evidenceType, 'signature: is not a signature of evidence')
  const evidence = JSON.parse(Buffer.from(verified.payload).toString('utf8')) as Evidence
  assertValid(evidence.evidence_version === 1, 'evidence_version: is not known to this build')
  checkJournal(evidence)
  checkTrace(evidence)
  checkFailure(evidence)
  const { transaction, issued_at, journal, head, trace } = evidence
  return {
    transaction_id: transaction.id,
    status: transaction.status,
    issued_at,
    signed_by: kid,
    entries: journal.length,
    head,
    trace: trace === null ? 'absent' : 'pinned',
  }
}
