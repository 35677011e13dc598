import { get, screenPath } from '../api.ts'
import { el, fill, svg } from '../dom.ts'
import { accountSelect } from '../parts/accounts.ts'
import { field, filterBar, type Option, select } from '../parts/form.ts'
import { heading, notice, problem, section } from '../parts/notice.ts'
import { table } from '../parts/table.ts'
import { duration, facts, time } from '../parts/text.ts'
import { formatCount, outcomes } from '../parts/totals.ts'
import type { ScreenContext } from '../screen.ts'
import type { Overview } from '../shapes.ts'
import { word } from '../words.ts'

type Day = Overview['days'][number]

const periods = ['7', '30', '90'].map((days): Option => [days, `Last ${days} days`])

const percent = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 })
const shortDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

function showDay(date: string): HTMLElement {
  return el('time', { datetime: date }, shortDay.format(new Date(date)))
}

/** One bar a day, with its outcomes one upon the other, from the bottom up. `most` is as high as the chart. */
function bar(day: Day, index: number, most: number): readonly SVGElement[] {
  let below = 0
  return outcomes.map(outcome => {
    const [y, height] = [below + day[outcome], day[outcome]].map(count => (count / most) * 100) as [number, number]
    below += day[outcome]
    return svg('rect', { class: outcome, x: index + 0.1, y: 100 - y, width: 0.8, height })
  })
}

/** Shown where a pointer rests on the bar. */
function describeDay(day: Day): string {
  const counts = outcomes.filter(one => day[one] > 0).map(one => `${word('overview', one)}: ${formatCount(day[one])}`)
  return [shortDay.format(new Date(day.date)), ...counts].join('\n')
}

/** A picture of the table, in colours that the legend names. */
function chart({ days, totals }: Overview): HTMLElement {
  const most = Math.max(1, ...days.map(({ created }) => created))
  const label = 'Transactions by day and outcome, as the table below says in numbers'
  const legend = outcomes.filter(outcome => totals[outcome] > 0)
  return el(
    'figure',
    { class: 'bars' },
    el('p', { class: 'soft' }, `${formatCount(most)} a day`),
    svg(
      'svg',
      {
        class: 'drawn',
        role: 'img',
        'aria-label': label,
        viewBox: `0 0 ${days.length} 100`,
        preserveAspectRatio: 'none',
      },
      days.map((day, index) => svg('g', {}, svg('title', {}, describeDay(day)), bar(day, index, most))),
    ),
    el(
      'p',
      { class: 'ends soft' },
      [days.at(0), days.at(-1)].map(day => day && showDay(day.date)),
    ),
    el(
      'figcaption',
      {},
      el(
        'ul',
        { class: 'shades' },
        legend.map(outcome => el('li', {}, el('span', { class: `swatch ${outcome}` }), word('overview', outcome))),
      ),
    ),
  )
}

function orDash(ms: number | null): string {
  return ms === null ? '–' : duration(ms)
}

function figures({ totals, approval_rate, time_to_decide }: Overview): HTMLElement {
  return facts([
    ['Created', formatCount(totals.created)],
    ...outcomes
      .filter(outcome => totals[outcome] > 0)
      .map(outcome => [word('overview', outcome), formatCount(totals[outcome])] as const),
    ['Approval rate', approval_rate === null ? '–' : percent.format(approval_rate)],
    ['Median time to a decision', orDash(time_to_decide.median_ms)],
    ['90% are decided within', orDash(time_to_decide.p90_ms)],
  ])
}

function reasons({ reasons: all, from }: Overview, account_id: string): HTMLElement {
  return table(all, {
    caption: 'Most frequent reasons',
    columns: [
      {
        name: 'Reason',
        cell({ code }) {
          const query = new URLSearchParams({ issue: code, created_from: from, ...(account_id && { account_id }) })
          return el('a', { href: screenPath(`/?${query}`), title: code }, word('issue', code))
        },
      },
      { name: 'Transactions', cell: ({ count }) => formatCount(count), isNumber: true },
    ],
    empty: 'Nothing was refused or left open.',
  })
}

function dayTable({ days, totals }: Overview): HTMLElement {
  const shown = outcomes.filter(outcome => totals[outcome] > 0)
  return table(days.toReversed(), {
    caption: 'Transactions by day of creation, in UTC',
    columns: [
      { name: 'Day', cell: ({ date }) => showDay(date) },
      { name: 'Created', cell: ({ created }) => formatCount(created), isNumber: true },
      ...shown.map(outcome => ({
        name: word('overview', outcome),
        cell: (day: Day) => formatCount(day[outcome]),
        isNumber: true,
      })),
    ],
    empty: 'No day.',
  })
}

function content(overview: Overview, account_id: string): readonly HTMLElement[] {
  return [
    ...(overview.is_cut ? [notice('There are too many to count: earlier days are left out.')] : []),
    section('By day', chart(overview)),
    el('div', { class: 'columns even' }, [
      section('Totals', figures(overview)),
      section('Why not approved', reasons(overview, account_id)),
    ]),
    section('In numbers', dayTable(overview)),
    el('p', { class: 'soft' }, 'Days are in UTC, by when transactions were created. As of ', time(overview.to), '.'),
  ]
}

/** Shows the outcomes of the last days' transactions. */
export async function showOverview({ query, show, setQuery, signal }: ScreenContext): Promise<void> {
  const place = el('div', { class: 'contents' })
  const account = await accountSelect(query.get('account_id'), signal, ['', 'All live accounts'])
  const days = select('days', periods, query.get('days') ?? '')
  let generation = 0
  const load = async (): Promise<void> => {
    const own = ++generation
    const wanted = { account_id: account.value, days: days.value }
    const overview = await get<Overview>('/overview', wanted, signal)
    if (own === generation) fill(place, ...content(overview, wanted.account_id))
  }
  const change = (): void => {
    setQuery(new URLSearchParams({ days: days.value, ...(account.value && { account_id: account.value }) }))
    load().catch((error: unknown) => {
      if (!signal.aborted) fill(place, problem(error, change))
    })
  }
  const form = filterBar(null, field('Account', account), field('Period', days))
  form.addEventListener('change', change)
  await load()
  show(heading('Overview'), form, place)
}
