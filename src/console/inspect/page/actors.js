/** The actors and their steps, as the messages of the inspection protocol tell of them. */

const appeared = ({ sessionId, name, parentId, chart }) => ({
  id: sessionId,
  name,
  parent_id: parentId ?? null,
  chart: chart ?? null,
  steps: [],
  deliveries: [],
  unshown: null,
})

const stepOf = ({ event, snapshot, createdAt }) => ({
  event,
  at: Number(createdAt),
  value: snapshot.value,
  context: snapshot.context,
  status: snapshot.tags.join(' '),
  ended: snapshot.status === 'done',
})

/** Keeps the actors; `accept` returns the id of the one that a message is about, or null where nothing changed. */
const max_recent = 200

export const createActors = () => {
  const actors = new Map()
  /** The last steps of all actors, in the order in which they came. */
  const recent = []

  const add = message => {
    const actor = actors.get(message.sessionId) ?? appeared(message)
    actors.set(actor.id, actor)
    const parent = actors.get(actor.parent_id)
    if (parent !== undefined && !parent.deliveries.includes(actor.id)) parent.deliveries.push(actor.id)
    return actor.id
  }

  const accept = message => {
    const { type, sessionId } = message
    if (type === '@xstate.actor') return add(message)
    if (type === 'attestor.unshown') {
      add(message)
      actors.get(sessionId).unshown = message.reason
      return sessionId
    }
    if (type === 'attestor.removed') return actors.delete(sessionId) ? sessionId : null
    if (type !== '@xstate.snapshot') return null
    const actor = actors.get(sessionId)
    if (actor === undefined) return null
    const step = stepOf(message)
    actor.steps.push(step)
    recent.push({ actor, index: actor.steps.length - 1, step })
    if (recent.length > max_recent) recent.shift()
    return sessionId
  }

  return {
    accept,
    get: id => actors.get(id),
    clear() {
      actors.clear()
      recent.length = 0
    },
    recent: () => recent,
    /** The transactions, the newest first. */
    transactions: () =>
      [...actors.values()].filter(({ parent_id }) => parent_id === null).sort((a, b) => (a.id < b.id ? 1 : -1)),
    all: () => [...actors.values()],
  }
}

/** The status after an actor's last step. */
export const statusOf = actor => (actor.unshown === null ? (actor.steps.at(-1)?.status ?? '') : 'not shown')

/** `xstate.after.TTL.transaction.open` is for the journal: people read `after TTL`. */
export const eventName = type => {
  const [, , second, third] = type.split('.')
  if (type.startsWith('xstate.after.')) return `after ${second}`
  if (type.startsWith('xstate.done.actor.')) return `${third} done`
  if (type.startsWith('xstate.error.actor.')) return `${third} failed`
  return type
}

/** The paths of the active states in a snapshot's value: `{a: {b: 'c'}}` has `a`, `a.b` and `a.b.c`. */
export const activePaths = (value, above = '') => {
  const at = key => (above === '' ? key : `${above}.${key}`)
  if (typeof value === 'string') return [at(value)]
  return Object.entries(value ?? {}).flatMap(([key, inside]) => [at(key), ...activePaths(inside, at(key))])
}
