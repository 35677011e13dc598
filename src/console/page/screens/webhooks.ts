import { change, get } from '../api.ts'
import { type Child, el } from '../dom.ts'
import { announce } from '../parts/announce.ts'
import { badge } from '../parts/badges.ts'
import { ask } from '../parts/dialog.ts'
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
    async act() {
      await change('POST', '/origin/pause', { account_id, origin })
      announce('Paused')
      onDone()
    },
  })
}

function resume({ account_id, origin }: Origin, onDone: () => void): void {
  ask({
    title: 'Resume webhooks to this origin?',
    text: [el('p', { class: 'mono' }, origin), el('p', {}, 'What waits is sent now.')],
    button: 'Resume',
    async act() {
      await change('POST', '/origin/resume', { account_id, origin })
      announce('Resumed')
      onDone()
    },
  })
}

function since({ failing_since, paused_at, paused_by }: Origin): Child {
  if (paused_at !== null) return [time(paused_at), paused_by === null ? ', by its failures' : `, by ${paused_by.name}`]
  return time(failing_since)
}

const states = ['healthy', 'failing', 'paused']

export async function showWebhooks({ query, show, setQuery, signal, may }: ScreenContext): Promise<void> {
  let state = query.get('state') ?? ''
  const again = (): void => void list.reload()
  const button = (origin: Origin): Child => {
    if (!may('admin')) return null
    const [name, act] = origin.state === 'paused' ? (['Resume', resume] as const) : (['Pause', pause] as const)
    return el(
      'button',
      { type: 'button', onclick: () => act(origin, again), 'aria-label': `${name} ${origin.origin}` },
      name,
    )
  }
  const list = pagedList<Origin>({
    caption: 'Origins that webhooks go to',
    columns: [
      { name: 'Origin', cell: ({ origin }) => el('span', { class: 'mono' }, origin) },
      { name: 'State', isState: true, cell: origin => badge('origin', origin.state) },
      { name: 'Since', cell: since },
      { name: 'Waiting', cell: ({ waiting }) => waiting, isNumber: true },
      { name: 'Account', cell: ({ account_name }) => account_name },
      ...(may('admin') ? [{ name: '', cell: button }] : []),
    ],
    empty: 'No webhook goes to such an origin.',
    rowId: ({ account_id, origin }) => `${account_id} ${origin}`,
    load: cursor => get<Page<Origin>>('/origin', { state, limit: 50, cursor }, signal),
  })
  const select = el(
    'select',
    { name: 'state' },
    el('option', { value: '' }, 'Any'),
    states.map(value => el('option', { value, selected: value === state }, word('origin', value))),
  )
  select.addEventListener('change', () => {
    state = select.value
    setQuery(new URLSearchParams(state === '' ? {} : { state }))
    again()
  })
  const form = el(
    'form',
    { class: 'filters' },
    el('div', { class: 'quick' }, el('label', {}, el('span', {}, 'State'), select)),
  )
  show(heading('Webhooks'), form, list.element)
  await list.reload()
}
