import type { ChartStep } from '@attestor/page-files/chart'
import { get, screenPath } from '../api.ts'
import { el, fill, renew } from '../dom.ts'
import { addShortcut } from '../keyboard.ts'
import { listen, refreshIds } from '../live.ts'
import { createActorList, everyone } from '../parts/actor_list.ts'
import { type Actor, type Actors, createActors } from '../parts/actors.ts'
import { chartBox } from '../parts/chart_box.ts'
import { createChartSteps, type StepActions, stepBadge } from '../parts/chart_steps.ts'
import { heading, notice, problem } from '../parts/notice.ts'
import { shortId } from '../parts/text.ts'
import { throttle } from '../parts/throttle.ts'
import type { ScreenContext } from '../screen.ts'
import type { LiveStep, Steps } from '../shapes.ts'

/**
 * The actor that is looked at, or null for the newest transaction; and one of its steps, or null for each last step as it
 * comes.
 */
interface View {
  readonly selected: string | null
  readonly index: number | null
}

function toChartStep({ accepted_event, states }: LiveStep): ChartStep {
  return { event: accepted_event.type, states }
}

/** Counts the transactions in each state, of those that follow the newest one's version of the chart. */
function countStates(transactions: readonly Actor[]) {
  const last = transactions.flatMap(({ steps }) => steps.at(-1) ?? [])
  const chart = last[0]?.chart ?? null
  const counts = new Map<string, number>()
  for (const { states } of last.filter(one => one.chart === chart))
    for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1)
  return { chart, counts }
}

/** The chart with its surroundings: its owner above, the way through its steps below, the steps beside it. */
function createStage(actors: Actors, actions: StepActions) {
  const head = el('div', { class: 'chart-head' })
  const { element, chart } = chartBox()
  const steps = createChartSteps(actions)
  return {
    elements: [
      el('div', {}, head, element, steps.player),
      el('div', {}, el('h2', {}, 'Events'), steps.list, el('h2', {}, 'Context'), steps.context),
    ],
    steps,
    showEveryone({ selected }: View): void {
      const { chart: drawing, counts } = countStates(actors.listTransactions())
      const text = drawing === null ? 'None yet: the first is shown as it begins.' : 'Each state has the number in it.'
      fill(head, el('h2', {}, 'All transactions'), el('p', { class: 'soft' }, text))
      steps.render({ steps: actors.listRecent(), index: -1, isLive: selected === null })
      if (drawing === null) chart.clear()
      else void chart.showCounts(drawing, counts)
    },
    showActor(actor: Actor, { selected, index: wanted }: View): void {
      const index = Math.min(wanted ?? Number.POSITIVE_INFINITY, actor.steps.length - 1)
      const [before, step] = [actor.steps[index - 1], actor.steps[index]]
      renew(
        head,
        el('h2', {}, shortId(actor.id, 'id', screenPath(`/transactions/${actor.transaction_id}`))),
        step && stepBadge(step),
        actor.reason !== null && notice(`What follows can’t be shown: ${actor.reason}`),
      )
      steps.render({ steps: actor.steps, index, isLive: selected === null && wanted === null })
      if (step === undefined) chart.clear()
      else void chart.showStep(step.chart, toChartStep(step), before && toChartStep(before))
    },
  }
}

/** Loads all steps of a transaction, once. */
function createLoader(actors: Actors, signal: AbortSignal) {
  const loaded = new Set<string>()
  return {
    async load(transaction_id: string): Promise<boolean> {
      if (loaded.has(transaction_id)) return false
      loaded.add(transaction_id)
      actors.addAll(await get<Steps>('/step', { transaction_id }, signal))
      return true
    },
    async reload(): Promise<void> {
      loaded.clear()
      actors.addAll(await get<Steps>('/step', {}, signal))
    },
  }
}

/** Calls `work` before the next frame, however often it is asked to. */
function oncePerFrame(work: () => void, signal: AbortSignal): () => void {
  let isScheduled = false
  return () => {
    if (isScheduled) return
    isScheduled = true
    requestAnimationFrame(() => {
      isScheduled = false
      if (!signal.aborted) work()
    })
  }
}

/** Transactions and deliveries as they move on their charts. The newest transaction is followed until one is chosen. */
export async function showCharts({ query, show, setQuery, signal }: ScreenContext): Promise<void> {
  const actors = createActors()
  const loader = createLoader(actors, signal)
  const asked = query.get('id')
  let view: View = { selected: asked, index: null }

  const shownActor = (): Actor | undefined =>
    view.selected === null ? actors.listTransactions()[0] : actors.get(view.selected)
  const selectedTransaction = (): string | null =>
    view.selected === null ? null : (actors.get(view.selected)?.transaction_id ?? view.selected)

  const choose = (next: View): void => {
    view = next
    const id = selectedTransaction()
    setQuery(new URLSearchParams(id === null ? {} : { id }))
    refreshIds()
    render()
  }
  const goLive = (): void => choose({ selected: null, index: null })
  const list = createActorList(actors, id => choose({ selected: id, index: null }))
  const stage = createStage(actors, {
    goLive,
    select({ id, sequence }) {
      const { steps = [] } = actors.get(id) ?? {}
      const index = steps.findIndex(one => one.sequence === sequence)
      choose({ selected: id, index: index === steps.length - 1 ? null : index })
    },
  })

  const failure = el('div', {})
  const render = (): void => {
    actors.forgetOlder(selectedTransaction())
    const actor = shownActor()
    list.render(actor)
    if (actor === undefined) stage.showEveryone(view)
    else stage.showActor(actor, view)
    if (actor === undefined) return
    loader.load(actor.transaction_id).then(
      isNew => isNew && schedule(),
      (error: unknown) => signal.aborted || fill(failure, problem(error, reload)),
    )
  }
  const schedule = oncePerFrame(render, signal)
  const load = async (): Promise<void> => {
    const id = selectedTransaction()
    await loader.reload()
    if (id !== null && id !== everyone) await loader.load(id)
    fill(failure)
    schedule()
  }

  const reload = throttle(load, signal)

  addShortcut('l', 'Follow the newest transaction', goLive, signal)
  addShortcut(',', 'One step back', stage.steps.back, signal)
  addShortcut('.', 'One step on', stage.steps.on, signal)
  const ids = (): readonly string[] => {
    const id = selectedTransaction()
    return id === null || id === everyone ? [] : [id]
  }
  const onStep = (step: LiveStep): void => {
    actors.add(step)
    schedule()
  }
  listen({ ids, onStep, onMissed: reload }, signal)
  await load()
  show(heading('Charts'), failure, el('div', { class: 'charts' }, list.element, stage.elements))
}
