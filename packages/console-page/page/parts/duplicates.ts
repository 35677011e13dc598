import { screenPath } from '../api.ts'
import type { Child } from '../dom.ts'
import type { Duplicate } from '../shapes.ts'
import { word } from '../words.ts'
import { type Column, table } from './table.ts'
import { shortId, time } from './text.ts'

const columns: readonly Column<Duplicate>[] = [
  { name: 'Shared', cell: ({ kind }) => word('duplicate', kind) },
  {
    name: 'Other transaction',
    cell: ({ other_transaction_id: id }) => shortId(id, 'transaction id', screenPath(`/transactions/${id}`)),
  },
  {
    name: 'Other customer',
    cell: ({ other_customer_id: id }) => shortId(id, 'customer id', screenPath(`/customers/${id}`)),
  },
  { name: 'Found', cell: ({ found_at }) => time(found_at) },
]

const ownTransaction: Column<Duplicate> = {
  name: 'Transaction',
  cell: ({ transaction_id: id }) => shortId(id, 'transaction id', screenPath(`/transactions/${id}`)),
}

/** Lists the data that a transaction, or a customer with several, shares with other customers of the account. */
export function duplicateList(rows: readonly Duplicate[], of: 'transaction' | 'customer'): Child {
  return table(rows, {
    caption: 'Shared with other customers',
    columns: of === 'customer' ? [...columns, ownTransaction] : columns,
    empty: 'Nothing is shared with another customer.',
  })
}
