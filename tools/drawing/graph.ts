import type {
  ChartDefinition,
  NamedDefinition,
  OneOrMany,
  StateDefinition,
  TransitionDefinition,
  TransitionsDefinition,
} from './definition.ts'

/** Returns one thing, several or none as a list. */
function toList<T>(value: OneOrMany<T> | undefined): readonly T[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value as T]
}

/** A chart with all its names resolved: the states as a tree, the transitions as a list in the order of the definition. */
export interface ChartGraph {
  readonly id: string
  readonly root: ChartState
  readonly transitions: readonly ChartTransition[]
}

/** A state. `path` is its place below the root, as a snapshot's value has it: `submitted.PROCESSING`; the root's is empty. */
export interface ChartState {
  /** Name in XState and in the journal: `transaction.submitted.PROCESSING`. */
  readonly id: string
  readonly path: string
  readonly key: string
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history'
  readonly description: string | null
  readonly tags: readonly string[]
  readonly entry: readonly string[]
  readonly exit: readonly string[]
  readonly invokes: readonly string[]
  /** The path of the state that this one begins in. */
  readonly initial: string | null
  readonly states: readonly ChartState[]
}

/** The causes of a transition. */
type Trigger = 'event' | 'after' | 'always' | 'done' | 'error'

/** One candidate of one event at one state. */
export interface ChartTransition {
  /** `transaction.open|CANCEL|0`: the state, XState's name of the event, and the number of the candidate. */
  readonly id: string
  readonly source: string
  /** Target of the transition; the source itself if it stays. */
  readonly target: string
  readonly trigger: Trigger
  /** XState's name of the event: `CANCEL`, `xstate.after.TTL.transaction.open`; empty for `always`. */
  readonly event: string
  /** The event's name, the delay's, or the job's. */
  readonly name: string
  /** The guard in a readable form: `takesLeft(front)`. */
  readonly guard: string | null
  /** Tried only after others of the same event, and itself without a guard. */
  readonly otherwise: boolean
  readonly actions: readonly string[]
  /** Has no target: no state is left or entered. */
  readonly internal: boolean
  readonly reenter: boolean
  readonly description: string | null
  /** Text below its label; a picture of coverage writes here how often it was taken. */
  readonly note?: string
}

/** Every state of a chart, the root first. */
export function allStates(state: ChartState): readonly ChartState[] {
  return [state, ...state.states.flatMap(allStates)]
}

/** The states that are drawn: all but the root, whose border is the picture's. */
export function drawnStates({ root }: ChartGraph): readonly ChartState[] {
  return allStates(root).slice(1)
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

/** `{ type: 'fail', params: { failure: 'CANCELLED' } }` reads `fail(CANCELLED)`. */
function describeNamed(named: NamedDefinition): string {
  if (typeof named === 'string') return named
  const values = Object.values((named.params ?? {}) as Readonly<Record<string, unknown>>)
  return values.length === 0 ? named.type : `${named.type}(${values.map(String).join(', ')})`
}

function toType({ type, states }: StateDefinition): ChartState['type'] {
  return type ?? (Object.keys(states ?? {}).length > 0 ? 'compound' : 'atomic')
}

function findInitial({ initial }: StateDefinition, path: string): string | null {
  const target = typeof initial === 'object' ? initial.target : initial
  return target === undefined ? null : join(path, target)
}

function toState(chart: string, path: string, definition: StateDefinition): ChartState {
  return {
    id: definition.id ?? (path === '' ? chart : `${chart}.${path}`),
    path,
    key: path === '' ? chart : (path.split('.').at(-1) ?? path),
    type: toType(definition),
    description: definition.description ?? null,
    tags: toList(definition.tags),
    entry: toList(definition.entry).map(describeNamed),
    exit: toList(definition.exit).map(describeNamed),
    invokes: toList(definition.invoke).map(({ id, src }, index) => id ?? (typeof src === 'string' ? src : `${index}`)),
    initial: findInitial(definition, path),
    states: Object.entries(definition.states ?? {}).map(([key, inner]) => toState(chart, join(path, key), inner)),
  }
}

/** `#id`, `#id.below`, `.child`, or a sibling, with dots on the way down. @throws {Error} where there is no such state */
function resolve(states: readonly ChartState[], source: ChartState, target: string): string {
  const parent = source.path.split('.').slice(0, -1).join('.')
  const byId = states.filter(({ id }) => target === `#${id}` || target.startsWith(`#${id}.`)).at(-1)
  const path = target.startsWith('#')
    ? byId && join(byId.path, target.slice(byId.id.length + 2)).replace(/\.$/, '')
    : target.startsWith('.')
      ? join(source.path, target.slice(1))
      : join(parent, target)
  if (path === undefined || !states.some(state => state.path === path))
    throw new Error(`${source.id}: there is no state ${target}`)
  return path
}

/** An event of a state, in all its spellings, with its candidates. */
interface Event {
  readonly trigger: Trigger
  readonly event: string
  readonly name: string
  readonly candidates: TransitionsDefinition | undefined
}

function listEvents(state: ChartState, definition: StateDefinition): readonly Event[] {
  return [
    { trigger: 'always', event: '', name: 'always', candidates: definition.always },
    ...Object.entries(definition.on ?? {}).map(([event, candidates]): Event => {
      // A state may handle the errors of all jobs inside it: `xstate.error.actor.*`.
      const failed = /^xstate\.error\.actor\.(.+)$/.exec(event)?.[1]
      return failed === undefined
        ? { trigger: 'event', event, name: event, candidates }
        : { trigger: 'error', event, name: failed === '*' ? 'any job' : failed, candidates }
    }),
    ...toList(definition.invoke).flatMap(({ onDone, onError }, index): Event[] => {
      const name = state.invokes[index] ?? ''
      return [
        { trigger: 'done', event: `xstate.done.actor.${name}`, name, candidates: onDone },
        { trigger: 'error', event: `xstate.error.actor.${name}`, name, candidates: onError },
      ]
    }),
    ...Object.entries(definition.after ?? {}).map(([name, candidates]): Event => {
      return { trigger: 'after', event: `xstate.after.${name}.${state.id}`, name, candidates }
    }),
    { trigger: 'done', event: `xstate.done.state.${state.id}`, name: state.key, candidates: definition.onDone },
  ]
}

function asTransition(candidate: string | TransitionDefinition): TransitionDefinition {
  return typeof candidate === 'string' ? { target: candidate } : candidate
}

function listTransitions(states: readonly ChartState[], state: ChartState, definition: StateDefinition) {
  return listEvents(state, definition).flatMap(({ candidates, ...event }) =>
    toList(candidates)
      .map(asTransition)
      .map((transition, index): ChartTransition => {
        const [target] = toList(transition.target)
        return {
          ...event,
          id: `${state.id}|${event.event}|${index}`,
          source: state.path,
          target: target === undefined ? state.path : resolve(states, state, target),
          guard: transition.guard === undefined ? null : describeNamed(transition.guard),
          otherwise: index > 0 && transition.guard === undefined,
          actions: toList(transition.actions).map(describeNamed),
          internal: target === undefined,
          reenter: transition.reenter ?? false,
          description: transition.description ?? null,
        }
      }),
  )
}

function definitionAt(root: StateDefinition, path: string): StateDefinition {
  return path === '' ? root : path.split('.').reduce<StateDefinition>((at, key) => at.states?.[key] ?? {}, root)
}

/** The graph of a chart's definition, complete. @throws {Error} naming a target that does not exist */
export function chartGraph(json: object): ChartGraph {
  const definition = json as ChartDefinition
  const id = definition.id ?? 'chart'
  const root = toState(id, '', definition)
  const states = allStates(root)
  const transitions = states.flatMap(state => listTransitions(states, state, definitionAt(definition, state.path)))
  return { id, root, transitions }
}
