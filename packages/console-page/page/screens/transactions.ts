import type { Query } from '../api.ts'
import { fill } from '../dom.ts'
import { addShortcut } from '../keyboard.ts'
import { refreshIdsSoon } from '../live.ts'
import { accountSelect } from '../parts/accounts.ts'
import { referencesField, transactionFilters } from '../parts/filters.ts'
import { onSubmit, readForm } from '../parts/form.ts'
import { heading } from '../parts/notice.ts'
import { createReferences } from '../parts/references.ts'
import { throttle } from '../parts/throttle.ts'
import { totalsLine } from '../parts/totals.ts'
import { followList, hasEnded, transactionList } from '../parts/transactions.ts'
import type { ScreenContext } from '../screen.ts'

/** Finds transactions. Changes of those shown, and new ones, appear at once. */
export async function showTransactions({ query, show, setQuery, signal, may }: ScreenContext): Promise<void> {
  let wanted = query
  const filters = (): Query => {
    const { [referencesField]: _, ...given } = Object.fromEntries(wanted)
    return given
  }
  const references = createReferences(signal)
  const showsReferences = (): boolean => may('reviewer') && wanted.has(referencesField)
  const createList = () =>
    transactionList({
      query: filters,
      signal,
      onRows: refreshIdsSoon,
      references: showsReferences() ? references : null,
      empty:
        'No transaction matches. Give the first eight characters of an id, or more; a reference or an external id exactly as it was sent.',
    })
  let list = createList()
  const totals = totalsLine(filters, signal)
  const form = transactionFilters(query, await accountSelect(query.get('account_id'), signal), may('reviewer'))
  // The list shows its own failure.
  const count = (): Promise<void> => totals.reload().catch(() => {})
  const search = (): void => {
    const hadReferences = showsReferences()
    wanted = readForm(form)
    setQuery(wanted)
    if (showsReferences() !== hadReferences) {
      const { element } = list
      list = createList()
      element.replaceWith(list.element)
    }
    fill(totals.element)
    void count()
    void list.reload()
  }
  onSubmit(form, search)
  form.addEventListener('reset', () => {
    for (const field of form.querySelectorAll('input:not([type=checkbox])')) field.setAttribute('value', '')
    form.querySelector('[type=checkbox]')?.removeAttribute('checked')
    for (const option of form.querySelectorAll('option')) option.removeAttribute('selected')
    // The form's fields are emptied only after the event.
    setTimeout(search)
  })
  for (const field of form.querySelectorAll('select, [type=checkbox]')) field.addEventListener('change', search)
  addShortcut('/', 'Search', () => form.querySelector<HTMLElement>('[name=q]')?.focus(), signal)
  show(heading('Transactions'), form, totals.element, list.element)
  const countNow = throttle(count, signal, 10_000)
  followList(
    () => list,
    (step, isShown) => !isShown || hasEnded(step),
    signal,
    countNow,
  )
  void count()
  await list.reload()
}
