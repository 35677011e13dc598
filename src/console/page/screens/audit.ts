import { auditActions } from '../../../database/words.ts'
import { apiUrl, get, screenPath } from '../api.ts'
import { type Child, el } from '../dom.ts'
import { readFilters } from '../parts/filters.ts'
import { pagedList } from '../parts/list.ts'
import { heading } from '../parts/notice.ts'
import { exactTime, networkAddress, shortId } from '../parts/text.ts'
import type { ScreenContext } from '../screen.ts'
import type { AuditEntry, Operator, Page, Proof } from '../shapes.ts'
import { word } from '../words.ts'

const screens: Readonly<Record<string, string>> = {
  transaction: '/transactions',
  customer: '/customers',
  account: '/accounts',
}

function showSubject({ subject }: AuditEntry): Child {
  if (subject === null) return '–'
  const screen = screens[subject.type]
  const href = screen === undefined ? null : screenPath(`${screen}/${subject.id}`)
  return [word('rule', subject.type), ' ', shortId(subject.id, `${subject.type} id`, href)]
}

function showAuthor({ operator_name, client_id, address }: AuditEntry): Child {
  if (operator_name !== null) return operator_name
  if (client_id !== null) return ['Client ', shortId(client_id, 'client id')]
  return { command_line: 'Command line', service: 'The service' }[address] ?? '–'
}

function formatDetails({ details }: AuditEntry): string {
  return Object.entries(details)
    .map(([name, value]) => `${word('rule', name).toLowerCase()}: ${value}`)
    .join(', ')
}

function createFilters(query: URLSearchParams, operators: readonly Operator[]): HTMLFormElement {
  const chosen = (name: string, value: string): boolean => query.get(name) === value
  return el(
    'form',
    { class: 'filters' },
    el(
      'div',
      { class: 'quick' },
      el(
        'label',
        {},
        el('span', {}, 'Operator'),
        el(
          'select',
          { name: 'operator_id' },
          el('option', { value: '' }, 'Any'),
          operators.map(({ operator_id: value, name }) =>
            el('option', { value, selected: chosen('operator_id', value) }, name),
          ),
        ),
      ),
      el(
        'label',
        {},
        el('span', {}, 'Action'),
        el(
          'select',
          { name: 'action' },
          el('option', { value: '' }, 'Any'),
          auditActions.map(value => el('option', { value, selected: chosen('action', value) }, word('rule', value))),
        ),
      ),
      el(
        'label',
        {},
        el('span', {}, 'About (id)'),
        el('input', {
          name: 'subject_id',
          value: query.get('subject_id') ?? '',
          autocomplete: 'off',
          spellcheck: 'false',
        }),
      ),
      el('button', { type: 'submit', class: 'primary' }, 'Search'),
      el('a', { class: 'button', href: apiUrl('/audit/export'), download: 'audit.jsonl' }, 'Export all'),
    ),
  )
}

/** When it was last proven that nothing but the service changed the log and the journals. */
function describeProof(proof: Proof): Child {
  if (proof === null) return el('p', {}, 'Not proven yet: the next start of a node and attestor doctor do it.')
  const { at, is_whole, entries, transactions, broken } = proof
  const which = `${is_whole ? 'all' : 'the latest'} ${entries} entries and ${transactions} journals`
  if (broken.length === 0) return el('p', {}, 'Last proven ', exactTime(at), `: ${which} are as they were written.`)
  const lines = broken.map(message => el('li', {}, message))
  return el(
    'div',
    { class: 'failure', role: 'alert' },
    el('p', {}, 'Proven ', exactTime(at), `: of ${which} something was changed by something else than the service.`),
    el('ul', {}, lines),
  )
}

/** Who did what and looked at what. */
export async function showAudit({ query, show, setQuery, signal }: ScreenContext): Promise<void> {
  let wanted = query
  const { data: operators } = await get<{ data: Operator[] }>('/operator', {}, signal)
  const { proof } = await get<{ proof: Proof }>('/audit/proof', {}, signal)
  const list = pagedList<AuditEntry>({
    caption: 'What operators and clients did and looked at',
    columns: [
      { name: 'Time', cell: ({ occurred_at }) => exactTime(occurred_at) },
      { name: 'Who', cell: showAuthor },
      { name: 'Action', cell: ({ action }) => word('rule', action) },
      { name: 'About', cell: showSubject },
      { name: 'Details', cell: formatDetails },
      { name: 'Address', cell: ({ address }) => networkAddress(/[.:]/.test(address) ? address : null) },
    ],
    empty: 'Nothing of this kind happened.',
    rowId: ({ sequence }) => String(sequence),
    load: cursor => get<Page<AuditEntry>>('/audit', { ...Object.fromEntries(wanted), limit: 50, cursor }, signal),
  })
  const form = createFilters(query, operators)
  form.addEventListener('submit', event => {
    event.preventDefault()
    wanted = readFilters(form)
    setQuery(wanted)
    void list.reload()
  })
  show(heading('Audit log'), describeProof(proof), form, list.element)
  await list.reload()
}
