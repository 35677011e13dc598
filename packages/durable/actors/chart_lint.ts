import type { AnyStateMachine, AnyStateNode } from 'xstate'

/** A chart that would not survive in a database. The message names every state and its fault. */
export class InvalidChartError extends Error {
  override name = 'InvalidChartError'
}

type Invoke = { readonly id?: string; readonly src?: unknown; readonly onDone?: unknown; readonly onError?: unknown }

function toList(value: unknown): readonly unknown[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value]
}

function ancestors(node: AnyStateNode): readonly AnyStateNode[] {
  return node.parent === undefined ? [node] : [node, ...ancestors(node.parent)]
}

/** Every state of a chart, the root first. */
export function listStates(node: AnyStateNode): readonly AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(child => listStates(child))]
}

/** An unknown delay fires at once, and the type checker accepts it; a numeric one has an unstable name in the database. */
function delayFaults(machine: AnyStateMachine, node: AnyStateNode): string[] {
  return Object.keys(node.config.after ?? {}).flatMap(name => {
    if (/^\d+$/.test(name)) return [`numeric delay ${name}`]
    return Object.hasOwn(machine.implementations.delays, name) ? [] : [`unknown delay ${name}`]
  })
}

/** An unhandled error of a job would kill the actor, and an unnamed job has an unstable name in the database. */
function invokeFaults(machine: AnyStateMachine, node: AnyStateNode): string[] {
  return (toList(node.config.invoke) as Invoke[]).flatMap(invoke => {
    const faults: string[] = []
    if (invoke.id === undefined) faults.push('an invoke has no id')
    if (typeof invoke.src !== 'string' || machine.implementations.actors[invoke.src] === undefined)
      faults.push(`invoke ${invoke.id ?? '?'} has no declared src`)
    if (invoke.onError === undefined) faults.push(`invoke ${invoke.id ?? '?'} has no onError`)
    return faults
  })
}

/** A wildcard accepts `xstate.*` too: results and timers of any state. */
function eventFaults(node: AnyStateNode): string[] {
  return Object.keys(node.config.on ?? {})
    .filter(event => event.includes('*') || event.startsWith('xstate.'))
    .map(event => `event ${event} is not a name of its own`)
}

type Named = string | { readonly type?: unknown }

function findName(used: unknown): string | null {
  const name = typeof used === 'string' ? used : (used as Named | null) && (used as { type?: unknown }).type
  return typeof name === 'string' ? name : null
}

/** The actions written at a state and its transitions; XState's own (timers, jobs) are not among them. */
function usedActions(node: AnyStateNode): readonly unknown[] {
  const own = [...toList(node.config.entry), ...toList(node.config.exit)]
  const transitions = [...node.transitions.values(), node.always ?? []].flat()
  return [...own, ...transitions.flatMap(transition => [...transition.actions])]
}

/**
 * Finds unnamed and unknown parts. Stately's tools and the journal can only show named ones, and an unknown name is
 * ignored silently. XState's own actions written in place (`sendTo`, `spawnChild`, `raise` …) would act on live actors,
 * and there are none.
 */
function nameFaults(machine: AnyStateMachine, node: AnyStateNode): string[] {
  const { actions, guards } = machine.implementations
  const transitions = [...node.transitions.values(), node.always ?? []].flat()
  const known = (table: object, name: string | null): boolean => name !== null && Object.hasOwn(table, name)
  return [
    ...usedActions(node)
      .map(findName)
      .filter(name => !known(actions, name))
      .map(name => `unknown action ${name ?? '(unnamed)'}`),
    ...transitions
      .filter(({ guard }) => guard !== undefined && !known(guards, findName(guard)))
      .map(({ guard }) => `unknown guard ${findName(guard) ?? '(unnamed)'}`),
  ]
}

/** Exit actions run before the transition's assignments, so they would read the old context. */
function exitFaults(node: AnyStateNode): string[] {
  return toList(node.config.exit).map(
    action => `exit action ${findName(action) ?? '(unnamed)'} runs before the assignments`,
  )
}

/** XState's own actions act on live actors, except for `assign`, which is pure. */
function actionFaults(machine: AnyStateMachine): string[] {
  return Object.entries(machine.implementations.actions)
    .map(([name, action]): [string, unknown] => [name, action && 'type' in action ? action.type : undefined])
    .filter(([, type]) => type !== undefined && type !== 'xstate.assign')
    .map(([name, type]) => `${machine.root.id}: action ${name} is ${type}, which has no durable meaning`)
}

/** An unguarded `always` leaves its state within the same step: that status would never be seen. */
function fleetingFaults(node: AnyStateNode): string[] {
  return node.tags.length > 0 && node.always?.some(({ guard }) => guard === undefined)
    ? ['its status is left at once and never seen']
    : []
}

/** Exactly one status on the way to every leaf, and none below a parallel state, whose regions are active together. */
function tagFaults(node: AnyStateNode): string[] {
  const above = ancestors(node)
  if (node.tags.length > 0 && above.slice(1).some(({ type }) => type === 'parallel'))
    return ['a status tag inside a region']
  if (Object.keys(node.states).length > 0) return []
  const tags = above.flatMap(({ tags }) => tags)
  return tags.length === 1 ? [] : [`${tags.length} status tags`]
}

function leads(node: AnyStateNode): boolean {
  return node.transitions.size > 0 || (node.always?.length ?? 0) > 0
}

/** A state that is not final and that nothing leaves holds its actor for ever. */
function deadEndFaults(node: AnyStateNode): string[] {
  return node.type === 'atomic' && !ancestors(node).some(leads) ? ['nothing leaves it'] : []
}

/** History can't be restored from a persisted snapshot: `resolveState` throws on it. */
function historyFaults(node: AnyStateNode): string[] {
  return node.type === 'history' ? ['history states are not durable'] : []
}

/** Every fault of a chart, as a sentence. */
export function findChartErrors(machine: AnyStateMachine): readonly string[] {
  return [
    ...actionFaults(machine),
    ...listStates(machine.root).flatMap(node =>
      [
        ...delayFaults(machine, node),
        ...invokeFaults(machine, node),
        ...eventFaults(node),
        ...nameFaults(machine, node),
        ...exitFaults(node),
        ...fleetingFaults(node),
        ...tagFaults(node),
        ...deadEndFaults(node),
        ...historyFaults(node),
      ].map(fault => `${node.id}: ${fault}`),
    ),
  ]
}

/** Run at every start. @throws {InvalidChartError} naming every fault */
export function requireValidChart(machine: AnyStateMachine): void {
  const faults = findChartErrors(machine)
  if (faults.length > 0) throw new InvalidChartError(faults.join('; '))
}
