import { createChart } from '../../../pages/chart/page/chart.ts'
import { serviceUrl } from '../api.ts'
import { el } from '../dom.ts'
import type { TransactionRecord } from '../shapes.ts'

export interface ChartBox {
  readonly element: HTMLElement
  /** Lights the states; `event` is what led to them. */
  readonly light: (states: readonly string[], event: string | null) => void
}

async function readDrawing(path: string): Promise<string | null> {
  const response = await fetch(serviceUrl(path)).catch(() => null)
  return response?.ok ? response.text() : null
}

/** The chart of a transaction, with the states lit in which it is. */
export function chartBox({ chart: { svg, name } }: TransactionRecord): ChartBox {
  const box = el('div', { class: 'chart-box', tabindex: 0, role: 'group', 'aria-label': `The state chart: ${name}` })
  const chart = createChart(box, readDrawing)
  const button = (sign: string, name: string, act: () => void): HTMLElement =>
    el('button', { type: 'button', 'aria-label': sign === name ? null : name, title: name, onclick: act }, sign)
  const zoom = el(
    'div',
    { class: 'zoom' },
    button('−', 'Smaller', chart.zoomOut),
    button('Fit', 'Fit', chart.zoomToFit),
    button('+', 'Larger', chart.zoomIn),
  )
  let shown: readonly string[] | null = null
  return {
    element: el('div', {}, box, zoom),
    light(states, event) {
      const before = shown === null ? undefined : { event: null, states: shown }
      if (shown !== null && event === null && shown.join() === states.join()) return
      shown = states
      void chart.showStep(svg, { event, states }, before)
    },
  }
}
