import { change } from '../api.ts'
import { el } from '../dom.ts'
import { badge } from '../parts/badges.ts'
import { ask } from '../parts/dialog.ts'
import { button, field } from '../parts/form.ts'
import { heading } from '../parts/notice.ts'
import { reloadingTable } from '../parts/reload.ts'
import { shortId, time } from '../parts/text.ts'
import type { ScreenContext } from '../screen.ts'
import type { SigningKey } from '../shapes.ts'

function rotate(onDone: () => void): void {
  ask({
    title: 'Rotate the signing key?',
    text: 'A new key is published at once and signs webhooks from the chosen time on. Receivers that keep the key set need the time between to learn of it.',
    button: 'Rotate',
    fields: field(
      'It signs in (hours)',
      el('input', { name: 'in_hours', type: 'number', min: 0, max: 720, step: 'any', value: 24, required: true }),
    ),
    act: form => change('POST', '/key/rotate', { in_hours: Number(form.get('in_hours')) }).then(onDone),
    done: 'A new key is published',
  })
}

export async function showKeys({ show, signal }: ScreenContext): Promise<void> {
  const list = reloadingTable<SigningKey>('/key', signal, {
    caption: 'Keys that sign webhooks',
    columns: [
      { name: 'Key', cell: ({ kid }) => shortId(kid, 'key id') },
      { name: 'State', isState: true, cell: ({ state }) => badge('key', state) },
      { name: 'Algorithm', cell: ({ alg }) => el('span', { class: 'mono' }, alg) },
      { name: 'Signs from', cell: ({ active_at }) => time(active_at) },
      { name: 'Retired', cell: ({ retired_at }) => time(retired_at) },
    ],
    empty: 'No key yet.',
  })
  show(
    heading(
      'Signing keys',
      button('Rotate', () => rotate(list.reload)),
    ),
    el('p', { class: 'soft' }, 'They sign webhooks. Receivers find their public parts in the key set.'),
    list.element,
  )
  await list.reload()
}
