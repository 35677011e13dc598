import { el } from '../dom.ts'
import { type ChartBox, chartBox } from '../parts/chart_box.ts'
import { followTransaction } from '../parts/follow.ts'
import { section } from '../parts/notice.ts'
import { recordParts } from '../parts/record.ts'
import { shorten } from '../parts/text.ts'
import { createTimeline } from '../parts/timeline.ts'
import { applyStep } from '../parts/transactions.ts'
import type { ScreenContext } from '../screen.ts'
import type { TransactionRecord } from '../shapes.ts'

/** One transaction, updated live. */
export async function showTransaction(context: ScreenContext): Promise<void> {
  const { params, show, setTitle, signal } = context
  const [id = ''] = params
  const timeline = createTimeline(id, signal)
  let chart: ChartBox | null = null
  let last: TransactionRecord | null = null
  let reload = (): void => {}
  const { parts, render } = recordParts({ id, onChange: () => reload(), showsPictures: false })

  const build = (record: TransactionRecord): ChartBox => {
    const box = chartBox(record)
    const { outcome, actions, verdict, rules, captures, personal, deliveries, facts } = parts
    show(
      el(
        'header',
        { class: 'head' },
        el('h1', { tabindex: -1 }, 'Transaction ', el('span', { class: 'mono', title: id }, shorten(id))),
        outcome.element,
        el('div', { class: 'actions' }, actions.element),
      ),
      el(
        'div',
        { class: 'columns' },
        el('div', {}, verdict.element, rules.element, captures.element, personal.element, deliveries.element),
        el('div', {}, facts.element, section('Timeline', timeline.element)),
      ),
      section('State chart', box.element),
    )
    return box
  }

  reload = await followTransaction(id, context, {
    onStep(step) {
      chart?.light(step.states, step.event)
      timeline.add(step)
      if (last !== null) parts.outcome.render(applyStep(last, step))
    },
    onRecord(record) {
      last = record
      render(record)
      setTitle(`Transaction ${shorten(id)}`)
      chart ??= build(record)
      chart.light(record.states, null)
      void timeline.load()
    },
  })
}
