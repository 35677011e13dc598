import { change, screenPath, serviceUrl } from '../api.ts'
import { type Child, el, fill } from '../dom.ts'
import type { AccountSettings, AccountWithClients, Tried } from '../shapes.ts'
import { announce } from './announce.ts'
import { openDialog } from './dialog.ts'
import { button, buttons, field, type Option, onSubmit, select } from './form.ts'
import { problem } from './notice.ts'
import { qrCode } from './secret.ts'
import { wholeId } from './text.ts'

/** A form that changes settings of an account. */
function settingsForm(
  accountId: string,
  onDone: () => void,
  read: (data: FormData) => object,
  ...fields: readonly Child[]
) {
  const failure = el('div', {})
  const form = el(
    'form',
    { class: 'settings' },
    fields,
    failure,
    buttons(el('button', { type: 'submit', class: 'primary' }, 'Save')),
  )
  onSubmit(form, () => {
    fill(failure)
    change('PATCH', `/account/${accountId}/settings`, read(new FormData(form))).then(
      () => {
        announce('Saved')
        onDone()
      },
      (error: unknown) => fill(failure, problem(error)),
    )
  })
  return form
}

const shared = {
  on_document_of_another_customer: 'A document that another customer used',
  on_image_of_another_transaction: 'A picture from another customer’s transaction',
  on_face_of_another_customer: 'A face that another customer is enrolled with',
} as const

const actions: readonly Option[] = [
  ['IGNORE', 'Not looked for'],
  ['WARN', 'Warn'],
  ['REJECT', 'Reject'],
]

/** The things that customers may not share, where a transaction itself does not say. */
export function fraudForm(accountId: string, settings: AccountSettings, onDone: () => void): HTMLElement {
  const policy = settings.fraud_policy ?? settings.defaults.fraud_policy
  const names = Object.keys(shared) as (keyof typeof shared)[]
  return settingsForm(
    accountId,
    onDone,
    data => ({ fraud_policy: Object.fromEntries(names.map(name => [name, data.get(name)])) }),
    names.map(name => field(shared[name], select(name, actions, policy[name]))),
    el('p', { class: 'soft' }, 'For transactions that are opened from now on and name no policy of their own.'),
  )
}

/** The origins to which the account's webhooks may go. */
export function originsForm(accountId: string, settings: AccountSettings, onDone: () => void): HTMLElement {
  const lines = el('textarea', { name: 'origins', rows: 3, spellcheck: 'false', placeholder: 'https://shop.example' })
  lines.value = settings.webhook_origins?.join('\n') ?? ''
  return settingsForm(
    accountId,
    onDone,
    data => {
      const origins = String(data.get('origins'))
        .split(/\s+/)
        .filter(one => one !== '')
      return { webhook_origins: origins.length === 0 ? null : origins }
    },
    field('Origins that transactions may name, one a line', lines, 'Empty: any that the service allows'),
    el('p', {}, el('a', { href: screenPath(`/webhooks?account_id=${accountId}`) }, 'Deliveries by origin')),
  )
}

/** Opens a verification and shows how to take part in it. */
async function tryOut(accountId: string): Promise<void> {
  const { transaction_id, verify_url, qr } = await change<Tried>('POST', `/account/${accountId}/try`, {})
  const close = button('Close', () => dialog.close())
  const dialog = openDialog(
    'Verify yourself',
    el('p', {}, 'Scan the code with a phone, or open the link here. The transaction is a real one of this account.'),
    qrCode(qr, 'QR code with the link'),
    el('p', {}, el('a', { href: verify_url, target: '_blank', rel: 'noopener' }, 'Open the capture page')),
    el('p', {}, el('a', { href: screenPath(`/transactions/${transaction_id}`) }, 'Follow the transaction')),
    buttons(close),
  )
  dialog.addEventListener('click', event => {
    if (event.target instanceof HTMLAnchorElement && event.target.target === '') dialog.close()
  })
}

/** The way from a new account to its first result. */
export function nextSteps(account: AccountWithClients, settings: AccountSettings): HTMLElement {
  const failure = el('div', {})
  const [client] = account.clients.filter(({ revoked_at }) => revoked_at === null)
  const start = button(
    'Start a test verification',
    () => {
      fill(failure)
      tryOut(account.account_id).catch((error: unknown) => fill(failure, problem(error)))
    },
    settings.is_used ? {} : { kind: 'primary' },
  )
  return el(
    'div',
    {},
    settings.is_used
      ? null
      : el(
          'ol',
          { class: 'steps' },
          el('li', {}, 'Verify yourself with one press: a link for this browser, or a code for your phone. ', start),
          el(
            'li',
            {},
            'Give the integrator its client',
            client === undefined ? '' : [': ', wholeId(client.client_id, 'client id')],
            ' and the secret that was shown once. Without the secret, add a client below.',
          ),
          el(
            'li',
            {},
            'Begin with the ',
            el('a', { href: serviceUrl('guides/integrate/quickstart') }, 'quickstart'),
            ' and the ',
            el('a', { href: serviceUrl('docs') }, 'API reference'),
            '.',
          ),
          el('li', {}, 'Set how the capture page looks, below.'),
        ),
    settings.is_used ? buttons(start) : null,
    failure,
  )
}
