import type { App } from '../app.ts'
import { el } from '../dom.ts'

/** People write telephone numbers in groups. */
function toRecipient(text: string): string {
  return text.includes('@') ? text.trim() : text.replace(/[\s().\u2010-\u2015-]/g, '').replace(/^00/, '+')
}

/** Sends the link with the code that is shown then to an e-mail address or a telephone number. */
export function showSendForm({ say, sendLink, announce }: App, readCode: () => string): HTMLElement {
  const recipient = el('input', {
    type: 'text',
    name: 'recipient',
    dir: 'ltr',
    class: 'link',
    required: true,
    maxlength: 254,
    autocapitalize: 'none',
    spellcheck: 'false',
    autocomplete: 'email',
    placeholder: say('handoff.recipient'),
    'aria-label': say('handoff.recipient'),
  })
  const sending = el('button', { class: 'secondary' }, say('handoff.deliver'))
  const outcome = el('p', { class: 'note', hidden: true })
  const send = async (): Promise<void> => {
    sending.disabled = true
    const text = await sendLink(readCode(), toRecipient(recipient.value)).then(
      () => say('handoff.sent'),
      () => say('handoff.unsent'),
    )
    sending.disabled = false
    outcome.hidden = false
    outcome.textContent = text
    announce(text)
  }
  const submit = (event: Event): void => {
    event.preventDefault()
    void send()
  }
  return el('form', { submit }, el('div', { class: 'copy' }, recipient, sending), outcome)
}
