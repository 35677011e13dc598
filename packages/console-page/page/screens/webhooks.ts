import { change, get } from '../api.ts'
import { type Child, el } from '../dom.ts'
import { badge } from '../parts/badges.ts'
import { ask } from '../parts/dialog.ts'
import { any, button, field, filterBar, type Option, select } from '../parts/form.ts'
import { pagedList } from '../parts/list.ts'
import { heading } from '../parts/notice.ts'
import { time } from '../parts/text.ts'
import type { ScreenContext } from '../screen.ts'
import type { Origin, Page } from '../shapes.ts'
import { word } from '../words.ts'

function pause({ account_id, origin }: Origin, onDone: () => void): void {
  ask({
    title: 'Pause webhooks to this origin?',
    text: [
      el('p', { class: 'mono' }, origin),
      el('p', {}, 'They wait, on every node, until somebody resumes them. Nothing is lost.'),
    ],
    button: 'Pause',
    act: () => change('POST', '/origin/pause', { account_id, origin }).then(onDone),
    done: 'Paused',
  })
}

function resume({ account_id, origin }: Origin, onDone: () => void): void {
  ask({
    title: 'Resume webhooks to this origin?',
    text: [el('p', { class: 'mono' }, origin), el('p', {}, 'What waits is sent now.')],
    button: 'Resume',
    act: () => change('POST', '/origin/resume', { account_id, origin }).then(onDone),
    done: 'Resumed',
  })
}

function since({ failing_since, paused_at, paused_by }: Origin): Child {
  if (paused_at !== null) return [time(paused_at), paused_by === null ? ', by its failures' : `, by ${paused_by.name}`]
  return time(failing_since)
}

const states = ['healthy', 'failing', 'paused'].map((state): Option => [state, word('origin', state)])

export async function showWebhooks({ query, show, setQuery, signal, may }: ScreenContext): Promise<void> {
  let state = query.get('state') ?? ''
  const rowId = ({ account_id, origin }: Origin): string => `${account_id} ${origin}`
  const action = (origin: Origin): Child => {
    const [name, act] = origin.state === 'paused' ? (['Resume', resume] as const) : (['Pause', pause] as const)
    return button(name, () => act(origin, () => void list.refresh([rowId(origin)])), {
      label: `${name} ${origin.origin}`,
    })
  }
  const list = pagedList<Origin>({
    caption: 'Origins that webhooks go to',
    columns: [
      { name: 'Origin', cell: ({ origin }) => el('span', { class: 'mono' }, origin) },
      { name: 'State', isState: true, cell: origin => badge('origin', origin.state) },
      { name: 'Since', cell: since },
      { name: 'Waiting', cell: ({ waiting }) => waiting, isNumber: true },
      { name: 'Account', cell: ({ account_name }) => account_name },
      ...(may('admin') ? [{ name: '', cell: action }] : []),
    ],
    empty: 'No webhook goes to such an origin.',
    rowId,
    load: cursor => get<Page<Origin>>('/origin', { state, limit: 50, cursor }, signal),
  })
  const chosen = select('state', [any, ...states], state)
  chosen.addEventListener('change', () => {
    state = chosen.value
    setQuery(new URLSearchParams(state === '' ? {} : { state }))
    void list.reload()
  })
  show(heading('Webhooks'), filterBar(null, field('State', chosen)), list.element)
  await list.reload()
}
