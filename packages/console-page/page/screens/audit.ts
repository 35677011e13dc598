import { auditActions } from '../../../../src/database/words.ts'
import { apiUrl, get, screenPath } from '../api.ts'
import { type Child, el } from '../dom.ts'
import { any, field, filterBar, type Option, onSubmit, readForm, select, textField } from '../parts/form.ts'
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
  const names = operators.map(({ operator_id, name }): Option => [operator_id, name])
  const actions = auditActions.map((action): Option => [action, word('rule', action)])
  return filterBar(
    null,
    field('Operator', select('operator_id', [any, ...names], query.get('operator_id') ?? '')),
    field('Action', select('action', [any, ...actions], query.get('action') ?? '')),
    textField('About (id)', { name: 'subject_id', value: query.get('subject_id') }),
    el('button', { type: 'submit', class: 'primary' }, 'Search'),
    el('a', { class: 'button', href: apiUrl('/audit/export'), download: 'audit.jsonl' }, 'Export all'),
  )
}

/** Describes the last proof that nothing but the service changed the log and the journals. */
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

/** Shows the audit log: every act and every reading, with its author. */
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
  onSubmit(form, () => {
    wanted = readForm(form)
    setQuery(wanted)
    void list.reload()
  })
  show(heading('Audit log'), describeProof(proof), form, list.element)
  await list.reload()
}
