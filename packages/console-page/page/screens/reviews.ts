import { get, screenPath } from '../api.ts'
import { type Child, el } from '../dom.ts'
import { refreshIdsSoon } from '../live.ts'
import { referencesField, referencesToggle } from '../parts/filters.ts'
import { type PagedList, pagedList } from '../parts/list.ts'
import { heading, teach } from '../parts/notice.ts'
import { createReferences, showReferences } from '../parts/references.ts'
import { duration, shortId, time } from '../parts/text.ts'
import { followList, referenceColumn } from '../parts/transactions.ts'
import type { ScreenContext } from '../screen.ts'
import type { FoundTransaction, Page } from '../shapes.ts'
import { word } from '../words.ts'

/** The time that is left to decide; a deadline that is near has a colour. */
function due(at: string | null): Child {
  if (at === null) return null
  const left = Date.parse(at) - Date.now()
  return [
    time(at),
    el('small', { class: left < nearMs ? 'below near' : 'below' }, left > 0 ? `${duration(left)} left` : 'over'),
  ]
}

const nearMs = 12 * 3_600_000

function emptyQueue(isAdmin: boolean): Child {
  return teach(
    'Nothing awaits a review.',
    'Where an account has reviews on, what the rules leave undetermined comes here, with its reason and a deadline.',
    isAdmin ? el('a', { href: screenPath('/accounts') }, 'Switch reviews on for an account') : null,
  )
}

/** Transactions that the rules could not decide, the oldest first. */
export async function showReviews({ query, show, setQuery, signal, may, me }: ScreenContext): Promise<void> {
  const isReviewer = may('reviewer')
  const pathTo = (id: string): string => screenPath(`/${isReviewer ? 'reviews' : 'transactions'}/${id}`)
  const references = createReferences(signal)
  let isShown = isReviewer && query.has(referencesField)
  const createList = (): PagedList<FoundTransaction> => {
    const made: PagedList<FoundTransaction> = pagedList<FoundTransaction>({
      caption: 'Transactions that await a review, the oldest first',
      columns: [
        { name: 'Transaction', cell: ({ id }) => shortId(id, 'transaction id', pathTo(id)) },
        ...(isShown ? [referenceColumn(references)] : []),
        {
          name: 'Why',
          cell: ({ reason, transaction_type }) => [
            reason && el('span', { class: 'words', title: reason }, word('issue', reason)),
            el('small', { class: 'below' }, word('transaction_type', transaction_type)),
          ],
        },
        { name: 'Account', cell: ({ account_name }) => account_name },
        { name: 'Waits since', cell: ({ processing_at, created_at }) => time(processing_at ?? created_at) },
        {
          name: 'For',
          cell: ({ processing_at, created_at }) => duration(Date.now() - Date.parse(processing_at ?? created_at)),
        },
        { name: 'Decide by', cell: ({ review }) => review && due(review.due_at) },
        {
          name: 'Reviewer',
          cell: ({ review }) => (review?.reviewer?.operator_id === me.operator_id ? 'You' : review?.reviewer?.name),
        },
        { name: '', cell: ({ id }) => el('a', { class: 'button', href: pathTo(id) }, isReviewer ? 'Review' : 'Open') },
      ],
      empty: emptyQueue(may('admin')),
      rowId: ({ id }) => id,
      load: cursor =>
        get<Page<FoundTransaction>>('/transaction', { awaiting_review: 'true', limit: 25, cursor }, signal),
      onRows() {
        refreshIdsSoon()
        if (isShown) void showReferences(made, references, ({ id }) => id, signal)
      },
    })
    return made
  }
  let list = createList()
  const toggle = isReviewer && referencesToggle('Show references', isShown)
  if (toggle)
    toggle.addEventListener('change', () => {
      isShown = !isShown
      setQuery(new URLSearchParams(isShown ? { [referencesField]: 'shown' } : {}))
      const { element } = list
      list = createList()
      element.replaceWith(list.element)
      void list.reload()
    })
  const why = 'The rules came to no clear decision about these, and their account asks for a person’s.'
  show(heading('Reviews'), el('p', { class: 'soft' }, why), toggle, list.element)
  followList(
    () => list,
    ({ awaiting_review }, isListed) => awaiting_review !== isListed,
    signal,
  )
  const passing = setInterval(() => list.redraw(), 60_000)
  signal.addEventListener('abort', () => clearInterval(passing))
  await list.reload()
}
