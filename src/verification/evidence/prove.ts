import { readAll, type Store } from 'durable-xstate-sql'
import { listColumns, rowExists } from 'durable-xstate-sql/sql'
import { type Clock, isoTimestamp } from '../../base/clock.ts'
import type { ServiceKeys } from '../../base/encryption.ts'
import { readFact, setFact } from '../../database/facts.ts'
import { findForgedPause, findForgedRows, originMacColumns } from '../../database/forged_rows.ts'
import { deriveRowKey } from '../../database/row_mac.ts'
import { readAuditEnds } from '../../identity/operators/audit.ts'
import { BrokenAuditError, createAuditChecker, readAudit } from '../../identity/operators/audit_export.ts'
import { customerMacColumns, findForgedIdentities, findForgery } from '../../identity/row_macs.ts'
import { readEntries } from './evidence.ts'
import { checkStored } from './replay.ts'
import { checkJournal, InvalidEvidenceError } from './verify.ts'

/** The number of proven records, and those that differ from the service's own writing. */
export interface Proof {
  /** Entries of the audit log. */
  readonly entries: number
  readonly transactions: number
  readonly broken: readonly string[]
}

/** A proof as it is kept for the console. */
export interface KeptProof extends Proof {
  readonly at: string
  /** Everything was proven, not a sample. */
  readonly is_whole: boolean
}

export interface ProofDeps {
  readonly store: Store
  readonly clock: Pick<Clock, 'now'>
  readonly serviceKeys: Pick<ServiceKeys, 'lookup'>
}

/** So many faults show that something was changed; more are not listed. */
const maxBroken = 20

/** Proves the log's last entries, or all. A sample is a chain within itself, up to the head. */
async function proveAudit(store: Store, sample: number | null): Promise<Pick<Proof, 'entries' | 'broken'>> {
  const { anchor, head } = await readAuditEnds(store)
  const from = sample === null ? anchor.sequence : Math.max(anchor.sequence, head.sequence - sample)
  let checker = from === anchor.sequence ? createAuditChecker(anchor) : null
  let entries = 0
  let last = from
  let end = head
  try {
    // Entries that are added meanwhile are proven too.
    do {
      for await (const row of readAudit(store, Number.MAX_SAFE_INTEGER, last)) {
        entries++
        last = row.sequence
        // The first entry of a sample only gives the hash that the second follows.
        if (checker === null) checker = createAuditChecker(row, { isSample: true })
        else checker.check(row)
      }
      end = (await readAuditEnds(store)).head
    } while (end.sequence > last && (await hasEntry(store, last)))
    checker?.end(end)
    return { entries, broken: [] }
  } catch (error) {
    if (!(error instanceof BrokenAuditError)) throw error
    return { entries, broken: [error.message] }
  }
}

function hasEntry(store: Store, after: number): Promise<boolean> {
  return rowExists(store, { sql: 'SELECT sequence FROM audit WHERE sequence > ? LIMIT 1', values: [after] })
}

const pageRows = 500

/** Every id sorts before it. */
const beyondIds = 'g'

/** The latest rows, or all: `read` reads `limit` rows before an id. */
async function* listRows<T extends { readonly id: string }>(
  read: (before: string, limit: number) => Promise<readonly T[]>,
  sample: number | null,
): AsyncGenerator<T> {
  const page = sample === null ? pageRows : Math.min(sample, pageRows)
  for (let before = beyondIds, left = sample ?? Number.POSITIVE_INFINITY; left > 0; left -= page) {
    const rows = await read(before, Math.min(page, left))
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < page) return
    before = last.id
  }
}

/** Lists, in words, the customers and the receivers' pauses that something other than the service wrote. */
async function* findForgeries(store: Store, rowKey: Uint8Array, sample: number | null): AsyncGenerator<string | null> {
  const select = (columns: Parameters<typeof listColumns>[0], table: string, limit: number): string =>
    `SELECT ${listColumns(columns)} FROM ${table} WHERE id < ? ORDER BY id DESC LIMIT ${limit}`
  const customers = listRows((before, limit) => {
    const columns = customerMacColumns
    return readAll(store, { sql: select(columns, 'customers', limit), values: [before], columns })
  }, sample)
  for await (const row of customers) yield findForgery(rowKey, row)
  const origins = listRows((before, limit) => {
    const columns = originMacColumns
    return readAll(store, { sql: select(columns, 'origins', limit), values: [before], columns })
  }, null)
  for await (const row of origins) yield findForgedPause(rowKey, row)
}

function listTransactions(store: Store, sample: number | null): AsyncGenerator<{ readonly id: string }> {
  const sql = 'SELECT id FROM transactions WHERE id < ? ORDER BY id DESC LIMIT'
  const columns = { id: 'id' } as const
  return listRows((before, limit) => readAll(store, { sql: `${sql} ${limit}`, values: [before], columns }), sample)
}

const factName = 'chains_proven'

/** The last proof, as the console shows it; null before the first. */
export async function readLastProof(store: Store): Promise<KeptProof | null> {
  return JSON.parse((await readFact(store, factName)) ?? 'null') as KeptProof | null
}

/**
 * Proves the audit log and the journals of transactions by their chains of hashes, and each transaction's row by its
 * journal, which is replayed, and by its MACs, as each customer: `sample` of the latest of each, or all with null.
 * Accounts, clients, operators, signing keys, certificates of states, pauses of receivers and tokens of further devices are
 * proven by their MACs.
 */
export async function prove({ store, clock, serviceKeys }: ProofDeps, sample: number | null): Promise<Proof> {
  const rowKey = deriveRowKey(serviceKeys)
  const audit = await proveAudit(store, sample)
  const forged = [...(await findForgedIdentities(store, rowKey)), ...(await findForgedRows(store, rowKey))]
  const broken = [...audit.broken, ...forged.slice(0, maxBroken)]
  let transactions = 0
  for await (const forgery of findForgeries(store, rowKey, sample))
    if (forgery !== null && broken.length < maxBroken) broken.push(forgery)
  for await (const { id } of listTransactions(store, sample)) {
    const entries = await readEntries(store, id)
    if (entries === null) continue
    transactions++
    try {
      checkJournal(entries)
      await checkStored(store, rowKey, id)
    } catch (error) {
      if (!(error instanceof InvalidEvidenceError)) throw error
      if (broken.length < maxBroken) broken.push(`transaction ${id}: ${error.message}`)
    }
  }
  const proof = { entries: audit.entries, transactions, broken }
  const kept: KeptProof = { ...proof, at: isoTimestamp(clock.now()), is_whole: sample === null }
  await store.commit(() => setFact(factName, JSON.stringify(kept)))
  return proof
}
