import { decisions, issueCatalogue, transactionTypes } from '@attestor/rules/page'
import { statuses } from '../../../../machines/words.ts'
import { el, newId } from '../dom.ts'
import { icon } from '../icons.ts'
import { type Glossary, word } from '../words.ts'
import { any, buttons, field, type Option, select, textField } from './form.ts'

function words(glossary: Glossary, values: readonly string[]): readonly Option[] {
  return [any, ...values.map((value): Option => [value, word(glossary, value)])]
}

function text(name: string, label: string, value: string): HTMLElement {
  return textField(label, { name, value, maxlength: 255 })
}

function issueField(value: string): readonly HTMLElement[] {
  const id = newId('issues')
  const input = el('input', { name: 'issue', value, list: id, autocomplete: 'off', spellcheck: 'false' })
  const options = Object.entries(issueCatalogue).map(([code, { message }]) => el('option', { value: code }, message))
  return [field('Issue code', input), el('datalist', { id }, options)]
}

/** `2026-11-22T10:30` in the reader's zone, as `datetime-local` has it; empty for no time. */
function toLocal(iso: string): string {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function moment(name: string, label: string, value: string): HTMLElement {
  return field(label, el('input', { name, type: 'datetime-local', value: toLocal(value) }))
}

const more = [
  'reference',
  'external_customer_id',
  'customer_id',
  'transaction_type',
  'issue',
  'account_id',
  'created_from',
  'created_to',
]

const orders: readonly Option[] = [
  ['', 'Newest first'],
  ['oldest', 'Oldest first'],
  ['longest', 'Took longest first'],
  ['shortest', 'Took shortest first'],
]

/** The name of the field that shows references; it is no filter. */
export const referencesField = 'references'

/** Shows references to who may read them. */
export function referencesToggle(text: string, isShown: boolean): HTMLElement {
  return el(
    'label',
    { class: 'toggle' },
    el('input', { type: 'checkbox', name: referencesField, value: 'shown', checked: isShown }),
    el('span', {}, text),
    el('span', { class: 'soft' }, 'The audit log records each that you read.'),
  )
}

/** The search of transactions: one field for any id or reference, the filters below it. */
export function transactionFilters(
  query: URLSearchParams,
  account: HTMLElement,
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
      field('Status', select('status', words('status', statuses), at('status'))),
      field('Decision', select('decision', words('decision', decisions), at('decision'))),
      field('Order', select('order', orders, at('order'))),
      buttons(el('button', { type: 'submit', class: 'primary' }, 'Search'), el('button', { type: 'reset' }, 'Clear')),
    ]),
    mayReadReferences && referencesToggle('Show references', query.has(referencesField)),
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
        field('Account', account),
        field('Type', select('transaction_type', words('transaction_type', transactionTypes), at('transaction_type'))),
        issueField(at('issue')),
        moment('created_from', 'Created from', at('created_from')),
        moment('created_to', 'Created before', at('created_to')),
      ),
    ),
  )
}
