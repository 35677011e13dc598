import { screenPath } from '../api.ts'
import { el } from '../dom.ts'
import { chartBox } from '../parts/chart_box.ts'
import { followTransaction } from '../parts/follow.ts'
import { section } from '../parts/notice.ts'
import { recordHeading, recordParts } from '../parts/record.ts'
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
  const box = chartBox()
  let lit: readonly string[] | null = null
  let last: TransactionRecord | null = null
  let reload = (): void => {}
  const { parts, render } = recordParts({ id, onChange: () => reload(), showsPictures: false })

  /** Lights states; `event` led to them. */
  const light = ({ chart }: TransactionRecord, states: readonly string[], event: string | null): void => {
    if (event === null && lit?.join() === states.join()) return
    void box.chart.showStep(chart.svg, { event, states }, lit === null ? undefined : { event: null, states: lit })
    lit = states
  }

  const build = (): void => {
    const { outcome, actions, verdict, rules, duplicates, captures, personal, deliveries, facts } = parts
    show(
      recordHeading('Transaction', id, outcome.element, actions.element),
      el(
        'div',
        { class: 'columns' },
        el(
          'div',
          {},
          [verdict, personal, captures, duplicates, rules, deliveries].map(({ element }) => element),
        ),
        el('div', {}, facts.element, section('Timeline', timeline.element)),
      ),
      section('State chart', el('a', { href: screenPath(`/charts?id=${id}`) }, 'Step by step'), box.element),
    )
  }

  reload = await followTransaction(id, context, {
    onStep(step) {
      timeline.add(step)
      if (last === null) return
      light(last, step.states, step.accepted_event.type)
      parts.outcome.render(applyStep(last, step))
    },
    onRecord(record) {
      render(record)
      setTitle(`Transaction ${shorten(id)}`)
      if (last === null) build()
      last = record
      light(record, record.states, null)
      void timeline.load()
    },
  })
}
