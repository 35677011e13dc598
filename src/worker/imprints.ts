import type { FaceImprint } from '../analysis/port.ts'
import type { TableRow } from '../store/columns.ts'
import type { Statement } from '../store/statement.ts'
import type { TransactionRoom } from '../transactions/room.ts'

const kind = 'imprints'

/** Analysed transactions of a customer whose frames are compared with new ones: the newest. */
const most = 20

/** The frames' faces of the customer's earlier transactions, as far as they are kept. @throws {CaptureUnreadable} */
export const earlierImprints = async (
  room: TransactionRoom,
  key: Uint8Array,
  row: Pick<TableRow<'transactions'>, 'id' | 'account_id' | 'customer_id'>,
): Promise<readonly FaceImprint[]> => {
  const which = { customer_id: row.customer_id, transaction_id: row.id, kind, most }
  const held = await room.captures.earlier(key, which)
  return held.flatMap(content => JSON.parse(Buffer.from(content).toString('utf8')) as FaceImprint[])
}

/** Keeps a transaction's frames' faces for the customer's next ones, beside its images and as long as they. */
export const keepImprints = (
  room: TransactionRoom,
  key: Uint8Array,
  row: Pick<TableRow<'transactions'>, 'id' | 'account_id' | 'customer_id'>,
  imprints: readonly FaceImprint[] = [],
): readonly Statement[] => {
  if (imprints.length === 0) return []
  const [account_id, transaction_id] = [row.account_id, row.id]
  const content = Buffer.from(JSON.stringify(imprints))
  return [
    room.captures.seal(key, { account_id, transaction_id, kind, media_type: 'application/json', content }).insertion,
  ]
}
