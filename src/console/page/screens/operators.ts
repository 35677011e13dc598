import { change, get } from '../api.ts'
import { type Child, el } from '../dom.ts'
import { announce } from '../parts/announce.ts'
import { toned } from '../parts/badges.ts'
import { ask } from '../parts/dialog.ts'
import { heading } from '../parts/notice.ts'
import { reloading } from '../parts/reload.ts'
import { showCredentials } from '../parts/secret.ts'
import { table } from '../parts/table.ts'
import { time } from '../parts/text.ts'
import type { ScreenContext } from '../screen.ts'
import type { Operator, OperatorCredentials } from '../shapes.ts'
import { word } from '../words.ts'

const roleMeanings = {
  viewer: 'Viewer: statuses and decisions',
  reviewer: 'Reviewer: pictures and personal data too; decides reviews',
  admin: 'Admin: everything',
} as const

function create(onDone: () => void): void {
  ask({
    title: 'New operator',
    text: 'A log-in for one person: a password and one-time codes are made for it.',
    button: 'Create',
    fields: [
      el(
        'label',
        {},
        el('span', {}, 'Name'),
        el('input', {
          name: 'name',
          required: true,
          maxlength: 64,
          autocomplete: 'off',
          autocapitalize: 'none',
          spellcheck: 'false',
        }),
      ),
      el(
        'label',
        {},
        el('span', {}, 'Role'),
        el(
          'select',
          { name: 'role' },
          Object.entries(roleMeanings).map(([value, meaning]) => el('option', { value }, meaning)),
        ),
      ),
    ],
    async act(form) {
      const credentials = await change<OperatorCredentials>('POST', '/operator', Object.fromEntries(form))
      onDone()
      showCredentials(credentials)
    },
  })
}

function reset({ operator_id, name }: Operator, onDone: () => void): void {
  ask({
    title: `Reset the log-in of ${name}?`,
    text: 'They get a new password and a new secret for one-time codes. Their open sessions end.',
    button: 'Reset',
    isDanger: true,
    async act() {
      const credentials = await change<OperatorCredentials>('POST', `/operator/${operator_id}/reset`, {})
      onDone()
      showCredentials(credentials)
    },
  })
}

function disable({ operator_id, name }: Operator, onDone: () => void): void {
  ask({
    title: `Disable ${name}?`,
    text: 'They can’t log in any more, and their open sessions end. A reset lets them in again.',
    button: 'Disable',
    isDanger: true,
    async act() {
      await change('POST', `/operator/${operator_id}/disable`, {})
      announce('Disabled')
      onDone()
    },
  })
}

export async function showOperators({ show, signal, me }: ScreenContext): Promise<void> {
  const again = (): void => void list.reload()
  const buttons = (operator: Operator): Child => {
    const { operator_id, name, disabled_at } = operator
    if (operator_id === me.operator_id) return 'You'
    return el(
      'div',
      { class: 'buttons' },
      el('button', { type: 'button', 'aria-label': `Reset ${name}`, onclick: () => reset(operator, again) }, 'Reset'),
      disabled_at === null &&
        el(
          'button',
          { type: 'button', class: 'danger', 'aria-label': `Disable ${name}`, onclick: () => disable(operator, again) },
          'Disable',
        ),
    )
  }
  const list = reloading(
    () => get<{ data: Operator[] }>('/operator', {}, signal),
    ({ data }) =>
      table(data, {
        caption: 'Operators',
        columns: [
          { name: 'Name', cell: ({ name }) => name },
          { name: 'Role', cell: ({ role }) => word('role', role) },
          {
            name: 'State',
            isState: true,
            cell: ({ disabled_at }) => (disabled_at === null ? toned('good', 'Active') : toned('plain', 'Disabled')),
          },
          { name: 'Last log-in', cell: ({ last_login_at }) => time(last_login_at) },
          { name: 'Created', cell: ({ created_at }) => time(created_at) },
          { name: '', cell: buttons },
        ],
        empty: 'No operator.',
      }),
  )
  const button = el('button', { type: 'button', class: 'primary', onclick: () => create(again) }, 'New operator')
  show(heading('Operators', button), list.element)
  await list.reload()
}
