const svgNamespace = 'http://www.w3.org/2000/svg'

/** The outcome of a step. `event` is null if only the states are known. */
export interface ChartStep {
  readonly event: string | null
  /** The paths of the active states. */
  readonly states: readonly string[]
}

function create(name: string, attributes: Readonly<Record<string, string | number>>): Element {
  const element = document.createElementNS(svgNamespace, name)
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, String(value))
  return element
}

let hasStyle = false

function useStyle(css: string): void {
  if (hasStyle) return
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  document.adoptedStyleSheets.push(sheet)
  hasStyle = true
}

/** The drawing's style becomes the page's: a strict policy allows none inside it, not even while it is parsed. */
export function parseDrawing(text: string): SVGSVGElement {
  const bare = text.replace(/<style>(.*?)<\/style>/s, (_, css: string) => {
    useStyle(css)
    return ''
  })
  const drawing = new DOMParser().parseFromString(bare, 'image/svg+xml').documentElement
  return document.importNode(drawing, true) as unknown as SVGSVGElement
}

function readData(element: Element, name: string): string {
  return element.getAttribute(`data-${name}`) ?? ''
}

/**
 * Finds the transitions that were taken: from an active state by this event, one for each state; to a state that is
 * active now, if there is one, as some lead to a state that is left again at once.
 */
function findTaken(svg: Element, before: ReadonlySet<string>, step: ChartStep): readonly Element[] {
  const after = new Set(step.states)
  const possible = [...svg.querySelectorAll('.transition')].filter(
    one =>
      readData(one, 'event') === step.event && (readData(one, 'source') === '' || before.has(readData(one, 'source'))),
  )
  const arrived = possible.filter(one => readData(one, 'target') === '' || after.has(readData(one, 'target')))
  const taken = new Map<string, Element>()
  for (const one of arrived.length > 0 ? arrived : possible)
    if (!taken.has(readData(one, 'source'))) taken.set(readData(one, 'source'), one)
  return [...taken.values()]
}

/**
 * Lights the states; returns the element to show: the first state that was entered, else the transition, else the first
 * active state.
 */
export function lightStates(svg: Element, step: ChartStep, before: ChartStep | undefined): Element | undefined {
  const after = new Set(step.states)
  const earlier = before === undefined ? null : new Set(before.states)
  const states = [...svg.querySelectorAll('.state')]
  for (const state of states) state.classList.toggle('active', after.has(readData(state, 'state')))
  const taken = earlier === null ? [] : findTaken(svg, earlier, step)
  for (const transition of svg.querySelectorAll('.transition'))
    transition.classList.toggle('taken', taken.includes(transition))
  const active = states.filter(state => state.matches('.active:not(.compound, .parallel)'))
  const entered = active.find(state => earlier !== null && !earlier.has(readData(state, 'state')))
  return entered ?? taken.at(-1) ?? active[0]
}

function addBadge(state: Element): Element {
  const read = (name: string): number => Number(state.querySelector('rect')?.getAttribute(name))
  const x = read('x')
  const y = read('y')
  const width = read('width')
  const badge = create('g', { class: 'count' })
  badge.append(create('rect', { x: x + width - 40, y: y + 6, width: 34, height: 18, rx: 9 }))
  badge.append(create('text', { x: x + width - 23, y: y + 19, 'text-anchor': 'middle', 'font-size': 12 }))
  state.append(badge)
  return badge
}

function showCount(state: Element, count: number): void {
  const badge = state.querySelector(':scope > .count') ?? addBadge(state)
  badge.classList.toggle('none', count === 0)
  const text = badge.querySelector('text')
  if (text !== null) text.textContent = String(count)
}

/** Writes into each state how many actors are in it. */
export function writeCounts(svg: Element, counts: ReadonlyMap<string, number>): void {
  for (const state of svg.querySelectorAll('.state')) showCount(state, counts.get(readData(state, 'state')) ?? 0)
}
