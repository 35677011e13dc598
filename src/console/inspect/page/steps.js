import { eventName } from './actors.js'

/** The events of the actor that is looked at, the slider through them, and the context after one. */

const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' })

/** Local time with milliseconds. */
const timeOf = at => `${clock.format(at)}.${String(at % 1000).padStart(3, '0')}`

const part = (name, text) => {
  const span = document.createElement('span')
  span.className = name
  span.textContent = text
  return span
}

/** What an actor began with is in its context. */
const detailsOf = ({ type: _, input: __, ...members }) =>
  Object.entries(members)
    .map(([name, value]) => valuesOf(value, name).flat().join(' '))
    .join(', ')

const createEntry = (step, select, who = null) => {
  const entry = document.createElement('li')
  const button = document.createElement('button')
  button.type = 'button'
  button.append(part('time', timeOf(step.at)), part('event', eventName(step.event.type)), part('status', step.status))
  button.querySelector('.status').dataset.status = step.status
  const details = detailsOf(step.event)
  if (details !== '') button.append(part('detail', details))
  if (who !== null) button.append(part('detail', who))
  button.addEventListener('click', select)
  entry.append(button)
  return entry
}

/** `takes.front 1`, a row for each value. */
const valuesOf = (value, name = '') =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([key, inner]) => valuesOf(inner, name === '' ? key : `${name}.${key}`))
    : [[name, Array.isArray(value) ? value.join(', ') : String(value)]]

const showContext = (box, context) => {
  const rows = valuesOf(context).flatMap(([name, value]) => {
    const [term, description] = [document.createElement('dt'), document.createElement('dd')]
    term.textContent = name
    description.textContent = value
    return [term, description]
  })
  box.replaceChildren(...rows)
}

export const createSteps = ({ list, context, slider, name, live, back, on, select }) => {
  let shown = null
  return {
    /** The last steps of all actors, the newest first; `choose` is called with the one that is clicked. */
    renderRecent(recent, choose) {
      shown = undefined
      list.replaceChildren(
        ...recent
          .toReversed()
          .map(({ actor, index, step }) => createEntry(step, () => choose(actor.id, index), actor.name)),
      )
    },
    /** `index` is the step that is looked at. */
    render(actor, index, is_live) {
      const steps = actor?.steps ?? []
      if (shown !== actor?.id) {
        list.replaceChildren()
        shown = actor?.id
      }
      for (let next = list.children.length; next < steps.length; next++)
        list.append(createEntry(steps[next], () => select(next)))
      for (const [at, entry] of [...list.children].entries())
        entry.firstChild.setAttribute('aria-current', at === index ? 'step' : 'false')
      if (is_live) list.scrollTop = list.scrollHeight
      else list.children[index]?.scrollIntoView({ block: 'nearest' })
      slider.disabled = steps.length < 2
      slider.max = String(Math.max(1, steps.length))
      slider.value = String(index + 1)
      back.disabled = index <= 0
      on.disabled = index >= steps.length - 1
      live.setAttribute('aria-pressed', String(is_live))
      const step = steps[index]
      const text =
        step === undefined ? '' : `${index + 1} of ${steps.length} · ${eventName(step.event.type)} · ${timeOf(step.at)}`
      setText(name, text)
      slider.setAttribute('aria-valuetext', text)
      showContext(context, step?.context ?? {})
    },
  }
}
