import { decisions, statuses, transactionTypes } from '../../../../machines/words.ts'
import { issueCatalogue } from '../../../decision/issues.ts'
import { type Child, el, newId } from '../dom.ts'
import { icon } from '../icons.ts'
import type { Account } from '../shapes.ts'
import { type Glossary, word } from '../words.ts'
import { accountOptions } from './accounts.ts'

function labelled(label: string, control: HTMLElement): HTMLElement {
  return el('label', {}, el('span', {}, label), control)
}

function select(name: string, label: string, options: readonly Child[]): HTMLElement {
  return labelled(label, el('select', { name }, options))
}

function wordOptions(glossary: Glossary, values: readonly string[], chosen: string): readonly HTMLElement[] {
  return [
    el('option', { value: '' }, 'Any'),
    ...values.map(value => el('option', { value, selected: value === chosen }, word(glossary, value))),
  ]
}

function text(name: string, label: string, value: string): HTMLElement {
  return labelled(label, el('input', { name, value, autocomplete: 'off', spellcheck: 'false', maxlength: 255 }))
}

function issueField(value: string): readonly HTMLElement[] {
  const id = newId('issues')
  const input = el('input', { name: 'issue', value, list: id, autocomplete: 'off', spellcheck: 'false' })
  const options = Object.entries(issueCatalogue).map(([code, { message }]) => el('option', { value: code }, message))
  return [labelled('Issue code', input), el('datalist', { id }, options)]
}

/** `2026-11-22T10:30` in the reader's zone, as `datetime-local` has it; empty for no time. */
function toLocal(iso: string): string {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function moment(name: string, label: string, value: string): HTMLElement {
  return labelled(label, el('input', { name, type: 'datetime-local', value: toLocal(value) }))
}

const times = ['created_from', 'created_to']

/** The form's fields, without empty ones. */
export function readFilters(form: HTMLFormElement): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of new FormData(form)) {
    const given = String(value).trim()
    if (given !== '') query.set(name, times.includes(name) ? new Date(given).toISOString() : given)
  }
  return query
}

const more = ['reference', 'external_customer_id', 'customer_id', 'transaction_type', 'issue', 'account_id', ...times]

const sortings = {
  oldest: 'Oldest first',
  longest: 'Took longest first',
  shortest: 'Took shortest first',
}

/** The name of the field that shows references; it is no filter. */
export const referencesField = 'references'

/** The search of transactions: one field for any id or reference, the filters below it. */
export function transactionFilters(
  query: URLSearchParams,
  accounts: readonly Account[],
  mayReadReferences: boolean,
): HTMLFormElement {
  const at = (name: string): string => query.get(name) ?? ''
  const search = el('input', {
    name: 'q',
    type: 'search',
    value: at('q'),
    autocomplete: 'off',
    spellcheck: 'false',
    maxlength: 255,
    placeholder: 'Transaction, customer or reference',
    'aria-label': 'Search by id, customer or reference',
  })
  return el(
    'form',
    { class: 'filters', role: 'search' },
    el('div', { class: 'quick' }, el('div', { class: 'search' }, icon('search'), search), [
      select('status', 'Status', wordOptions('status', statuses, at('status'))),
      select('decision', 'Decision', wordOptions('decision', decisions, at('decision'))),
      select('order', 'Order', [
        el('option', { value: '' }, 'Newest first'),
        Object.entries(sortings).map(([value, name]) => el('option', { value, selected: at('order') === value }, name)),
      ]),
      el(
        'div',
        { class: 'buttons' },
        el('button', { type: 'submit', class: 'primary' }, 'Search'),
        el('button', { type: 'reset' }, 'Clear'),
      ),
    ]),
    mayReadReferences &&
      el(
        'label',
        { class: 'toggle' },
        el('input', { type: 'checkbox', name: referencesField, value: 'shown', checked: query.has(referencesField) }),
        el('span', {}, 'Show references'),
        el('span', { class: 'soft' }, 'The audit log records each that you read.'),
      ),
    el(
      'details',
      { open: more.some(name => query.has(name)) },
      el('summary', {}, 'More filters'),
      el(
        'div',
        { class: 'fields' },
        text('reference', 'Reference', at('reference')),
        text('external_customer_id', 'External customer id', at('external_customer_id')),
        text('customer_id', 'Customer id', at('customer_id')),
        select('account_id', 'Account', accountOptions(accounts, at('account_id'))),
        select('transaction_type', 'Type', wordOptions('transaction_type', transactionTypes, at('transaction_type'))),
        issueField(at('issue')),
        moment('created_from', 'Created from', at('created_from')),
        moment('created_to', 'Created before', at('created_to')),
      ),
    ),
  )
}
