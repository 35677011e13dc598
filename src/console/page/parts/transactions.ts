import { get, type Query, screenPath } from '../api.ts'
import { el } from '../dom.ts'
import type { FoundTransaction, LiveStep, Page } from '../shapes.ts'
import { word } from '../words.ts'
import { outcomeBadge } from './badges.ts'
import { type PagedList, pagedList } from './list.ts'
import type { Column } from './table.ts'
import { duration, shortId, time } from './text.ts'

/** From the beginning of the capture to the end. */
function took({ initiated_at, finished_at }: FoundTransaction): string | null {
  return initiated_at && finished_at && duration(Date.parse(finished_at) - Date.parse(initiated_at))
}

const columns: readonly Column<FoundTransaction>[] = [
  {
    name: 'Transaction',
    cell: ({ id }) => shortId(id, 'transaction id', screenPath(`/transactions/${id}`)),
  },
  { name: 'Outcome', isState: true, cell: outcomeBadge },
  { name: 'Reason', cell: ({ reason }) => reason && el('span', { title: reason }, word('issue', reason)) },
  { name: 'Country', cell: ({ country }) => country },
  { name: 'Type', cell: ({ transaction_type }) => word('transaction_type', transaction_type) },
  {
    name: 'Customer',
    cell: ({ customer_id }) => shortId(customer_id, 'customer id', screenPath(`/customers/${customer_id}`)),
  },
  { name: 'Account', cell: ({ account_name }) => account_name },
  { name: 'Created', cell: ({ created_at }) => time(created_at) },
  { name: 'Took', cell: took },
]

export interface FoundOptions {
  readonly query: () => Query
  readonly signal: AbortSignal
  readonly empty: string
  readonly onRows?: () => void
}

/** Transactions that are found by a query, the newest first. */
export function transactionList({
  query,
  signal,
  empty,
  onRows = () => {},
}: FoundOptions): PagedList<FoundTransaction> {
  return pagedList<FoundTransaction>({
    caption: 'Transactions',
    columns,
    onRows,
    empty: el('span', {}, empty),
    rowId: ({ id }) => id,
    load: cursor => get<Page<FoundTransaction>>('/transaction', { ...query(), limit: 25, cursor }, signal),
  })
}

/** Updates a row by a step. */
export function applyStep<T extends Pick<FoundTransaction, 'status' | 'decision' | 'awaiting_review'>>(
  row: T,
  step: LiveStep,
): T {
  return {
    ...row,
    status: step.status as FoundTransaction['status'],
    decision: step.decision,
    awaiting_review: step.awaiting_review,
  }
}

/** Whether a step ended its transaction. It doesn't say why, nor when: the list is read again. */
export function hasEnded({ status }: LiveStep): boolean {
  return ['FINISHED', 'FAILED', 'EXPIRED'].includes(status)
}
