import { change, get, screenPath, serviceUrl } from '../api.ts'
import { el } from '../dom.ts'
import { addShortcut } from '../keyboard.ts'
import { refreshIdsSoon } from '../live.ts'
import { accountSelect } from '../parts/accounts.ts'
import { toned } from '../parts/badges.ts'
import { ask } from '../parts/dialog.ts'
import { duplicateList } from '../parts/duplicates.ts'
import { referencesField, referencesToggle } from '../parts/filters.ts'
import { button, field, filterBar, onSubmit, readForm, textField } from '../parts/form.ts'
import { type PagedList, pagedList } from '../parts/list.ts'
import { heading, section, teach } from '../parts/notice.ts'
import { customerPersonal } from '../parts/personal.ts'
import { createExternalIds, showReferences } from '../parts/references.ts'
import { facts, shorten, shortId, time, wholeId } from '../parts/text.ts'
import { followList, hasEnded, transactionList } from '../parts/transactions.ts'
import type { ScreenContext } from '../screen.ts'
import type { Customer, Duplicate, Page } from '../shapes.ts'

function enrolment({ is_enrolled }: Customer): HTMLElement {
  return is_enrolled ? toned('good', 'Enrolled') : toned('plain', 'Not enrolled')
}

export async function showCustomers({ query, show, setQuery, signal, may }: ScreenContext): Promise<void> {
  let wanted = query
  const externalIds = createExternalIds(signal)
  const showsIds = (): boolean => may('reviewer') && wanted.has(referencesField)
  const createList = (): PagedList<Customer> => {
    const isShown = showsIds()
    const made: PagedList<Customer> = pagedList<Customer>({
      caption: 'Customers',
      columns: [
        {
          name: 'Customer',
          cell: ({ customer_id: id }) => shortId(id, 'customer id', screenPath(`/customers/${id}`)),
        },
        ...(isShown
          ? [
              {
                name: 'External id',
                cell: ({ customer_id }: Customer) => el('span', { class: 'words' }, externalIds.find(customer_id)),
              },
            ]
          : []),
        { name: 'Account', cell: ({ account_name }) => account_name },
        { name: 'Face', isState: true, cell: enrolment },
        { name: 'Created', cell: ({ created_at }) => time(created_at) },
      ],
      empty: teach(
        'No customer matches.',
        'Your integrator registers each person once, by its own id of them. An external id must be exactly as it was sent.',
        el('a', { href: serviceUrl('guides/integrate/customers') }, 'About customers'),
      ),
      rowId: ({ customer_id }) => customer_id,
      load(cursor) {
        const { [referencesField]: _, ...given } = Object.fromEntries(wanted)
        return get<Page<Customer>>('/customer', { ...given, limit: 25, cursor }, signal)
      },
      onRows() {
        if (isShown) void showReferences(made, externalIds, ({ customer_id }) => customer_id, signal)
      },
    })
    return made
  }
  let list = createList()
  const form = filterBar(
    'search',
    textField('External customer id', {
      name: 'external_customer_id',
      type: 'search',
      value: query.get('external_customer_id'),
      maxlength: 255,
    }),
    field('Account', await accountSelect(query.get('account_id'), signal)),
    el('button', { type: 'submit', class: 'primary' }, 'Search'),
  )
  const toggle = may('reviewer') && referencesToggle('Show external ids', showsIds())
  if (toggle) form.append(toggle)
  const search = (): void => {
    const hadIds = showsIds()
    wanted = readForm(form)
    setQuery(wanted)
    if (showsIds() !== hadIds) {
      const { element } = list
      list = createList()
      element.replaceWith(list.element)
    }
    void list.reload()
  }
  onSubmit(form, search)
  if (toggle) toggle.addEventListener('change', search)
  addShortcut('/', 'Search', () => form.querySelector('input')?.focus(), signal)
  show(heading('Customers'), form, list.element)
  await list.reload()
}

function erase(id: string, onDone: () => void): void {
  ask({
    title: 'Erase this customer?',
    text: 'The customer, the enrolled face and every transaction with its pictures are deleted for good. A receipt stays.',
    button: 'Erase for good',
    typed: 'erase',
    isDanger: true,
    act: () => change('DELETE', `/customer/${id}`).then(onDone),
    done: 'Erased',
  })
}

export async function showCustomer({ params, show, setTitle, signal, may, go }: ScreenContext): Promise<void> {
  const [id = ''] = params
  const [customer, shared] = await Promise.all([
    get<Customer>(`/customer/${id}`, {}, signal),
    get<{ readonly data: readonly Duplicate[] }>(`/customer/${id}/duplicate`, {}, signal),
  ])
  const list = transactionList({
    query: () => ({ customer_id: id }),
    signal,
    onRows: refreshIdsSoon,
    empty: 'No transaction of this customer.',
  })
  setTitle(`Customer ${shorten(id)}`)
  const erasing = button('Erase', () => erase(id, () => go('/customers')), { kind: 'danger' })
  show(
    heading(['Customer ', el('span', { class: 'mono', title: id }, shorten(id))], may('admin') && erasing),
    section(
      'Facts',
      wholeId(id, 'customer id'),
      facts([
        ['Account', customer.account_name],
        ['Face', enrolment(customer)],
        ['Created', time(customer.created_at)],
      ]),
    ),
    may('reviewer') && section('Personal data', customerPersonal(id)),
    shared.data.length > 0 && section('Shared with other customers', duplicateList(shared.data, 'customer')),
    section('Transactions', list.element),
  )
  followList(
    () => list,
    (step, isShown) => isShown && hasEnded(step),
    signal,
  )
  await list.reload()
}
