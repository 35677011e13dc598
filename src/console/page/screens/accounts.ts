import { change, get, screenPath } from '../api.ts'
import { el } from '../dom.ts'
import { toned } from '../parts/badges.ts'
import { ask } from '../parts/dialog.ts'
import { heading } from '../parts/notice.ts'
import { reloading } from '../parts/reload.ts'
import { showSecret } from '../parts/secret.ts'
import { table } from '../parts/table.ts'
import { facts, time, wholeId } from '../parts/text.ts'
import type { ScreenContext } from '../screen.ts'
import type { Account, ClientCredentials } from '../shapes.ts'

/** Shows a new client's secret. */
export function showClient({ client_id, client_secret }: ClientCredentials): void {
  showSecret(
    'A new API client',
    el('p', {}, 'The integrator’s backend requests access tokens with these. Hand them over on a safe way.'),
    facts([
      ['Client id', wholeId(client_id, 'client id')],
      ['Client secret', wholeId(client_secret, 'client secret')],
    ]),
  )
}

function create(onDone: () => void): void {
  ask({
    title: 'New account',
    text: 'An account is one integrator. It gets a first API client.',
    button: 'Create',
    fields: [
      el('label', {}, el('span', {}, 'Name'), el('input', { name: 'name', required: true, maxlength: 255 })),
      el(
        'label',
        {},
        el('span', {}, 'Mode'),
        el(
          'select',
          { name: 'mode' },
          el('option', { value: 'live' }, 'Live'),
          el('option', { value: 'test' }, 'Test: outcomes are scripted'),
        ),
      ),
      el(
        'label',
        { class: 'check' },
        el('input', { type: 'checkbox', name: 'review' }),
        'A person reviews what the rules leave undetermined',
      ),
    ],
    async act(form) {
      const body = {
        name: String(form.get('name')),
        mode: String(form.get('mode')),
        review: form.get('review') === 'on',
      }
      const client = await change<ClientCredentials>('POST', '/account', body)
      onDone()
      showClient(client)
    },
  })
}

export async function showAccounts({ show, signal }: ScreenContext): Promise<void> {
  const list = reloading(
    () => get<{ data: Account[] }>('/account', {}, signal),
    ({ data }) =>
      table(data, {
        caption: 'Accounts',
        columns: [
          {
            name: 'Account',
            cell: ({ account_id, name }) => el('a', { href: screenPath(`/accounts/${account_id}`) }, name),
          },
          { name: 'Mode', cell: ({ mode }) => (mode === 'test' ? toned('busy', 'Test') : toned('plain', 'Live')) },
          { name: 'Reviews', cell: ({ review }) => (review ? 'On' : 'Off') },
          { name: 'Created', cell: ({ created_at }) => time(created_at) },
        ],
        empty: 'No account yet.',
      }),
  )
  const button = el(
    'button',
    { type: 'button', class: 'primary', onclick: () => create(() => void list.reload()) },
    'New account',
  )
  show(heading('Accounts', button), list.element)
  await list.reload()
}
