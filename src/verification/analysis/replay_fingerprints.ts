import type { ReplayFingerprint } from '@attestor/rules'
import type { Statement } from 'durable-xstate-sql'
import type { TableRow } from '../../database/schema.ts'
import type { CaptureKind } from '../../database/words.ts'
import type { TransactionDeps } from '../transactions/deps.ts'

const captureKind: CaptureKind = 'fingerprints'

/** New frames are compared with those of this many of the customer's newest transactions. */
const maxTransactions = 20

/** Reads the fingerprints of frames of the customer's earlier transactions. @throws {UnreadableCaptureError} */
export async function readEarlierFingerprints(
  deps: TransactionDeps,
  key: Uint8Array,
  row: Pick<TableRow<'transactions'>, 'id' | 'account_id' | 'customer_id'>,
): Promise<readonly ReplayFingerprint[]> {
  const selection = { customer_id: row.customer_id, transaction_id: row.id, kind: captureKind, limit: maxTransactions }
  const held = await deps.captures.readEarlier(key, selection)
  const all = held.flatMap(content => JSON.parse(Buffer.from(content).toString('utf8')) as ReplayFingerprint[])
  return all.filter(fingerprint => fingerprint.is_portrait !== true)
}

/** Stores fingerprints for as long as the images are kept; `remember` adds what depends on that capture. */
export function insertFingerprints(
  deps: TransactionDeps,
  key: Uint8Array,
  row: Pick<TableRow<'transactions'>, 'id' | 'account_id' | 'customer_id'>,
  fingerprints: readonly ReplayFingerprint[],
  remember: (capture_id: string) => readonly Statement[],
): readonly Statement[] {
  if (fingerprints.length === 0) return []
  const account_id = row.account_id
  const transaction_id = row.id
  const content = Buffer.from(JSON.stringify(fingerprints))
  const capture = { account_id, transaction_id, kind: captureKind, media_type: 'application/json', content }
  const { reference, insertion } = deps.captures.encrypt(key, capture)
  return [insertion, ...remember(reference.capture_id)]
}
