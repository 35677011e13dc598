import { apiUrl, change, screenPath } from '../api.ts'
import { type Child, el } from '../dom.ts'
import { icon } from '../icons.ts'
import type { TransactionRecord } from '../shapes.ts'
import { announce } from './announce.ts'
import { ask } from './dialog.ts'

function cancel(id: string, onDone: () => void): void {
  ask({
    title: 'Cancel this transaction?',
    text: 'It ends as failed, at once and for good. The person must begin again with a new transaction.',
    button: 'Cancel the transaction',
    isDanger: true,
    async act() {
      await change('POST', `/transaction/${id}/cancel`, {})
      announce('Cancelled')
      onDone()
    },
  })
}

function erase(id: string, onDone: () => void): void {
  ask({
    title: 'Erase this transaction?',
    text: 'Its pictures, its result and all personal data are deleted for good. Its timeline and a receipt stay.',
    button: 'Erase for good',
    typed: 'erase',
    isDanger: true,
    async act() {
      await change('DELETE', `/transaction/${id}`)
      announce('Erased')
      onDone()
    },
  })
}

/** What may be done with a transaction now, by role and state. */
export function actionButtons({ id, actions }: TransactionRecord, onDone: () => void): Child {
  return [
    actions.review && el('a', { class: 'button primary', href: screenPath(`/reviews/${id}`) }, 'Review'),
    actions.export_evidence &&
      el(
        'a',
        { class: 'button', href: apiUrl(`/transaction/${id}/evidence`), download: '' },
        icon('download'),
        'Evidence',
      ),
    actions.cancel && el('button', { type: 'button', onclick: () => cancel(id, onDone) }, 'Cancel'),
    actions.erase && el('button', { type: 'button', class: 'danger', onclick: () => erase(id, onDone) }, 'Erase'),
  ]
}
