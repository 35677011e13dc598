import { createChart } from '../../../pages/chart/page/chart.ts'
import { activePaths, createActors, statusOf } from './actors.js'
import { createList, everyone } from './list.js'
import { createSteps } from './steps.js'
import { follow } from './stream.js'

const at = id => document.getElementById(id)

const actors = createActors()
const readDrawing = async name => {
  const answer = await view.call(`/charts/${name}`).catch(() => null)
  return answer?.ok ? await answer.text() : null
}
const chart = createChart(at('chart'), readDrawing)

/** What is looked at: an actor, or everyone; one of its steps, or the last one as it comes (null). */
const view = { selected: null, index: null, call: null }

const current = () => actors.get(view.selected)
const lastIndex = () => (current()?.steps.length ?? 0) - 1
const shownIndex = () => (view.index === null ? lastIndex() : Math.min(view.index, lastIndex()))

const select = id => {
  view.selected = id
  view.index = null
  schedule()
}

const chooseStep = (id, index) => {
  view.selected = id
  selectStep(index)
}

/** The last step is followed again once it is reached. */
const selectStep = index => {
  view.index = index >= lastIndex() ? null : Math.max(0, index)
  schedule()
}

const list = createList({ list: at('actor-list'), count: at('actor-count'), filter: at('filter'), select })
const steps = createSteps({
  ...{ list: at('step-list'), context: at('context'), slider: at('slider'), name: at('step-name') },
  ...{ live: at('live'), back: at('step-back'), on: at('step-on'), select: selectStep },
})

const showHead = (name, status) => {
  at('actor-name').textContent = name
  at('actor-status').textContent = status
  at('actor-status').dataset.status = status
}

const showEveryone = () => {
  const transactions = actors.transactions().filter(({ steps: { length } }) => length > 0)
  showHead('All transactions', `${transactions.length} shown`)
  steps.render(undefined, -1, true)
  steps.renderRecent(actors.recent(), chooseStep)
  const [newest] = transactions
  if (newest === undefined) return
  const alike = transactions.filter(({ chart: name }) => name === newest.chart)
  const counts = new Map()
  for (const { steps: taken } of alike)
    for (const path of activePaths(taken.at(-1).value)) counts.set(path, (counts.get(path) ?? 0) + 1)
  chart.showCounts(newest.chart, counts)
}

const toChartStep = step =>
  step === undefined ? undefined : { event: step.event.type, states: activePaths(step.value) }

const showActor = actor => {
  const index = shownIndex()
  const step = actor.steps[index]
  showHead(actor.name, actor.unshown === null ? (step?.status ?? '') : `can’t be shown: ${actor.unshown}`)
  steps.render(actor, index, view.index === null)
  if (step === undefined) chart.clear()
  else chart.showStep(actor.chart, toChartStep(step), toChartStep(actor.steps[index - 1]))
}

const render = () => {
  // The newest transaction comes into view by itself until somebody chooses.
  const [newest] = actors.transactions()
  if (current() === undefined && view.selected !== everyone) view.selected = newest?.id ?? null
  list.render(actors, view.selected)
  const actor = current()
  if (view.selected === everyone) showEveryone()
  else if (actor !== undefined) showActor(actor)
  else showHead('No transaction yet', 'waiting for the first')
  document.title = actor === undefined ? 'Attestor inspector' : `${statusOf(actor)} · Attestor inspector`
}

let is_scheduled = false
const schedule = () => {
  if (is_scheduled) return
  is_scheduled = true
  requestAnimationFrame(() => {
    is_scheduled = false
    render()
  })
}

const states = {
  live: 'live',
  away: 'the inspector has stopped; trying again …',
  unknown: 'this address was used before: run the command again for a new one',
}

at('filter').addEventListener('input', schedule)
at('slider').addEventListener('input', () => selectStep(Number(at('slider').value) - 1))
at('step-back').addEventListener('click', () => selectStep(shownIndex() - 1))
at('step-on').addEventListener('click', () => selectStep(shownIndex() + 1))
at('live').addEventListener('click', () => selectStep(lastIndex()))
at('zoom-in').addEventListener('click', chart.zoomIn)
at('zoom-out').addEventListener('click', chart.zoomOut)
at('zoom-fit').addEventListener('click', chart.zoomToFit)

const keys = {
  ArrowLeft: () => selectStep(shownIndex() - 1),
  ArrowRight: () => selectStep(shownIndex() + 1),
  Home: () => selectStep(0),
  End: () => selectStep(lastIndex()),
  l: () => selectStep(lastIndex()),
}

document.addEventListener('keydown', event => {
  const has_modifier = event.ctrlKey || event.altKey || event.metaKey
  if (has_modifier || event.target instanceof HTMLInputElement || keys[event.key] === undefined) return
  event.preventDefault()
  keys[event.key]()
})

follow('/steps', {
  onStart(call) {
    view.call = call
    actors.clear()
    schedule()
  },
  onMessages(messages) {
    for (const message of messages) actors.accept(message)
    schedule()
  },
  onState(state) {
    at('connection').textContent = states[state]
    at('connection').dataset.state = state
  },
})
