import { change, get, screenPath, serviceUrl } from '../api.ts'
import { type Child, el } from '../dom.ts'
import { badge } from '../parts/badges.ts'
import { ask } from '../parts/dialog.ts'
import { any, button, field, filterBar, type Option, select } from '../parts/form.ts'
import { pagedList } from '../parts/list.ts'
import { heading, section, teach } from '../parts/notice.ts'
import { facts, shortId, time } from '../parts/text.ts'
import type { ScreenContext } from '../screen.ts'
import type { Origin, OriginPage, Page } from '../shapes.ts'
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

function pathOf(accountId: string, origin: string): string {
  return screenPath(`/webhooks/${accountId}?${new URLSearchParams({ origin })}`)
}

/** The share of the newest deliveries that were tried and have arrived. */
function rate({ tried, delivered }: Pick<Origin, 'tried' | 'delivered'>): string | null {
  return tried === 0 ? null : `${Math.round((100 * delivered) / tried)}% of ${tried}`
}

/** One receiver: its health, and the deliveries to it. */
export async function showOrigin({ params, query, show, setTitle, signal }: ScreenContext): Promise<void> {
  const [account_id = ''] = params
  const read = (cursor: string | null): Promise<OriginPage> =>
    get<OriginPage>('/origin/delivery', { account_id, origin: query.get('origin'), limit: 25, cursor }, signal)
  const { origin } = await read(null)
  setTitle(origin.origin)
  const list = pagedList<OriginPage['data'][number]>({
    caption: 'Deliveries, the newest first',
    columns: [
      {
        name: 'Transaction',
        cell: ({ transaction_id: id }) => shortId(id, 'transaction id', screenPath(`/transactions/${id}`)),
      },
      { name: 'Status', cell: ({ status }) => word('status', status) },
      { name: 'Delivery', isState: true, cell: ({ state }) => badge('delivery', state) },
      { name: 'Attempts', cell: ({ attempts }) => attempts, isNumber: true },
      { name: 'Last error', cell: ({ error }) => error && el('span', { class: 'words' }, error) },
      { name: 'Last attempt', cell: ({ last_attempt_at }) => time(last_attempt_at) },
    ],
    empty: 'Nothing was sent to it in the time that deliveries are kept.',
    rowId: ({ delivery_id }) => delivery_id,
    load: read,
  })
  show(
    heading(el('span', { class: 'mono' }, origin.origin)),
    section(
      'Health',
      facts([
        ['Account', origin.account_name],
        ['State', [badge('origin', origin.state), ' ', since(origin)]],
        ['Delivered', rate(origin) ?? '–'],
        ['Last error', origin.last_error === null ? '–' : [origin.last_error.text, ', ', time(origin.last_error.at)]],
        ['Waiting', origin.waiting],
      ]),
    ),
    list.element,
  )
  await list.reload()
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
      {
        name: 'Origin',
        cell: ({ account_id, origin }) => el('a', { class: 'mono', href: pathOf(account_id, origin) }, origin),
      },
      { name: 'State', isState: true, cell: origin => badge('origin', origin.state) },
      { name: 'Since', cell: since },
      { name: 'Delivered', cell: rate, isNumber: true },
      {
        name: 'Last error',
        cell: ({ last_error }) =>
          last_error && [
            el('span', { class: 'words' }, last_error.text),
            el('small', { class: 'below' }, time(last_error.at)),
          ],
      },
      { name: 'Waiting', cell: ({ waiting }) => waiting, isNumber: true },
      { name: 'Account', cell: ({ account_name }) => account_name },
      ...(may('admin') ? [{ name: '', cell: action }] : []),
    ],
    empty: teach(
      state === '' ? 'No webhook was sent yet.' : 'No webhook goes to such an origin.',
      [
        'A transaction names its receiver in ',
        el('code', {}, 'config.webhook.url'),
        '; each receiver then stands here, with its health.',
      ],
      el('a', { href: serviceUrl('guides/integrate/webhooks') }, 'Receive webhooks'),
    ),
    rowId,
    load: cursor =>
      get<Page<Origin>>('/origin', { state, account_id: query.get('account_id'), limit: 50, cursor }, signal),
  })
  const chosen = select('state', [any, ...states], state)
  chosen.addEventListener('change', () => {
    state = chosen.value
    const account = query.get('account_id')
    setQuery(new URLSearchParams({ ...(account && { account_id: account }), ...(state !== '' && { state }) }))
    void list.reload()
  })
  show(heading('Webhooks'), filterBar(null, field('State', chosen)), list.element)
  await list.reload()
}
