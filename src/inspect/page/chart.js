import { activePaths } from './actors.js'

/** The drawing of the chart that is looked at: active states lit, the last transition marked, or actors counted. */

const svg_namespace = 'http://www.w3.org/2000/svg'
const zoom_step = 1.25
/** Below this nobody reads the names. */
const readable_scale = 0.62

const create = (name, attributes) => {
  const element = document.createElementNS(svg_namespace, name)
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value)
  return element
}

const parse = text => document.importNode(new DOMParser().parseFromString(text, 'image/svg+xml').documentElement, true)

/**
 * The transitions that led here: from an active state by this event, one for each state; to a state that is active now,
 * if there is such a one, as some lead to a state that is left again at once.
 */
const takenTransitions = (svg, { before, event, after }) => {
  const possible = [...svg.querySelectorAll('.transition')].filter(
    ({ dataset }) => dataset.event === event.type && (dataset.source === '' || before.has(dataset.source)),
  )
  const arrived = possible.filter(({ dataset }) => dataset.target === '' || after.has(dataset.target))
  const taken = new Map()
  for (const transition of arrived.length > 0 ? arrived : possible)
    if (!taken.has(transition.dataset.source)) taken.set(transition.dataset.source, transition)
  return [...taken.values()]
}

/** Lights the states; resolves with what changed: a state that was entered, else the transition, else a state that is active. */
const light = (svg, { before, event, after }) => {
  const states = [...svg.querySelectorAll('.state')]
  for (const state of states) state.classList.toggle('active', after.has(state.dataset.state))
  const taken = before === null ? [] : takenTransitions(svg, { before, event, after })
  for (const transition of svg.querySelectorAll('.transition'))
    transition.classList.toggle('taken', taken.includes(transition))
  const active = states.filter(state => after.has(state.dataset.state))
  return active.findLast(state => before !== null && !before.has(state.dataset.state)) ?? taken.at(-1) ?? active.at(-1)
}

const showCount = (state, count) => {
  let badge = state.querySelector(':scope > .count')
  if (badge === null) {
    const [x, y, width] = ['x', 'y', 'width'].map(name => Number(state.querySelector('rect').getAttribute(name)))
    badge = create('g', { class: 'count' })
    badge.append(create('rect', { x: x + width - 40, y: y + 6, width: 34, height: 18, rx: 9 }))
    badge.append(create('text', { x: x + width - 23, y: y + 19, 'text-anchor': 'middle', 'font-size': 11 }))
    state.append(badge)
  }
  badge.classList.toggle('none', count === 0)
  badge.querySelector('text').textContent = String(count)
}

const bringIntoView = (box, element) => {
  if (element === undefined) return
  const [inner, outer] = [element.getBoundingClientRect(), box.getBoundingClientRect()]
  const is_seen =
    inner.top >= outer.top && inner.bottom <= outer.bottom && inner.left >= outer.left && inner.right <= outer.right
  if (is_seen) return
  box.scrollBy({
    top: (inner.top + inner.bottom - outer.top - outer.bottom) / 2,
    left: (inner.left + inner.right - outer.left - outer.right) / 2,
  })
}

export const createChart = box => {
  const drawings = new Map()
  let [shown, wanted, zoom, changed] = [null, null, 'readable', undefined]

  const scaleOf = width => {
    const fitting = Math.min(1, (box.clientWidth - 24) / width)
    if (zoom === 'readable') return Math.max(readable_scale, fitting)
    return zoom === 'fit' ? fitting : zoom
  }

  const resize = () => {
    if (shown === null) return
    const { width, height } = shown.viewBox.baseVal
    const scale = scaleOf(width)
    shown.setAttribute('width', Math.round(width * scale))
    shown.setAttribute('height', Math.round(height * scale))
    bringIntoView(box, changed)
  }
  new ResizeObserver(resize).observe(box)

  const zoomBy = factor => {
    if (shown === null) return
    zoom = Math.min(3, Math.max(0.1, (shown.clientWidth / shown.viewBox.baseVal.width) * factor))
    resize()
  }

  /** A drawing that could not be loaded is asked for again. */
  const load = async (call, name) => {
    const answer = await call(`/charts/${name}`).catch(() => null)
    if (answer?.ok) return parse(await answer.text())
    drawings.delete(name)
    return null
  }

  /** Null where there is no drawing, or another one is wanted meanwhile. */
  const display = async (call, name) => {
    wanted = name
    if (!drawings.has(name)) drawings.set(name, load(call, name))
    const svg = await drawings.get(name)
    if (wanted !== name || svg === shown) return wanted === name ? svg : null
    shown = svg
    box.replaceChildren(...(svg === null ? [] : [svg]))
    resize()
    return svg
  }

  return {
    zoomIn: () => zoomBy(zoom_step),
    zoomOut: () => zoomBy(1 / zoom_step),
    zoomToFit() {
      zoom = 'fit'
      resize()
    },
    clear() {
      shown = null
      wanted = null
      box.replaceChildren()
    },
    /** Lights the states after a step; `before` is the step before it, undefined for the first. */
    async showStep(call, name, step, before) {
      const svg = await display(call, name)
      if (svg === null) return
      svg.classList.remove('counted')
      const paths = one => new Set(activePaths(one.value))
      changed = light(svg, {
        before: before === undefined ? null : paths(before),
        event: step.event,
        after: paths(step),
      })
      bringIntoView(box, changed)
    },
    /** Writes into each state how many actors are in it now. */
    async showCounts(call, name, steps) {
      const svg = await display(call, name)
      if (svg === null) return
      svg.classList.add('counted')
      const counts = new Map()
      for (const { value } of steps)
        for (const path of activePaths(value)) counts.set(path, (counts.get(path) ?? 0) + 1)
      light(svg, { before: null, event: null, after: new Set() })
      changed = undefined
      for (const state of svg.querySelectorAll('.state')) showCount(state, counts.get(state.dataset.state) ?? 0)
    },
  }
}
