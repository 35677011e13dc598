import type { Statement } from '../../../packages/durable/store/statement.ts'
import type { TableRow } from '../../database/schema.ts'
import type { CaptureKind } from '../../database/words.ts'
import type { ReplayFingerprint } from '../../decision/findings.ts'
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
  return held.flatMap(content => JSON.parse(Buffer.from(content).toString('utf8')) as ReplayFingerprint[])
}

/** Stores the fingerprints of a transaction's frames, for as long as its images are kept. */
export function insertFingerprints(
  deps: TransactionDeps,
  key: Uint8Array,
  row: Pick<TableRow<'transactions'>, 'id' | 'account_id' | 'customer_id'>,
  fingerprints: readonly ReplayFingerprint[] = [],
): readonly Statement[] {
  if (fingerprints.length === 0) return []
  const account_id = row.account_id
  const transaction_id = row.id
  const content = Buffer.from(JSON.stringify(fingerprints))
  return [
    deps.captures.encrypt(key, {
      account_id,
      transaction_id,
      kind: captureKind,
      media_type: 'application/json',
      content,
    }).insertion,
  ]
}
