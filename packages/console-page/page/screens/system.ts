import { get } from '../api.ts'
import { type Child, el, fill, renew } from '../dom.ts'
import { badge } from '../parts/badges.ts'
import { heading, problem, section } from '../parts/notice.ts'
import { table } from '../parts/table.ts'
import { duration, time } from '../parts/text.ts'
import type { ScreenContext } from '../screen.ts'
import type { System } from '../shapes.ts'
import { word } from '../words.ts'

const pollMs = 5000

type Node = System['nodes'][number]

function age(now: string, at: string | null): string {
  return at === null ? '–' : duration(Date.parse(now) - Date.parse(at))
}

function queues({ now, queues: all, reviews }: System): HTMLElement {
  return table([...all, { queue: 'reviews', ...reviews }], {
    caption: 'Queues',
    columns: [
      { name: 'Queue', cell: ({ queue }) => (queue === 'reviews' ? 'Reviews' : word('queue', queue)) },
      { name: 'Waiting', cell: ({ waiting }) => waiting.toLocaleString('en-GB'), isNumber: true },
      { name: 'Oldest waits for', cell: ({ oldest_at }) => age(now, oldest_at), isNumber: true },
    ],
    empty: 'No queue.',
  })
}

function state({ state: name, reasons }: Node): Child {
  return [badge('node', name), reasons.length > 0 && el('p', { class: 'soft' }, reasons.join('; '))]
}

function processes({ processes: all }: Node): Child {
  return all.length === 0
    ? '–'
    : all.map(({ work, ready, restarts }) =>
        el('p', {}, `${word('rule', work)}: ${ready} ready${restarts === 0 ? '' : `, ${restarts} restarts`}`),
      )
}

function nodes({ now, nodes: all }: System): HTMLElement {
  return table(all, {
    caption: 'Nodes',
    columns: [
      { name: 'Node', cell: ({ url }) => el('span', { class: 'mono' }, url) },
      { name: 'State', isState: true, cell: state },
      { name: 'Roles', cell: ({ roles }) => roles.join(', ') },
      { name: 'Processes', cell: processes },
      { name: 'Free for analyses', cell: ({ analysis_capacity }) => analysis_capacity ?? '–', isNumber: true },
      { name: 'Version', cell: ({ version }) => version },
      { name: 'Started', cell: ({ started_at }) => time(started_at) },
      { name: 'Seen', cell: ({ last_seen_at }) => `${age(now, last_seen_at)} ago`, isNumber: true },
    ],
    empty: 'No node.',
  })
}

function summary({ nodes: all, queues: waiting }: System): HTMLElement {
  const ill = all.filter(({ state: name }) => name === 'not_ready' || name === 'lost')
  const count = waiting.reduce((sum, queue) => sum + queue.waiting, 0)
  const health =
    all.length === 0
      ? 'No node has reported itself yet.'
      : ill.length === 0
        ? 'Every node is well.'
        : `${ill.length} of ${all.length} nodes ${ill.length === 1 ? 'needs' : 'need'} a look.`
  return el(
    'p',
    { class: ill.length === 0 ? 'soft' : 'failure', role: 'status' },
    `${health} ${count.toLocaleString('en-GB')} jobs wait.`,
  )
}

/** Queues, nodes and their processes, refreshed while they are shown. */
export async function showSystem({ show, signal }: ScreenContext): Promise<void> {
  const place = el('div', { class: 'contents' })
  const load = async (): Promise<void> => {
    const system = await get<System>('/system', {}, signal)
    renew(
      place,
      summary(system),
      section('Queues', queues(system)),
      section('Nodes', nodes(system)),
      el('p', { class: 'soft' }, 'As of ', time(system.now), `, version ${system.version}.`),
    )
  }
  await load()
  show(heading('System'), place)
  const poll = setInterval(() => {
    if (document.visibilityState === 'visible')
      load().catch((error: unknown) => {
        if (!signal.aborted) fill(place, problem(error))
      })
  }, pollMs)
  signal.addEventListener('abort', () => clearInterval(poll))
}
