import { change } from '../api.ts'
import { el, fill } from '../dom.ts'
import type { Delivery, TransactionRecord } from '../shapes.ts'
import { word } from '../words.ts'
import { announce } from './announce.ts'
import { badge } from './badges.ts'
import { button } from './form.ts'
import { notice, problem } from './notice.ts'
import { table } from './table.ts'
import { exactTime, networkAddress, shortId, time } from './text.ts'

type Attempt = Delivery['attempts'][number]

const outcomes = { delivered: 'Delivered', failed: 'Failed', gone: 'Refused for good' } as const

function describeAttempt({ outcome, http_status, error }: Attempt): string {
  return [outcomes[outcome], http_status === null ? null : `HTTP ${http_status}`, error]
    .filter(part => part !== null && part !== `answered ${http_status}`)
    .join(', ')
}

function attemptsTable(attempts: readonly Attempt[]): HTMLElement {
  return table(attempts, {
    caption: 'Attempts',
    columns: [
      { name: 'Attempt', cell: ({ attempt }) => attempt },
      { name: 'Started', cell: ({ started_at }) => exactTime(started_at) },
      { name: 'Result', cell: describeAttempt },
      { name: 'Took', cell: ({ duration_ms }) => el('span', { class: 'nowrap' }, `${duration_ms} ms`), isNumber: true },
      { name: 'Address', cell: ({ address }) => networkAddress(address) },
    ],
    empty: 'No attempt yet.',
  })
}

function isOver({ state }: Delivery): boolean {
  return ['DELIVERED', 'EXHAUSTED', 'GONE', 'BACKING_OFF', 'DELAYED'].includes(state)
}

function redeliverButton(id: string, delivery: Delivery, onSent: () => void): HTMLElement {
  const failure = el('span', { class: 'failure', role: 'alert' })
  const again = button('Send again', () => {
    again.disabled = true
    fill(failure)
    change('POST', `/transaction/${id}/delivery/${delivery.delivery_id}/redeliver`, {})
      .then(() => {
        announce('It will be sent again')
        onSent()
      })
      .catch((error: unknown) => fill(failure, problem(error)))
      .finally(() => {
        again.disabled = false
      })
  })
  return el('div', { class: 'buttons', 'data-whole': true }, failure, again)
}

function waiting(delivery: Delivery) {
  if (delivery.origin_paused_at !== null)
    return notice('Webhooks to this origin are paused since ', time(delivery.origin_paused_at), '.')
  if (delivery.next_attempt_at !== null) return el('p', {}, 'Next attempt: ', time(delivery.next_attempt_at))
  return null
}

function item(record: TransactionRecord, delivery: Delivery, onSent: () => void): HTMLElement {
  const { attempts, origin, status, state, delivery_id } = delivery
  const count = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`
  return el(
    'li',
    {},
    el(
      'details',
      { 'data-id': delivery_id },
      el(
        'summary',
        {},
        el('span', { class: 'name' }, word('status', status)),
        badge('delivery', state),
        el('span', { class: 'soft' }, `${count}, ${origin}`),
      ),
      waiting(delivery),
      el(
        'p',
        {},
        'Delivery ',
        shortId(delivery_id, 'delivery id'),
        ' of event ',
        shortId(delivery.event_id, 'event id'),
      ),
      attemptsTable(attempts),
      record.actions.redeliver && isOver(delivery) && redeliverButton(record.id, delivery, onSent),
    ),
  )
}

/** The webhooks of a transaction, each with its attempts. */
export function deliveryList(record: TransactionRecord, onSent: () => void): HTMLElement {
  if (record.deliveries.length === 0)
    return el('p', { class: 'empty' }, 'No webhook was asked for, or none was due yet.')
  return el(
    'ul',
    { class: 'deliveries' },
    record.deliveries.map(delivery => item(record, delivery, onSent)),
  )
}
