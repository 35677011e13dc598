import { listStates } from 'durable-xstate-sql/testing'
import {
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  getInitialMicrosteps,
  getMicrosteps,
} from 'xstate'
import { TestModel } from 'xstate/graph'

/** A sequence of events that the chart accepts, one after the other, from its beginning. */
export interface GeneratedPath {
  readonly input: unknown
  readonly events: readonly AnyEventObject[]
  /** The transitions that the last event makes happen, and the states that are active after it. */
  readonly transitions: readonly string[]
  readonly states: readonly string[]
}

/** Returns the parts of a chart's context that open or close a transition. */
type Summary = (context: never, snapshot: AnyMachineSnapshot) => unknown

/** `transaction.open|CANCEL|0`: the first candidate for CANCEL at that state. */
function transitionName(source: { id: string; transitions: Map<string, unknown[]> }, type: string, one: unknown) {
  return `${source.id}|${type}|${source.transitions.get(type)?.indexOf(one)}`
}

/** Every transition that a chart declares; an `always` is one of an event without a name. */
export function declaredTransitions(machine: AnyStateMachine): readonly string[] {
  return listStates(machine.root).flatMap(node => [
    ...[...node.transitions].flatMap(([type, candidates]) => candidates.map(one => transitionName(node, type, one))),
    ...(node.always ?? []).map((_, index) => `${node.id}||${index}`),
  ])
}

type Microsteps = readonly (readonly [AnyMachineSnapshot, unknown])[]

function activeIn([snapshot]: Microsteps[number]): ReadonlySet<string> {
  return new Set(snapshot._nodes.map(({ id }) => id))
}

/**
 * The `always` transitions within one step. No two candidates of a state have the same target, so the target identifies
 * each.
 */
function alwaysIn(steps: Microsteps): readonly string[] {
  return steps.slice(1).flatMap((step, index) => {
    const [before] = steps[index] ?? step
    const after = activeIn(step)
    return before._nodes.flatMap(node =>
      (node.always ?? []).flatMap(({ target = [] }, candidate) =>
        !after.has(node.id) && target.some(({ id }) => after.has(id)) ? [`${node.id}||${candidate}`] : [],
      ),
    )
  })
}

function initialAlways(machine: AnyStateMachine, input: unknown): readonly string[] {
  return alwaysIn(getInitialMicrosteps(machine, input as never) as never)
}

/** States in which a chart can rest: an unguarded `always` leaves the others within the same step. */
export function restingStates(machine: AnyStateMachine): readonly string[] {
  return listStates(machine.root)
    .filter(node => node.type !== 'history' && !node.always?.some(({ guard }) => guard === undefined))
    .map(({ id }) => id)
}

/** Whether an event can come: a result or an error comes from a job that runs. */
function canCome(snapshot: AnyMachineSnapshot, { type, actorId }: AnyEventObject): boolean {
  return (
    !/^xstate\.(done|error)\.actor\./.test(type) ||
    snapshot._nodes.some(({ invoke }) => invoke.some(({ id }) => id === actorId))
  )
}

/** Whether the chart accepts an event now. */
function takes(snapshot: AnyMachineSnapshot, event: AnyEventObject): boolean {
  return snapshot.status === 'active' && canCome(snapshot, event) && snapshot.can(event)
}

/**
 * Shortest paths to every state, found by XState's own `TestModel` on the production chart, each with one more event
 * for every event that is accepted there. `after` and `invoke` are ordinary events here. No path goes on after an event
 * that `goesOn` leaves out.
 */
export function generatePaths(
  machine: AnyStateMachine,
  input: unknown,
  events: readonly AnyEventObject[],
  summary: Summary,
  goesOn: (snapshot: AnyMachineSnapshot, event: AnyEventObject) => boolean = () => true,
): readonly GeneratedPath[] {
  const model = new TestModel<AnyMachineSnapshot, AnyEventObject, unknown>(machine as never, {
    events: [...events],
    input,
    filterEvents: (snapshot, event) => takes(snapshot, event) && goesOn(snapshot, event),
    serializeState: snapshot => JSON.stringify([snapshot.value, summary(snapshot.context as never, snapshot)]),
  })
  return model.getShortestPaths({ allowDuplicatePaths: true }).flatMap(path => {
    const taken = path.steps.map(({ event }) => event).filter(({ type }) => type !== 'xstate.init')
    return events
      .filter(event => takes(path.state, event))
      .map(event => {
        const selected = machine.getTransitionData(path.state as never, event)
        const steps = getMicrosteps(machine, path.state as never, event as never) as Microsteps
        const [after] = steps.at(-1) ?? [path.state]
        return {
          input,
          events: [...taken, event],
          transitions: [
            ...(taken.length === 0 ? initialAlways(machine, input) : []),
            ...selected.map(one => transitionName(one.source as never, one.eventType, one)),
            ...alwaysIn(steps),
          ],
          states: [...(taken.length === 0 ? path.state._nodes : []), ...after._nodes].map(({ id }) => id),
        }
      })
  })
}

/** The name of a path begins with the name of each of its beginnings. */
function nameOf(input: unknown, events: readonly AnyEventObject[]): string {
  return JSON.stringify([input, ...events]).slice(0, -1)
}

/** Paths that are no beginning of another: walking these walks all. */
export function longest(paths: readonly GeneratedPath[]): readonly GeneratedPath[] {
  const names = paths.map(({ input, events }) => nameOf(input, events))
  const sorted = [...names].sort()
  const isPrefix = new Set(sorted.filter((name, index) => sorted[index + 1]?.startsWith(`${name},`)))
  return paths.filter((_, index) => !isPrefix.has(names[index] ?? ''))
}

/** Returns a path with all that happens on it: `transitions` and `states` of a generated one are of its last event. */
function wholePath(path: GeneratedPath, beginnings: ReadonlyMap<string, GeneratedPath>): GeneratedPath {
  const steps = path.events.flatMap(
    (_, index) => beginnings.get(nameOf(path.input, path.events.slice(0, index + 1))) ?? [],
  )
  const all = (of: 'transitions' | 'states'): readonly string[] => [...new Set(steps.flatMap(step => step[of]))]
  return { ...path, transitions: all('transitions'), states: all('states') }
}

/**
 * Few paths that still take every transition and rest in every state, each with all that happens on it: at each turn
 * the path that brings most that is new for its events.
 */
export function covering(paths: readonly GeneratedPath[]): readonly GeneratedPath[] {
  const beginnings = new Map(paths.map(path => [nameOf(path.input, path.events), path]))
  let left = longest(paths).map(path => ({ path: wholePath(path, beginnings), fresh: Number.POSITIVE_INFINITY }))
  const covered = new Set<string>()
  const chosen: GeneratedPath[] = []
  while (left.length > 0) {
    left = left
      .map(({ path }) => ({
        path,
        fresh: [...path.transitions, ...path.states].filter(one => !covered.has(one)).length,
      }))
      .filter(({ fresh }) => fresh > 0)
    const [best] = left.toSorted((a, b) => b.fresh / b.path.events.length - a.fresh / a.path.events.length)
    if (best === undefined) break
    chosen.push(best.path)
    for (const one of [...best.path.transitions, ...best.path.states]) covered.add(one)
  }
  return chosen
}
