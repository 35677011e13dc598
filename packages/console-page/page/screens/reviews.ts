import { get, screenPath } from '../api.ts'
import { el } from '../dom.ts'
import { refreshIds } from '../live.ts'
import { pagedList } from '../parts/list.ts'
import { heading } from '../parts/notice.ts'
import { duration, shortId, time } from '../parts/text.ts'
import { followList } from '../parts/transactions.ts'
import type { ScreenContext } from '../screen.ts'
import type { FoundTransaction, Page } from '../shapes.ts'
import { word } from '../words.ts'

/** Transactions that the rules could not decide, the oldest first. */
export async function showReviews({ show, signal, may }: ScreenContext): Promise<void> {
  const isReviewer = may('reviewer')
  const pathTo = (id: string): string => screenPath(`/${isReviewer ? 'reviews' : 'transactions'}/${id}`)
  const list = pagedList<FoundTransaction>({
    caption: 'Transactions that await a review, the oldest first',
    columns: [
      { name: 'Transaction', cell: ({ id }) => shortId(id, 'transaction id', pathTo(id)) },
      { name: 'Type', cell: ({ transaction_type }) => word('transaction_type', transaction_type) },
      { name: 'Account', cell: ({ account_name }) => account_name },
      { name: 'Waits since', cell: ({ processing_at, created_at }) => time(processing_at ?? created_at) },
      {
        name: 'For',
        cell: ({ processing_at, created_at }) => duration(Date.now() - Date.parse(processing_at ?? created_at)),
      },
      { name: '', cell: ({ id }) => el('a', { class: 'button', href: pathTo(id) }, isReviewer ? 'Review' : 'Open') },
    ],
    empty: 'Nothing awaits a review.',
    rowId: ({ id }) => id,
    load: cursor => get<Page<FoundTransaction>>('/transaction', { awaiting_review: 'true', limit: 25, cursor }, signal),
    onRows: refreshIds,
  })
  const why = 'The rules came to no clear decision about these, and their account asks for a person’s.'
  show(heading('Reviews'), el('p', { class: 'soft' }, why), list.element)
  followList(
    () => list,
    ({ awaiting_review }, isShown) => awaiting_review !== isShown,
    signal,
  )
  await list.reload()
}
