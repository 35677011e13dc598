import { randomUUID } from 'node:crypto'
import type { FloorDatabase, Write } from './floor_commit.ts'

/** Text and bytes as long as the service's own rows hold on average. */
const filler = {
  snapshot: JSON.stringify({ filler: 's'.repeat(1370) }),
  config: JSON.stringify({ filler: 'c'.repeat(257) }),
  hash: 'f'.repeat(64),
  event: JSON.stringify({ filler: 'e'.repeat(118) }),
  signals: Buffer.alloc(293, 1),
  profile: Buffer.alloc(130, 1),
  data_key: Buffer.alloc(60, 1),
  face: Buffer.alloc(136, 1),
  result: Buffer.alloc(2781, 1),
}

const account_id = randomUUID()

const insert = (table: string, row: Record<string, Write['values'][number]>): Write => {
  const columns = Object.keys(row)
  return {
    sql: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    values: Object.values(row),
  }
}

/** One verification's rows, written by hand in as many commits as the service makes of them. */
export interface FloorTransaction {
  readonly id: string
  version: number
}

export const newCustomer = async ({ commit }: FloorDatabase): Promise<string> => {
  const id = randomUUID()
  const encrypted = { profile: filler.profile, data_key: filler.data_key, face: null, face_transaction_id: null }
  await commit([], [insert('customers', { id, account_id, lookup: id, ...encrypted, created_at: Date.now() })])
  return id
}

const journal = (transaction: FloorTransaction): Write =>
  insert('journal', {
    actor_id: transaction.id,
    sequence: transaction.version,
    account_id,
    actor_type: 'transaction',
    event: filler.event,
    status: 'INITIATED',
    occurred_at: Date.now(),
    chart_version: 1,
    hash: filler.hash,
  })

export const due = ({ id }: FloorTransaction, queue: string, name: string, delay_ms: number): Write =>
  insert('scheduled_jobs', {
    id: randomUUID(),
    account_id,
    queue,
    actor_type: 'transaction',
    actor_id: id,
    name,
    payload: '{"attempt":1}',
    ready_at: Date.now() + delay_ms,
    lease: null,
    claims: 0,
  })

export const noDue = ({ id }: FloorTransaction, name: string): Write => ({
  sql: 'DELETE FROM scheduled_jobs WHERE actor_id = ? AND name = ?',
  values: [id, name],
})

export const newTransaction = async ({ commit }: FloorDatabase, customer_id: string): Promise<FloorTransaction> => {
  const transaction = { id: randomUUID(), version: 1 }
  const row = insert('transactions', {
    id: transaction.id,
    account_id,
    snapshot: filler.snapshot,
    version: 1,
    chart_version: 1,
    status: 'CREATED',
    journal_hash: filler.hash,
    journal_at: Date.now(),
    created_at: Date.now(),
    customer_id,
    transaction_type: 'DOCUMENT_AND_BIOMETRIC',
    config: filler.config,
    expected_data: null,
    token_hash: transaction.id,
    expires_at: Date.now() + 3_600_000,
  })
  await commit([], [row, journal(transaction), due(transaction, 'timer', 'ttl', 3_600_000)])
  return transaction
}

/** One event: the row is read under its lock, and written with its journal and whatever else changes. */
export const send = async (
  { commit, lock }: FloorDatabase,
  transaction: FloorTransaction,
  more: readonly Write[] = [],
): Promise<void> => {
  transaction.version++
  const sql = `SELECT id, snapshot, version, status, config FROM transactions WHERE id = ?${lock}`
  const update = {
    sql: 'UPDATE transactions SET snapshot = ?, version = ?, status = ? WHERE id = ? AND version = ?',
    values: [filler.snapshot, transaction.version, 'INITIATED', transaction.id, transaction.version - 1],
  }
  await commit([{ sql, values: [transaction.id] }], [update, journal(transaction), ...more])
}

/** A capture and its event, in one commit as in the service. */
export const capture = async (
  database: FloorDatabase,
  transaction: FloorTransaction,
  content: Buffer = filler.signals,
  more: readonly Write[] = [],
): Promise<void> => {
  const row = { media_type: 'image/jpeg', digest: 'd'.repeat(64), byte_count: content.length, content }
  const about = { id: randomUUID(), account_id, transaction_id: transaction.id, kind: 'selfie', created_at: Date.now() }
  await send(database, transaction, [insert('captures', { ...about, ...row }), ...more])
}

const lease = async ({ commit, lock }: FloorDatabase, { id }: FloorTransaction, name: string): Promise<void> => {
  const sql = `SELECT id, payload, lease, claims FROM scheduled_jobs WHERE actor_id = ? AND name = ?${lock}`
  const update =
    'UPDATE scheduled_jobs SET lease = ?, ready_at = ?, claims = claims + 1 WHERE actor_id = ? AND name = ?'
  const values = [randomUUID(), Date.now() + 15_000, id, name]
  await commit([{ sql, values: [id, name] }], [{ sql: update, values }])
}

/** What a worker does once the capture is complete: admission and analysis, each claimed, and its result sent. */
export const finish = async (
  database: FloorDatabase,
  transaction: FloorTransaction,
  customer_id: string,
): Promise<void> => {
  const { id } = transaction
  await lease(database, transaction, 'admission')
  const analysis = [due(transaction, 'timer', 'deadline', 300_000), due(transaction, 'analysis', 'analysis', 0)]
  await send(database, transaction, [noDue(transaction, 'admission'), ...analysis])
  await lease(database, transaction, 'analysis')
  for (const sql of ['SELECT * FROM transactions WHERE id = ?', 'SELECT * FROM captures WHERE transaction_id = ?'])
    await database.read({ sql, values: [id] })
  await send(database, transaction, [
    { sql: 'DELETE FROM scheduled_jobs WHERE actor_id = ?', values: [id] },
    { sql: 'UPDATE transactions SET result = ?, status = ? WHERE id = ?', values: [filler.result, 'FINISHED', id] },
    {
      sql: 'UPDATE customers SET face = ?, face_transaction_id = ? WHERE id = ?',
      values: [filler.face, id, customer_id],
    },
  ])
}
