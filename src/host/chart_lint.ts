import type { AnyStateMachine, AnyStateNode } from 'xstate'

/** A chart that would not survive in a database. Each fault names the state and what is wrong with it. */
export class ChartRefused extends Error {
  override name = 'ChartRefused'
}

type Invoke = { readonly id?: string; readonly src?: unknown; readonly onDone?: unknown; readonly onError?: unknown }

const listOf = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value]

const ancestors = (node: AnyStateNode): readonly AnyStateNode[] =>
  node.parent === undefined ? [node] : [node, ...ancestors(node.parent)]

/** Every state of a chart, the root first. */
export const statesOf = (node: AnyStateNode): readonly AnyStateNode[] => [
  node,
  ...Object.values(node.states).flatMap(child => statesOf(child)),
]

/** An unknown delay fires at once, and strict typing accepts it; a numeric one is an unstable name in the database. */
const delayFaults = (machine: AnyStateMachine, node: AnyStateNode): string[] =>
  Object.keys(node.config.after ?? {})
    .filter(name => typeof machine.implementations.delays[name] !== 'function')
    .map(name => (/^\d+$/.test(name) ? `numeric delay ${name}` : `unknown delay ${name}`))

/** An unhandled error of a job would kill the actor, and an unnamed job has an unstable name in the database. */
const invokeFaults = (machine: AnyStateMachine, node: AnyStateNode): string[] =>
  (listOf(node.config.invoke) as Invoke[]).flatMap(invoke => {
    const faults: string[] = []
    if (invoke.id === undefined) faults.push('an invoke has no id')
    if (typeof invoke.src !== 'string' || machine.implementations.actors[invoke.src] === undefined)
      faults.push(`invoke ${invoke.id ?? '?'} has no declared src`)
    if (invoke.onError === undefined) faults.push(`invoke ${invoke.id ?? '?'} has no onError`)
    return faults
  })

/** A wildcard takes `xstate.*` too: results and timers that were meant for nobody. */
const eventFaults = (node: AnyStateNode): string[] =>
  Object.keys(node.config.on ?? {})
    .filter(event => event.includes('*') || event.startsWith('xstate.'))
    .map(event => `event ${event} is not a name of our own`)

type Named = string | { readonly type?: unknown }

const nameOf = (used: unknown): string | null => {
  const name = typeof used === 'string' ? used : (used as Named | null) && (used as { type?: unknown }).type
  return typeof name === 'string' ? name : null
}

/** Stately's tools and the journal can only show what has a name, and an unknown name does nothing, silently. */
const nameFaults = (machine: AnyStateMachine, node: AnyStateNode): string[] => {
  const { actions, guards } = machine.implementations
  const transitions = [...node.transitions.values(), node.always ?? []].flat()
  const used = [...node.entry, ...node.exit, ...transitions.flatMap(transition => [...transition.actions])]
  const known = (table: object, name: string | null): boolean =>
    name !== null && (name in table || name.startsWith('xstate.'))
  return [
    ...used
      .filter(action => !known(actions, nameOf(action)))
      .map(action => `unknown action ${nameOf(action) ?? '(unnamed)'}`),
    ...transitions
      .filter(({ guard }) => guard !== undefined && !known(guards, nameOf(guard)))
      .map(({ guard }) => `unknown guard ${nameOf(guard) ?? '(unnamed)'}`),
  ]
}

/** Exactly one status on the way to every leaf, and none below a parallel state, whose regions are active together. */
const tagFaults = (node: AnyStateNode): string[] => {
  const above = ancestors(node)
  if (node.tags.length > 0 && above.slice(1).some(({ type }) => type === 'parallel'))
    return ['a status tag inside a region']
  if (Object.keys(node.states).length > 0) return []
  const tags = above.flatMap(({ tags }) => tags)
  return tags.length === 1 ? [] : [`${tags.length} status tags`]
}

const leads = (node: AnyStateNode): boolean => node.transitions.size > 0 || (node.always?.length ?? 0) > 0

/** A state that is no end and that nothing leaves holds its actor for ever. */
const deadEndFaults = (node: AnyStateNode): string[] =>
  node.type === 'atomic' && !ancestors(node).some(leads) ? ['nothing leaves it'] : []

/** History can't be restored from a persisted snapshot (facts: `resolveState` throws on it). */
const historyFaults = (node: AnyStateNode): string[] =>
  node.type === 'history' ? ['history states are not durable'] : []

/** All that is wrong with a chart, as sentences. */
export const chartFaults = (machine: AnyStateMachine): readonly string[] =>
  statesOf(machine.root).flatMap(node =>
    [
      ...delayFaults(machine, node),
      ...invokeFaults(machine, node),
      ...eventFaults(node),
      ...nameFaults(machine, node),
      ...tagFaults(node),
      ...deadEndFaults(node),
      ...historyFaults(node),
    ].map(fault => `${node.id}: ${fault}`),
  )

/** Run at every start. @throws {ChartRefused} naming every fault */
export const refuseFaultyChart = (machine: AnyStateMachine): void => {
  const faults = chartFaults(machine)
  if (faults.length > 0) throw new ChartRefused(faults.join('; '))
}
