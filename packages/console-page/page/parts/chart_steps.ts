import { type Child, el, fill, renew } from '../dom.ts'
import type { FoundTransaction, LiveStep } from '../shapes.ts'
import { badge, outcomeBadge } from './badges.ts'
import { type Choice, choiceList } from './choices.ts'
import { exactTime, facts, shorten } from './text.ts'

/** `xstate.after.TTL.transaction.open` is for the journal: people read `after TTL`. */
function eventName(type: string): string {
  const [, , second, third] = type.split('.')
  if (type.startsWith('xstate.after.')) return `after ${second}`
  if (type.startsWith('xstate.done.actor.')) return `${third} done`
  if (type.startsWith('xstate.error.actor.')) return `${third} failed`
  return type
}

/** `takes.front 1`: a pair for each value. */
function listValues(value: unknown, name = ''): readonly (readonly [string, string])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [[name, Array.isArray(value) ? value.join(', ') : String(value)]]
  return Object.entries(value).flatMap(([key, inner]) => listValues(inner, name === '' ? key : `${name}.${key}`))
}

/** A long name or value may break after its signs. */
function breakable(text: string): Child {
  return text.split(/(?<=[._])/).flatMap(part => [part, el('wbr')])
}

/** The context shows an actor's input. */
function describeMembers({ type: _, input: __, ...members }: LiveStep['accepted_event']): string {
  return listValues(members)
    .map(pair => pair.join(' '))
    .join(', ')
}

export function stepBadge({ actor_type, status, awaiting_review }: LiveStep): HTMLElement {
  if (actor_type === 'delivery') return badge('delivery', status)
  return outcomeBadge({ status: status as FoundTransaction['status'], decision: null, awaiting_review })
}

export interface StepList {
  readonly steps: readonly LiveStep[]
  /** The index of the step that is shown; -1 for none, if the steps are of several actors. */
  readonly index: number
  readonly isLive: boolean
}

export interface StepActions {
  readonly select: (step: LiveStep, index: number) => void
  readonly goLive: () => void
}

/** The steps of the shown actor: a slider through them, a list of their events, the context after one. */
export function createChartSteps({ select, goLive }: StepActions) {
  let shown: StepList = { steps: [], index: -1, isLive: true }
  const moveTo = (index: number): void => {
    const step = shown.steps[index]
    if (step !== undefined) select(step, index)
  }
  const move = (by: number) => () => moveTo(shown.index + by)
  const slider = el('input', { type: 'range', min: 1, max: 1, value: 1, 'aria-label': 'Step' })
  slider.addEventListener('input', () => moveTo(Number(slider.value) - 1))
  const button = (sign: string, title: string, onclick: () => void) =>
    el('button', { type: 'button', title, 'aria-label': sign.length > 1 ? null : title, onclick }, sign)
  const back = button('◀', 'One step back (,)', move(-1))
  const on = button('▶', 'One step on (.)', move(1))
  const live = button('Live', 'Follow the newest transaction (l)', goLive)
  const position = el('output', {})
  const list = choiceList('Events')
  const context = el('div', { class: 'context', tabindex: 0, role: 'group', 'aria-label': 'Context' })
  const toChoice = (step: LiveStep, index: number): Choice => ({
    id: `${step.id}:${step.sequence}`,
    isCurrent: index === shown.index,
    choose: () => select(step, index),
    content: [
      el('b', { class: 'mono' }, eventName(step.accepted_event.type)),
      stepBadge(step),
      el('small', {}, exactTime(step.occurred_at), ' ', describeMembers(step.accepted_event)),
      shown.index < 0 && el('small', { class: 'mono' }, shorten(step.transaction_id)),
    ],
  })

  return {
    player: el('div', { class: 'player' }, back, slider, on, live, position),
    list: list.element,
    context,
    back: move(-1),
    on: move(1),
    render(wanted: StepList): void {
      shown = wanted
      const { steps, index, isLive } = wanted
      list.render(steps.map(toChoice))
      const step = steps[index]
      slider.disabled = index < 0 || steps.length < 2
      slider.max = String(Math.max(1, steps.length))
      slider.value = String(index + 1)
      back.disabled = index <= 0
      on.disabled = index < 0 || index >= steps.length - 1
      live.setAttribute('aria-pressed', String(isLive))
      const text = step && `${index + 1} of ${steps.length} · ${eventName(step.accepted_event.type)}`
      fill(position, text)
      slider.setAttribute('aria-valuetext', text ?? '')
      renew(context, step && facts(listValues(step.context).map(pair => pair.map(breakable) as [Child, Child])))
    },
  }
}
