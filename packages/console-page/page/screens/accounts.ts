import { change, screenPath } from '../api.ts'
import { el } from '../dom.ts'
import { toned } from '../parts/badges.ts'
import { ask } from '../parts/dialog.ts'
import { button, checkbox, field, type Option, select, textField } from '../parts/form.ts'
import { heading } from '../parts/notice.ts'
import { reloadingTable } from '../parts/reload.ts'
import { showSecret } from '../parts/secret.ts'
import { facts, time, wholeId } from '../parts/text.ts'
import type { ScreenContext } from '../screen.ts'
import type { Account, ClientCredentials } from '../shapes.ts'

/** Shows a new client's secret. */
export function showClient({ client_id, client_secret }: ClientCredentials): void {
  showSecret(
    'A new API client',
    el('p', {}, 'The integrator’s backend requests access tokens with these. Hand them over over a safe channel.'),
    facts([
      ['Client id', wholeId(client_id, 'client id')],
      ['Client secret', wholeId(client_secret, 'client secret')],
    ]),
  )
}

const modes: readonly Option[] = [
  ['live', 'Live'],
  ['test', 'Test: outcomes are scripted'],
]

function create(go: ScreenContext['go']): void {
  ask({
    title: 'New account',
    text: 'An account is one integrator. It gets a first API client.',
    button: 'Create',
    fields: [
      textField('Name', { name: 'name', required: true, maxlength: 255 }),
      field('Mode', select('mode', modes)),
      checkbox('review', 'A person reviews what the rules leave undetermined'),
    ],
    async act(form) {
      const body = { ...Object.fromEntries(form), review: form.get('review') === 'on' }
      const client = await change<ClientCredentials>('POST', '/account', body)
      go(`/accounts/${client.account_id}`)
      showClient(client)
    },
  })
}

export async function showAccounts({ show, signal, go }: ScreenContext): Promise<void> {
  const list = reloadingTable<Account>('/account', signal, {
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
  })
  const creating = button('New account', () => create(go), { kind: 'primary' })
  show(heading('Accounts', creating), list.element)
  await list.reload()
}
