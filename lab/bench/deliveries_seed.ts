import { createHost, type DatabaseAddress, type Host, openStore, run, type Store } from 'durable-xstate-sql'
import type { TransactionLimits } from '../../machines/transaction.ts'
import { systemClock } from '../../src/base/clock.ts'
import { newId } from '../../src/base/ids.ts'
import { insert } from '../../src/database/schema.ts'
import type { TransactionDefinition } from '../../src/verification/transactions/actor.ts'
import { createTransactionDefinition } from '../../src/verification/transactions/definition.ts'
import { createDeliveries } from '../../src/webhooks/delivery.ts'

const capture = { capture_id: '00000000-0000-4000-8000-000000000000', digest: 'd' }
const limits: TransactionLimits = {
  ttl_ms: 3_600_000,
  capture_attempts: 3,
  challenge_attempts: 3,
  attestation_ms: 120_000,
  challenge_ms: 60_000,
  wallet: 'IGNORE',
  wallet_ms: 60_000,
  analysis_attempts: 1,
  analysis_backoff_ms: 1000,
  analysis_deadline_ms: 60_000,
  review_ms: null,
  resubmissions: 0,
}

/** An account to make deliveries for. */
export async function addAccount(store: Store): Promise<string> {
  const account = { id: newId(), name: 'bench', mode: null, clock_offset_ms: null, created_at: systemClock.now() }
  await store.commit(() => run(insert('accounts', account)))
  return account.id
}

/** One transaction that is started: its INITIATED is due to be sent to `url`, as the service itself would make it. */
export async function startOne(
  host: Host,
  kind: TransactionDefinition,
  url: string,
  account_id: string,
): Promise<void> {
  const id = newId()
  await host.create(kind, {
    id,
    account_id,
    input: { transaction_type: 'BIOMETRIC_ONLY', limits },
    columns: {
      customer_id: newId(),
      transaction_type: 'BIOMETRIC_ONLY',
      config: JSON.stringify({ webhook: { url, events: ['INITIATED'] }, test: null }),
      expected_data: null,
      token_hash: id,
      expires_at: 0,
    },
  })
  await host.send(kind, id, { type: 'START', declared_document: 'UNDECLARED', facts: capture })
}

/** The kinds that a store's transactions and deliveries are made by. */
export function kindsOn(store: Store): { readonly host: Host; readonly transaction: TransactionDefinition } {
  const host = createHost(store, systemClock)
  return { host, transaction: createTransactionDefinition(host.dialect, createDeliveries(host, [0, 5_000, 30_000])) }
}

/** Makes `count` deliveries due at each of `urls`, each of an account of its own, 64 commits side by side. */
export async function seed(address: DatabaseAddress, urls: readonly string[], count: number): Promise<void> {
  const store = await openStore(address, 16)
  const { host, transaction } = kindsOn(store)
  const owned = await Promise.all(urls.map(async url => ({ url, account_id: await addAccount(store) })))
  const todo = owned.flatMap(one => Array.from({ length: count }, () => one))
  const worker = async (): Promise<void> => {
    for (let one = todo.pop(); one !== undefined; one = todo.pop())
      await startOne(host, transaction, one.url, one.account_id)
  }
  await Promise.all(Array.from({ length: 64 }, worker))
  await store.close()
}
