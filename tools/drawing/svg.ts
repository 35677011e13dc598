import type { ElkPoint } from 'elkjs/lib/elk.bundled.js'
import { type ChartGraph, type ChartState, type ChartTransition, drawnStates } from './graph.ts'
import type { Box, ChartLayout, LaidOutEdge } from './layout.ts'
import { chartStyle } from './style.ts'
import {
  computeHeight,
  fontSizes,
  internalTransitions,
  padding,
  stateText,
  type TextLine,
  transitionLines,
  transitionText,
} from './text.ts'

/** The parts of a drawing that do not come from its chart. */
export interface DrawingOptions {
  readonly title: string
  /** Further style rules, and classes for transitions: a picture of coverage marks each one. */
  readonly style?: string
  readonly toClass?: (transition: ChartTransition) => string
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"]/g, sign => escapes[sign] ?? sign)
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${typeof value === 'number' ? round(value) : escapeXml(value)}"`)
    .join('')
}

function element(name: string, values: Readonly<Record<string, string | number>>, inner = ''): string {
  return inner === '' ? `<${name}${attributes(values)}/>` : `<${name}${attributes(values)}>${inner}</${name}>`
}

function rect({ x, y, width, height }: Box, rx: number, more: Readonly<Record<string, string>> = {}): string {
  return element('rect', { ...more, x, y, width, height, rx })
}

/** Lines below each other, from the upper left corner of the first. */
function textAt({ x, y }: ElkPoint, lines: readonly TextLine[]): string {
  let top = y
  return lines
    .map(line => {
      top += computeHeight(line)
      const place = { class: line.style, x, y: top - computeHeight(line) * 0.26, 'font-size': fontSizes[line.style] }
      return element('text', place, escapeXml(line.text))
    })
    .join('')
}

function labelled(title: string): string {
  return element('title', {}, escapeXml(title))
}

function describeTransition(transition: ChartTransition): string {
  return [transitionText(transition), transition.description].filter(part => part !== null).join(': ')
}

function transitionGroup(transition: ChartTransition, options: DrawingOptions, inner: string): string {
  const { id, source, target, event } = transition
  const marked = ['transition', options.toClass?.(transition) ?? ''].join(' ').trim()
  const data = { 'data-transition': id, 'data-source': source, 'data-target': target, 'data-event': event }
  return element('g', { class: marked, ...data }, `${labelled(describeTransition(transition))}${inner}`)
}

function computeHeights(lines: readonly TextLine[]): number {
  return lines.reduce((sum, line) => sum + computeHeight(line), 0)
}

function internalList(graph: ChartGraph, state: ChartState, at: ElkPoint, options: DrawingOptions): string {
  let y = at.y
  return internalTransitions(graph, state)
    .map(transition => {
      y += 6
      const lines = transitionLines(transition)
      const drawn = transitionGroup(transition, options, textAt({ x: at.x, y }, lines))
      y += computeHeights(lines)
      return drawn
    })
    .join('')
}

function listClasses(state: ChartState, parent: ChartState | undefined): string {
  const group = state.states.length > 0 && state.tags.length === 0
  return [
    'state',
    state.type,
    state.tags.length > 0 && 'status',
    group && 'group',
    parent?.type === 'parallel' && 'region',
  ]
    .filter(name => name !== false)
    .join(' ')
}

function drawState(layout: ChartLayout, state: ChartState, options: DrawingOptions): string {
  const frame = layout.states.get(state.path)
  if (frame === undefined) throw new Error(`${state.id} has no place in the layout`)
  const parent = drawnStates(layout.graph).find(({ states }) => states.includes(state))
  const inner = { x: frame.x + 3, y: frame.y + 3, width: frame.width - 6, height: frame.height - 6 }
  const at = { x: frame.x + padding, y: frame.y + padding }
  const lines = stateText(state)
  const drawn = [
    labelled([state.id, state.description].filter(part => part !== null).join(': ')),
    rect(frame, 8),
    state.type === 'final' ? rect(inner, 6, { fill: 'none' }) : '',
    textAt(at, lines),
    internalList(layout.graph, state, { x: at.x, y: at.y + computeHeights(lines) }, options),
  ]
  const data = { id: `${layout.graph.id}-${state.path}`, 'data-state': state.path, 'data-status': state.tags.join(' ') }
  return element('g', { class: listClasses(state, parent), ...data }, drawn.join(''))
}

/** A line with round corners. */
function toPath(points: readonly ElkPoint[]): string {
  const radius = 6
  const towards = (from: ElkPoint, to: ElkPoint): ElkPoint => {
    const length = Math.hypot(to.x - from.x, to.y - from.y)
    const share = length === 0 ? 0 : Math.min(radius, length / 2) / length
    return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }
  }
  const at = ({ x, y }: ElkPoint): string => `${round(x)} ${round(y)}`
  return points
    .map((point, index) => {
      const before = points[index - 1]
      const after = points[index + 1]
      if (before === undefined) return `M${at(point)}`
      if (after === undefined) return `L${at(point)}`
      return `L${at(towards(point, before))}Q${at(point)} ${at(towards(point, after))}`
    })
    .join('')
}

function drawEdge(chart: string, { transition, points, label }: LaidOutEdge, options: DrawingOptions): string {
  const line = element('path', { class: 'edge', d: toPath(points), 'marker-end': `url(#${chart}-head)` })
  if (transition === null || label === null) return line
  const around = { x: label.x - 3, y: label.y - 1, width: label.width + 6, height: label.height + 2 }
  const text = textAt(label, transitionLines(transition))
  return transitionGroup(transition, options, `${line}${rect(around, 4, { class: 'label' })}${text}`)
}

function arrowHead(chart: string): string {
  const size = {
    markerWidth: 8,
    markerHeight: 8,
    refX: 7,
    refY: 4,
    orient: 'auto-start-reverse',
    markerUnits: 'userSpaceOnUse',
  }
  return element('marker', { id: `${chart}-head`, ...size }, element('path', { class: 'head', d: 'M0 0L8 4L0 8Z' }))
}

/** Draws a chart that was laid out. Each state has a `data-state`, each transition a `data-transition`. */
export function drawSvg(layout: ChartLayout, options: DrawingOptions): string {
  const { graph, width, height } = layout
  const states = drawnStates(graph)
  const dots = [...layout.dots.values()].map(({ x, y, width: size }) => {
    return element('circle', { class: 'dot', cx: x + size / 2, cy: y + size / 2, r: size / 2 })
  })
  const description = `${states.length} states and ${graph.transitions.length} transitions of the ${graph.id} chart`
  const head = [
    element('title', { id: `${graph.id}-title` }, escapeXml(options.title)),
    element('desc', { id: `${graph.id}-desc` }, escapeXml(description)),
    element('style', {}, `${chartStyle}${options.style ?? ''}`),
    element('defs', {}, arrowHead(graph.id)),
    rect({ x: 0, y: 0, width, height }, 0, { class: 'paper' }),
  ]
  const parts = [
    ...states.map(state => drawState(layout, state, options)),
    ...dots,
    ...layout.edges.map(edge => drawEdge(graph.id, edge, options)),
  ]
  const frame = {
    xmlns: 'http://www.w3.org/2000/svg',
    class: 'chart',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
  }
  const names = { role: 'img', 'aria-labelledby': `${graph.id}-title ${graph.id}-desc` }
  return `${element('svg', { ...frame, ...names }, `\n${[...head, ...parts].join('\n')}\n`)}\n`
}
