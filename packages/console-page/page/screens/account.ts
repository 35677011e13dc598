import { change, get } from '../api.ts'
import { type Child, el } from '../dom.ts'
import { lookForm } from '../parts/account_look.ts'
import { fraudForm, nextSteps, originsForm } from '../parts/account_policies.ts'
import { toned } from '../parts/badges.ts'
import { ask } from '../parts/dialog.ts'
import { button, buttons } from '../parts/form.ts'
import { heading, section } from '../parts/notice.ts'
import { reloading } from '../parts/reload.ts'
import { table } from '../parts/table.ts'
import { facts, shortId, time, wholeId } from '../parts/text.ts'
import type { ScreenContext } from '../screen.ts'
import type { AccountSettings, AccountWithClients, ClientCredentials } from '../shapes.ts'
import { showClient } from './accounts.ts'

function addClient(account: AccountWithClients, onDone: () => void): void {
  ask({
    title: 'A further API client?',
    text: 'To rotate a secret: create a further client, let the integrator change to it, then revoke the old one.',
    button: 'Create',
    async act() {
      const client = await change<ClientCredentials>('POST', `/account/${account.account_id}/client`, {})
      onDone()
      showClient(client)
    },
  })
}

function revoke(clientId: string, onDone: () => void): void {
  ask({
    title: 'Revoke this client?',
    text: 'It gets no more access tokens, and those that it has stop working within a minute. This can’t be undone.',
    button: 'Revoke',
    isDanger: true,
    act: () => change('POST', `/client/${clientId}/revoke`, {}).then(onDone),
    done: 'Revoked',
  })
}

/** A switch of an account, for transactions from then on. */
interface Switch {
  readonly name: 'review' | 'resubmission' | 'signed_captures' | 'face_search'
  readonly title: string
  readonly meaning: string
  /** The effect of switching it on or off. */
  readonly toOn: string
  readonly toOff: string
}

const switches: readonly Switch[] = [
  {
    name: 'review',
    title: 'Reviews',
    meaning: 'A person decides what the rules leave undetermined.',
    toOn: 'What the rules leave undetermined waits for a reviewer before it ends.',
    toOff:
      'What the rules leave undetermined ends as undetermined at once. What waits already still awaits a reviewer.',
  },
  {
    name: 'resubmission',
    title: 'A second chance',
    meaning: 'The person may once take again what could not be judged.',
    toOn: 'Where a document was not read, the face not seen well or the movements not followed, the person may take that again, once.',
    toOff: 'What could not be judged is final. A person who was asked again already may still go on.',
  },
  {
    name: 'signed_captures',
    title: 'Signed captures',
    meaning: 'Each capture must be signed by an attested key.',
    toOn: 'Each capture must be signed by a key in the device’s hardware that its maker attests: people without the account’s app cannot be verified any more.',
    toOff: 'Captures without a signature are accepted again.',
  },
  {
    name: 'face_search',
    title: 'Search for faces',
    meaning: 'Selfies are searched among enrolled faces.',
    toOn: 'Selfies are searched among the faces that the account enrols from now on. That is another use of biometric data: people are asked for their consent to it.',
    toOff: 'What was kept to find faces by is deleted for good. The enrolled faces themselves stay.',
  },
]

function showSwitch(account: AccountWithClients, one: Switch, onDone: () => void): readonly [string, Child[]] {
  const isOn = account[one.name]
  const name = isOn ? 'Switch off' : 'Switch on'
  const confirm = (): void =>
    ask({
      title: `${one.title}: ${name.toLowerCase()}?`,
      text: isOn ? one.toOff : one.toOn,
      button: name,
      act: () => change('PATCH', `/account/${account.account_id}`, { [one.name]: !isOn }).then(onDone),
    })
  return [one.title, [isOn ? 'On ' : 'Off ', button(name, confirm), el('small', { class: 'soft below' }, one.meaning)]]
}

function clients(account: AccountWithClients, onDone: () => void): Child {
  return table(account.clients, {
    caption: 'API clients',
    columns: [
      { name: 'Client', cell: ({ client_id }) => shortId(client_id, 'client id') },
      {
        name: 'State',
        isState: true,
        cell: ({ revoked_at }) => (revoked_at === null ? toned('good', 'Active') : toned('plain', 'Revoked')),
      },
      { name: 'Created', cell: ({ created_at }) => time(created_at) },
      { name: 'Revoked', cell: ({ revoked_at }) => time(revoked_at) },
      {
        name: '',
        cell: ({ client_id, revoked_at }) =>
          revoked_at === null && button('Revoke', () => revoke(client_id, onDone), { kind: 'danger' }),
      },
    ],
    empty: 'No client.',
  })
}

/** A section with a form that is loaded again after it is saved, and does not change others' settings. */
function settingsSection(title: string, id: string, context: ScreenContext, show: SettingsForm): Child {
  const body = reloading(
    () => get<AccountSettings>(`/account/${id}/settings`, {}, context.signal),
    settings => show(id, settings, () => void body.reload()),
  )
  void body.reload()
  return section(title, body.element)
}

type SettingsForm = (id: string, settings: AccountSettings, onDone: () => void) => Child

export async function showAccount(context: ScreenContext): Promise<void> {
  const { params, show, setTitle, signal } = context
  const [id = ''] = params
  const first = await get<AccountWithClients>(`/account/${id}`, {}, signal)
  const settings = await get<AccountSettings>(`/account/${id}/settings`, {}, signal)
  setTitle(first.name)
  const again = (): void => void body.reload()
  const body = reloading(
    () => get<AccountWithClients>(`/account/${id}`, {}, signal),
    account => [
      section(settings.is_used ? 'Try it' : 'What to do next', nextSteps(account, settings)),
      section(
        'Facts',
        wholeId(account.account_id, 'account id'),
        facts([
          ['Mode', account.mode === 'test' ? 'Test: outcomes are scripted' : 'Live'],
          ['Created', time(account.created_at)],
          ...switches.map(one => showSwitch(account, one, again)),
        ]),
      ),
      section('API clients', clients(account, again), buttons(button('Add a client', () => addClient(account, again)))),
    ],
  )
  show(
    heading(first.name),
    body.element,
    settingsSection('Capture page', id, context, lookForm),
    settingsSection('Fraud policy', id, context, fraudForm),
    settingsSection('Webhooks', id, context, originsForm),
  )
  await body.reload()
}
