import { change } from '../api.ts'
import type { Child } from '../dom.ts'
import { toned } from '../parts/badges.ts'
import { ask } from '../parts/dialog.ts'
import { button, buttons, field, type Option, select, textField } from '../parts/form.ts'
import { heading } from '../parts/notice.ts'
import { reloadingTable } from '../parts/reload.ts'
import { showCredentials } from '../parts/secret.ts'
import { time } from '../parts/text.ts'
import type { ScreenContext } from '../screen.ts'
import type { Operator, OperatorCredentials } from '../shapes.ts'
import { word } from '../words.ts'

const roles: readonly Option[] = [
  ['viewer', 'Viewer: statuses and decisions'],
  ['reviewer', 'Reviewer: pictures and personal data too; decides reviews'],
  ['admin', 'Admin: everything'],
]

function create(onDone: () => void): void {
  ask({
    title: 'New operator',
    text: 'A log-in for one person: a password and one-time codes are made for it.',
    button: 'Create',
    fields: [
      textField('Name', { name: 'name', required: true, maxlength: 64, autocapitalize: 'none' }),
      field('Role', select('role', roles)),
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
    act: () => change('POST', `/operator/${operator_id}/disable`, {}).then(onDone),
    done: 'Disabled',
  })
}

export async function showOperators({ show, signal, me }: ScreenContext): Promise<void> {
  const again = (): void => void list.reload()
  const actions = (operator: Operator): Child => {
    const { operator_id, name, disabled_at } = operator
    if (operator_id === me.operator_id) return 'You'
    return buttons(
      button('Reset', () => reset(operator, again), { label: `Reset ${name}` }),
      disabled_at === null &&
        button('Disable', () => disable(operator, again), { kind: 'danger', label: `Disable ${name}` }),
    )
  }
  const list = reloadingTable<Operator>('/operator', signal, {
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
      { name: '', cell: actions },
    ],
    empty: 'No operator.',
  })
  show(
    heading(
      'Operators',
      button('New operator', () => create(again), { kind: 'primary' }),
    ),
    list.element,
  )
  await list.reload()
}
