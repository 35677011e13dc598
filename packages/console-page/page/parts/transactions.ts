import { get, type Query, screenPath } from '../api.ts'
import { el } from '../dom.ts'
import { listen } from '../live.ts'
import type { FoundTransaction, LiveStep, Page } from '../shapes.ts'
import { word } from '../words.ts'
import { outcomeBadge } from './badges.ts'
import { type PagedList, pagedList } from './list.ts'
import { type Reference, type References, showReferences } from './references.ts'
import type { Column, Nothing, ShownBy } from './table.ts'
import { duration, shortId, time } from './text.ts'
import { throttle } from './throttle.ts'

type Of<K extends keyof FoundTransaction> = Pick<FoundTransaction, K>

/** Time from the beginning of the capture to the end. */
function took({ initiated_at, finished_at }: Of<'initiated_at' | 'finished_at'>): HTMLElement | null {
  if (initiated_at === null || finished_at === null) return null
  return el('span', { class: 'nowrap' }, duration(Date.parse(finished_at) - Date.parse(initiated_at)))
}

/** A line below the content of a cell. */
function below(text: string): HTMLElement {
  return el('small', { class: 'below' }, text)
}

/** The integrator’s reference, and its id of the customer. */
export function referenceColumn(references: References<Reference>): Column<FoundTransaction> {
  return {
    name: 'Reference',
    cell({ id }) {
      const { reference = null, external_customer_id = '' } = references.find(id) ?? {}
      return [el('span', { class: 'words' }, reference), below(external_customer_id)]
    },
  }
}

const columns = [
  {
    name: 'Transaction',
    cell: ({ id, transaction_type }: Of<'id' | 'transaction_type'>) => [
      shortId(id, 'transaction id', screenPath(`/transactions/${id}`)),
      below(word('transaction_type', transaction_type)),
    ],
  },
  { name: 'Outcome', isState: true, cell: outcomeBadge },
  {
    name: 'Reason',
    cell: ({ reason }: Of<'reason'>) => reason && el('span', { class: 'words', title: reason }, word('issue', reason)),
  },
  { name: 'Country', cell: ({ country }: Of<'country'>) => country },
  {
    name: 'Customer',
    cell: ({ customer_id, account_name }: Of<'customer_id' | 'account_name'>) => [
      shortId(customer_id, 'customer id', screenPath(`/customers/${customer_id}`)),
      below(account_name),
    ],
  },
  { name: 'Created', cell: ({ created_at }: Of<'created_at'>) => time(created_at) },
  { name: 'Took', cell: took },
] as const satisfies readonly Column<FoundTransaction>[]

/** The reviews show these beside the others, and a transaction's own screen. */
type ShownElsewhere = 'account_id' | 'completed_at' | 'processing_at' | 'review'

/** Types want each member of the reply in a column. */
export type Unshown = Nothing<Exclude<keyof FoundTransaction, ShownBy<(typeof columns)[number]> | ShownElsewhere>>

export interface FoundOptions {
  readonly query: () => Query
  readonly signal: AbortSignal
  readonly empty: string
  readonly onRows?: () => void
  /** The references are shown if they are given. */
  readonly references?: References<Reference> | null
}

/** Transactions that are found by a query. */
export function transactionList({
  query,
  signal,
  empty,
  onRows = () => {},
  references = null,
}: FoundOptions): PagedList<FoundTransaction> {
  const [id, ...others] = columns
  const list: PagedList<FoundTransaction> = pagedList<FoundTransaction>({
    caption: 'Transactions',
    columns: references === null || id === undefined ? columns : [id, referenceColumn(references), ...others],
    onRows() {
      onRows()
      if (references !== null) void showReferences(list, references, ({ id }) => id, signal)
    },
    empty: el('span', {}, empty),
    rowId: ({ id }) => id,
    load: cursor => get<Page<FoundTransaction>>('/transaction', { ...query(), limit: 25, cursor }, signal),
  })
  return list
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

/** Whether a transaction has ended. A step that ended it doesn't say why, nor when: the list is read again. */
export function hasEnded({ status }: Pick<FoundTransaction | LiveStep, 'status'>): boolean {
  return ['FINISHED', 'FAILED', 'EXPIRED'].includes(status)
}

/** Keeps a list of transactions as they are now. Rows of which `isStale` says so at a step are read again. */
export function followList(
  list: () => PagedList<FoundTransaction>,
  isStale: (step: LiveStep, isShown: boolean) => boolean,
  signal: AbortSignal,
  onRefresh: () => void = () => {},
): void {
  const stale = new Set<string>()
  const refresh = throttle(async () => {
    onRefresh()
    const ids = [...stale]
    stale.clear()
    await list().refresh(ids)
  }, signal)
  /** A stream follows a hundred at most: those that will change. */
  const listIds = (): readonly string[] =>
    list()
      .rows()
      .filter(row => !hasEnded(row))
      .map(({ id }) => id)
  const onStep = (step: LiveStep): void => {
    if (step.actor_type !== 'transaction') return
    const isShown = list().update(step.id, row => applyStep(row, step))
    if (!isStale(step, isShown)) return
    stale.add(step.id)
    refresh()
  }
  const onMissed = (): void => {
    for (const id of listIds()) stale.add(id)
    refresh()
  }
  listen({ ids: listIds, onStep, onMissed }, signal)
}
