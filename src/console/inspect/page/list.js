import { statusOf } from './actors.js'

/** The list of actors: transactions, the newest first, and the deliveries of the one that is looked at. */

/** More rows than this are found by the filter. */
const max_rows = 200

/** The entry that stands for all transactions at once. */
export const everyone = 'all'

const shortId = id => id.slice(-6)

const createRow = (id, select) => {
  const row = document.createElement('li')
  const button = document.createElement('button')
  button.type = 'button'
  button.dataset.actor = id
  const [name, detail, status] = ['name', 'detail', 'status'].map(part => {
    const span = document.createElement('span')
    span.className = part
    return span
  })
  button.append(name, status, detail)
  button.addEventListener('click', () => select(id))
  row.append(button)
  return { row, button, name, detail, status }
}

const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text
}

const timeOf = at => (at === undefined ? '' : new Date(at).toLocaleTimeString())

const isFound = (actor, words) => {
  const text = `${actor.id} ${actor.name} ${statusOf(actor)}`.toLowerCase()
  return words.every(word => text.includes(word))
}

export const createList = ({ list, count, filter, select }) => {
  const rows = new Map()
  const rowOf = id => {
    if (!rows.has(id)) rows.set(id, createRow(id, select))
    return rows.get(id)
  }

  const fill = (actor, selected) => {
    const parts = rowOf(actor.id)
    const label = actor.name.split(' ')[1] ?? ''
    setText(parts.name, actor.parent_id === null ? shortId(actor.id) : `↳ ${label}`)
    setText(parts.status, statusOf(actor))
    parts.status.dataset.status = statusOf(actor)
    const deliveries =
      actor.deliveries.length === 0
        ? ''
        : ` · ${actor.deliveries.length} webhook${actor.deliveries.length === 1 ? '' : 's'}`
    setText(parts.detail, actor.parent_id === null ? `${label}${deliveries}` : timeOf(actor.steps.at(-1)?.at))
    parts.button.classList.toggle('delivery', actor.parent_id !== null)
    parts.button.setAttribute('aria-current', String(actor.id === selected))
    return parts.row
  }

  const fillEveryone = (transactions, selected) => {
    const parts = rowOf(everyone)
    setText(parts.name, 'All transactions')
    setText(parts.status, String(transactions.length))
    parts.button.setAttribute('aria-current', String(selected === everyone))
    return parts.row
  }

  return {
    render(actors, selected) {
      const words = filter.value
        .toLowerCase()
        .split(/\s+/)
        .filter(word => word !== '')
      const transactions = actors.transactions()
      const found = transactions.filter(actor => isFound(actor, words))
      const family = actors.get(selected)?.parent_id ?? selected
      const shown = found.slice(0, max_rows).flatMap(actor => [
        fill(actor, selected),
        ...(actor.id === family
          ? actor.deliveries
              .map(id => actors.get(id))
              .filter(Boolean)
              .map(one => fill(one, selected))
          : []),
      ])
      const wanted = [fillEveryone(transactions, selected), ...shown]
      if (wanted.length !== list.children.length || wanted.some((row, index) => list.children[index] !== row))
        list.replaceChildren(...wanted)
      const rest = found.length > max_rows ? `, ${max_rows} listed` : ''
      setText(count, words.length === 0 ? `${transactions.length} transactions${rest}` : `${found.length} found${rest}`)
    },
  }
}
