import { type Chart, createChart } from '@attestor/page-files/chart'
import { serviceUrl } from '../api.ts'
import { el } from '../dom.ts'

export interface ChartBox {
  readonly element: HTMLElement
  readonly chart: Chart
}

async function readDrawing(path: string): Promise<string | null> {
  const response = await fetch(serviceUrl(path)).catch(() => null)
  return response?.ok ? response.text() : null
}

/** Explains the colours of a drawing, in the drawing's own classes. */
function legend(): HTMLElement {
  const meanings = { active: 'Active', taken: 'Transition taken', status: 'Status, not active' }
  return el(
    'ul',
    { class: 'legend' },
    Object.entries(meanings).map(([name, meaning]) => el('li', { class: `chart-${name}` }, meaning)),
  )
}

/** A box for the drawing of a chart, with its legend. */
export function chartBox(): ChartBox {
  const box = el('div', { class: 'chart-box', tabindex: 0, role: 'group', 'aria-label': 'The state chart' })
  const chart = createChart(box, readDrawing)
  const button = (sign: string, name: string, act: () => void): HTMLElement =>
    el('button', { type: 'button', 'aria-label': sign === name ? null : name, title: name, onclick: act }, sign)
  const zoom = el(
    'div',
    { class: 'zoom' },
    button('−', 'Smaller', chart.zoomOut),
    button('Fit', 'Fit', chart.zoomToFit),
    button('+', 'Larger', chart.zoomIn),
    legend(),
  )
  return { element: el('div', {}, box, zoom), chart }
}
