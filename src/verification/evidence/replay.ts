import { isDeepStrictEqual } from 'node:util'
import { readAll, readFirst, type Store } from 'durable-xstate-sql'
import {
  type Effect,
  listColumns,
  ReplayError,
  type RowOf,
  readJobName,
  replayEntry,
  type ScheduledJob,
  type Step,
  timerQueue,
} from 'durable-xstate-sql/sql'
import { isoTimestamp } from '../../base/clock.ts'
import { columnsOf } from '../../database/schema.ts'
import { replayedTransaction } from '../transactions/definition.ts'
import { traceFailure } from '../transactions/failure.ts'
import { computeOriginMac, computeOutcomeMac, originNames, outcomeNames } from '../transactions/row_macs.ts'
import { InvalidEvidenceError } from './verify.ts'

/** The columns of a transaction's row that affect something, or that a MAC covers. */
const rowColumns = {
  ...columnsOf('transactions', ...originNames),
  ...columnsOf('transactions', ...outcomeNames),
  ...columnsOf('transactions', 'version', 'status', 'chart_version', 'snapshot', 'journal_at', 'held_job', 'decision'),
  ...columnsOf('transactions', 'clock_offset_ms', 'awaiting_review_since', 'erasure_id', 'origin_mac', 'outcome_mac'),
} as const

type StoredRow = RowOf<typeof rowColumns>

const entryColumns = columnsOf('journal', 'sequence', 'event', 'status', 'occurred_at', 'chart_version')

type Entry = RowOf<typeof entryColumns>

const jobColumns = columnsOf('scheduled_jobs', 'queue', 'name', 'ready_at', 'lease', 'claims')

type Job = RowOf<typeof jobColumns>

interface Stored {
  readonly row: StoredRow
  readonly entries: readonly Entry[]
  readonly jobs: readonly Job[]
}

function assertValid(isValid: boolean, message: string): void {
  if (!isValid) throw new InvalidEvidenceError(message)
}

const maxTries = 5

/** Reads all stored data of a transaction between two of its steps; null if it is gone, or never rests. */
async function readStored(store: Store, id: string): Promise<Stored | null> {
  const selectRow = {
    sql: `SELECT ${listColumns(rowColumns)} FROM transactions WHERE id = ?`,
    values: [id],
    columns: rowColumns,
  }
  for (let tries = 0; tries < maxTries; tries++) {
    const row = await readFirst(store, selectRow)
    if (row === null) return null
    const entries = await readAll(store, {
      sql: `SELECT ${listColumns(entryColumns)} FROM journal WHERE actor_id = ? ORDER BY sequence`,
      values: [id],
      columns: entryColumns,
    })
    const jobs = await readAll(store, {
      sql: `SELECT ${listColumns(jobColumns)} FROM scheduled_jobs WHERE actor_id = ?`,
      values: [id],
      columns: jobColumns,
    })
    if (isDeepStrictEqual(await readFirst(store, selectRow), row)) return { row, entries, jobs }
  }
  return null
}

/** The state that a journal leads to. */
interface Replayed {
  readonly step: Step
  /** The timers that run, and when each is due by the machine's clock, if nobody turned the actor's. */
  readonly timers: ReadonlyMap<string, number>
  readonly jobs: ReadonlySet<string>
  readonly awaiting_review_since: number | null
}

function applyEffect(effect: Effect, now: number, timers: Map<string, number>, jobs: Set<string>): void {
  if (effect.type === 'startTimer') timers.set(effect.name, now + effect.delayMs)
  else if (effect.type === 'startJob') jobs.add(effect.name)
  else if (effect.type === 'cancel') {
    timers.delete(effect.name)
    jobs.delete(effect.name)
  }
}

/** @throws {ReplayError} */
function replay(entries: readonly Entry[]): Replayed | null {
  const timers = new Map<string, number>()
  const jobs = new Set<string>()
  let step: Step | null = null
  let awaiting_review_since: number | null = null
  for (const entry of entries) {
    const event = JSON.parse(entry.event) as { readonly type: string }
    if (step !== null && replayedTransaction.journalOnly.includes(event.type)) continue
    if (event.type.startsWith('xstate.')) {
      const name = readJobName(event)
      timers.delete(name)
      jobs.delete(name)
    }
    step = replayEntry(replayedTransaction, step, entry)
    for (const effect of step.effects) {
      applyEffect(effect, entry.occurred_at, timers, jobs)
      if (effect.type === 'action' && effect.name === 'openReview') awaiting_review_since = entry.occurred_at
    }
    if (!step.done) continue
    timers.clear()
    jobs.clear()
    awaiting_review_since = null
  }
  return step === null ? null : { step, timers, jobs, awaiting_review_since }
}

function parseSnapshot(snapshot: string): unknown {
  try {
    return JSON.parse(snapshot)
  } catch {
    throw new InvalidEvidenceError('snapshot: is not JSON')
  }
}

/** The clocks of nodes differ. A timer that was tried, or whose actor's clock was turned, is due at another time. */
const maxDifferenceMs = 60_000

function checkTimers({ row, jobs }: Stored, replayed: Replayed): void {
  const stored = new Map(jobs.map(job => [job.name, job]))
  const held = row.held_job === null ? null : (JSON.parse(row.held_job) as ScheduledJob).name
  for (const [name, ready_at] of replayed.timers) {
    const timer = stored.get(name)
    if (timer === undefined) throw new InvalidEvidenceError(`timer ${name}: is missing`)
    const isUntouched = timer.lease === null && timer.claims === 0 && row.clock_offset_ms === null
    assertValid(
      !isUntouched || Math.abs(timer.ready_at - ready_at) <= maxDifferenceMs,
      `timer ${name}: is due at another time`,
    )
  }
  for (const name of replayed.jobs) assertValid(stored.has(name) || held === name, `job ${name}: is missing`)
  for (const { name, queue } of jobs)
    assertValid(
      queue === timerQueue ? replayed.timers.has(name) : replayed.jobs.has(name),
      `${queue === timerQueue ? 'timer' : 'job'} ${name}: is not the journal's`,
    )
}

function checkReplayed(stored: Stored): void {
  const { row, entries } = stored
  // The charts of an earlier build are not here: its actors have ended, and only their MACs are checked.
  if (!entries.every(({ chart_version }) => chart_version in replayedTransaction.charts)) return
  let replayed: Replayed | null
  try {
    replayed = replay(entries)
  } catch (error) {
    if (!(error instanceof ReplayError)) throw error
    throw new InvalidEvidenceError(`journal: ${error.message}`, { cause: error })
  }
  if (replayed === null) return
  const snapshot: unknown = JSON.parse(JSON.stringify(replayed.step.snapshot))
  assertValid(isDeepStrictEqual(parseSnapshot(row.snapshot), snapshot), "snapshot: is not the journal's")
  assertValid(
    row.awaiting_review_since === replayed.awaiting_review_since,
    "awaiting_review_since: is not the journal's",
  )
  checkTimers(stored, replayed)
}

function checkHead({ row, entries }: Stored): void {
  const last = entries.at(-1)
  assertValid(row.version === entries.length, 'version: is not the number of the journal’s entries')
  assertValid(row.chart_version === last?.chart_version, "chart_version: is not the journal's")
  assertValid(row.journal_at === last?.occurred_at, "journal_at: is not the journal's")
}

const personalNames = [
  'expected_data',
  'reference',
  'reference_path',
  'encrypted_reference',
  ...outcomeNames.slice(1),
] as const

function checkMacs({ row, entries }: Stored, rowKey: Uint8Array): void {
  if (row.erasure_id !== null) {
    for (const name of personalNames) assertValid(row[name] === null, `${name}: is there after the erasure`)
    return
  }
  assertValid(row.origin_mac === computeOriginMac(rowKey, row), `${originNames.join(', ')}: one of them was changed`)
  if (row.outcome_mac !== null) {
    assertValid(
      row.outcome_mac === computeOutcomeMac(rowKey, row),
      `${outcomeNames.slice(1).join(', ')}: one of them was changed`,
    )
    return
  }
  assertValid(row.status !== 'FINISHED', 'outcome_mac: is missing')
  if (row.status !== 'FAILED') {
    for (const name of outcomeNames.slice(1)) assertValid(row[name] === null, `${name}: is there before the end`)
    return
  }
  const journal = entries.map(({ event, status, occurred_at }) => ({
    stored_event: event,
    status,
    occurred_at: isoTimestamp(occurred_at),
  }))
  assertValid(row.reason === traceFailure(journal)?.failure, "reason: is not the journal's")
}

/**
 * Replays a transaction's journal, and compares with it every column and every timer that follow from it. The others have
 * a MAC. @throws {InvalidEvidenceError}
 */
export async function checkStored(store: Store, rowKey: Uint8Array, id: string): Promise<void> {
  const stored = await readStored(store, id)
  if (stored === null) return
  checkHead(stored)
  checkMacs(stored, rowKey)
  checkReplayed(stored)
}
