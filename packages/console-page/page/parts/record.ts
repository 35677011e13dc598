import { screenPath } from '../api.ts'
import { type Child, el } from '../dom.ts'
import type { TransactionRecord } from '../shapes.ts'
import { word } from '../words.ts'
import { actionButtons } from './actions.ts'
import { outcomeBadge } from './badges.ts'
import { captureGallery } from './capture_gallery.ts'
import { deliveryList } from './deliveries.ts'
import { duplicateList } from './duplicates.ts'
import { slot } from './follow.ts'
import { section } from './notice.ts'
import { transactionPersonal } from './personal.ts'
import { rulesTable } from './rules.ts'
import { facts, shorten, shortId, time, wholeId } from './text.ts'
import { verdict } from './verdict.ts'

function transactionFacts(record: TransactionRecord): HTMLElement {
  return facts([
    ['Type', word('transaction_type', record.transaction_type)],
    ['Customer', shortId(record.customer_id, 'customer id', screenPath(`/customers/${record.customer_id}`))],
    ['Account', `${record.account_name}${record.account_mode === 'test' ? ' (test)' : ''}`],
    ['Created', time(record.created_at)],
    ['Capture began', record.initiated_at && time(record.initiated_at)],
    ['Captured', record.completed_at && time(record.completed_at)],
    ['Analysis began', record.processing_at && time(record.processing_at)],
    ['Ended', record.finished_at && time(record.finished_at)],
    ['Expires', ['CREATED', 'INITIATED'].includes(record.status) && time(record.expires_at)],
    ['Erasure', record.erasure_id !== null && shortId(record.erasure_id, 'erasure id')],
  ])
}

function group(...content: readonly Child[]): HTMLElement {
  return el('div', { class: 'contents' }, content)
}

/** A part of the screen: the data of the record that it shows, and how. */
function part<T>(pick: (record: TransactionRecord) => T, make: (data: T) => Node) {
  const element = el('div', { class: 'contents' })
  const fillSlot = slot(element, make)
  return { element, render: (record: TransactionRecord) => fillSlot(pick(record)) }
}

/** Pictures, webhooks and the chart change by themselves: the other parts need not be rebuilt. */
function withoutParts(record: TransactionRecord): TransactionRecord {
  return {
    ...record,
    captures: [],
    deliveries: [],
    states: [],
    version: 0,
  }
}

/** The heading of a screen about one transaction, with its outcome. */
export function recordHeading(name: string, id: string, outcome: HTMLElement, ...actions: readonly Child[]) {
  return el(
    'header',
    { class: 'head' },
    el('h1', { tabindex: -1 }, `${name} `, el('span', { class: 'mono', title: id }, shorten(id))),
    outcome,
    el('div', { class: 'actions' }, actions),
  )
}

export interface RecordOptions {
  readonly id: string
  /** Called after an action: the record must be loaded again. */
  readonly onChange: () => void
  /** Whether the pictures are shown at once. */
  readonly showsPictures: boolean
}

/** The parts of a transaction's screen. Each is rebuilt only when its data has changed. */
export function recordParts({ id, onChange, showsPictures }: RecordOptions) {
  const gallery = captureGallery(id, showsPictures)
  const parts = {
    outcome: part(({ status, decision, awaiting_review }) => ({ status, decision, awaiting_review }), outcomeBadge),
    actions: part(withoutParts, record => group(actionButtons(record, onChange))),
    verdict: part(withoutParts, verdict),
    rules: part(
      ({ explanation }) => explanation,
      explanation => (explanation.rules.length === 0 ? group() : section('Checks', rulesTable(explanation))),
    ),
    duplicates: part(
      ({ duplicates }) => duplicates,
      shared =>
        shared.length === 0 ? group() : section('Shared with other customers', duplicateList(shared, 'transaction')),
    ),
    captures: {
      element: group(section('Pictures', gallery.element)),
      render: ({ captures, explanation, actions }: TransactionRecord) =>
        gallery.render({ captures, explanation, mayRead: actions.read_captures }),
    },
    personal: part(
      ({ actions }) => actions.read_personal,
      mayRead => (mayRead ? section('Personal data', transactionPersonal(id)) : group()),
    ),
    deliveries: part(
      record => ({ ...withoutParts(record), deliveries: record.deliveries }),
      record => section('Webhooks', deliveryList(record, onChange)),
    ),
    facts: part(withoutParts, record => section('Facts', wholeId(id, 'transaction id'), transactionFacts(record))),
  }
  return {
    parts,
    render(record: TransactionRecord): void {
      for (const { render } of Object.values(parts)) render(record)
    },
  }
}
