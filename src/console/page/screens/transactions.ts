import { addShortcut } from '../keyboard.ts'
import { listen, refreshIds } from '../live.ts'
import { loadAccounts } from '../parts/accounts.ts'
import { readFilters, transactionFilters } from '../parts/filters.ts'
import { heading, problem } from '../parts/notice.ts'
import { throttle } from '../parts/throttle.ts'
import { applyStep, hasEnded, transactionList } from '../parts/transactions.ts'
import type { ScreenContext } from '../screen.ts'

/** Finds transactions. Changes of those shown, and new ones, appear at once. */
export async function showTransactions({ query, show, setQuery, signal }: ScreenContext): Promise<void> {
  let wanted = query
  const list = transactionList({
    query: () => Object.fromEntries(wanted),
    signal,
    onRows: refreshIds,
    empty:
      'No transaction matches. Give the first eight characters of an id, or more; a reference or an external id exactly as it was sent.',
  })
  const form = transactionFilters(query, await loadAccounts(signal))
  const search = (): void => {
    wanted = readFilters(form)
    setQuery(wanted)
    list.reload().catch(error => {
      if (!signal.aborted) list.element.replaceChildren(problem(error, search))
    })
  }
  form.addEventListener('submit', event => {
    event.preventDefault()
    search()
  })
  form.addEventListener('reset', () => {
    for (const field of form.querySelectorAll('input')) field.setAttribute('value', '')
    for (const option of form.querySelectorAll('option')) option.removeAttribute('selected')
    // The form's fields are emptied only after the event.
    setTimeout(search)
  })
  for (const field of form.querySelectorAll('select')) field.addEventListener('change', search)
  addShortcut('/', 'Search', () => form.querySelector<HTMLElement>('[name=q]')?.focus(), signal)
  show(heading('Transactions'), form, list.element)
  const refresh = throttle(list.reload, signal)
  listen(
    {
      ids: () => list.rows().map(({ id }) => id),
      onStep(step) {
        if (step.actor_type !== 'transaction') return
        const isShown = list.update(step.id, row => applyStep(row, step))
        if (!isShown || hasEnded(step)) refresh()
      },
      onMissed: refresh,
    },
    signal,
  )
  await list.reload()
}
