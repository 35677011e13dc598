import { apiUrl, change, screenPath } from '../api.ts'
import { type Child, el } from '../dom.ts'
import { icon } from '../icons.ts'
import type { TransactionRecord } from '../shapes.ts'
import { ask } from './dialog.ts'
import { button } from './form.ts'

function cancel(id: string, onDone: () => void): void {
  ask({
    title: 'Cancel this transaction?',
    text: 'It ends as failed, at once and for good. The person must begin again with a new transaction.',
    button: 'Cancel the transaction',
    isDanger: true,
    act: () => change('POST', `/transaction/${id}/cancel`, {}).then(onDone),
    done: 'Cancelled',
  })
}

function erase(id: string, onDone: () => void): void {
  ask({
    title: 'Erase this transaction?',
    text: 'Its pictures, its result and all personal data are deleted for good. Its timeline and a receipt stay.',
    button: 'Erase for good',
    typed: 'erase',
    isDanger: true,
    act: () => change('DELETE', `/transaction/${id}`).then(onDone),
    done: 'Erased',
  })
}

/** Returns the buttons of the actions that a transaction allows now, by role and state. */
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
    actions.cancel && button('Cancel', () => cancel(id, onDone)),
    actions.erase && button('Erase', () => erase(id, onDone), { kind: 'danger' }),
  ]
}
