import type { TableRow } from '../database/schema.ts'
import type { ReplayFingerprint } from '../decision/findings.ts'
import type { Statement } from '../durable/store/statement.ts'
import type { TransactionDeps } from '../transactions/deps.ts'

const captureKind = 'imprints'

/** Analysed transactions of a customer whose frames are compared with new ones: the newest. */
const maxTransactions = 20

/** The frames' faces of the customer's earlier transactions, as far as they are kept. @throws {UnreadableCaptureError} */
export const readEarlierFingerprints = async (
  deps: TransactionDeps,
  key: Uint8Array,
  row: Pick<TableRow<'transactions'>, 'id' | 'account_id' | 'customer_id'>,
): Promise<readonly ReplayFingerprint[]> => {
  const which = { customer_id: row.customer_id, transaction_id: row.id, kind: captureKind, limit: maxTransactions }
  const held = await deps.captures.readEarlier(key, which)
  return held.flatMap(content => JSON.parse(Buffer.from(content).toString('utf8')) as ReplayFingerprint[])
}

/** Keeps a transaction's frames' faces for the customer's next ones, beside its images and as long as they. */
export const insertFingerprints = (
  deps: TransactionDeps,
  key: Uint8Array,
  row: Pick<TableRow<'transactions'>, 'id' | 'account_id' | 'customer_id'>,
  fingerprints: readonly ReplayFingerprint[] = [],
): readonly Statement[] => {
  if (fingerprints.length === 0) return []
  const [account_id, transaction_id] = [row.account_id, row.id]
  const content = Buffer.from(JSON.stringify(fingerprints))
  return [
    deps.captures.encrypt(key, { account_id, transaction_id, kind: captureKind, media_type: 'application/json', content }).insertion,
  ]
}
