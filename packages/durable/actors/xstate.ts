import {
  type ActorLogic,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  createActor,
  type ExecutableActionObject,
  initialTransition,
  type Snapshot,
  transition,
} from 'xstate'
import type { JobDone, JobError, JobFailure } from './chart_types.ts'

/**
 * The only file that touches XState's running parts. A chart is stepped purely: persisted snapshot and event in, next
 * persisted snapshot and effects as data out. There is never a live actor: XState's own forget their timers at a
 * restart and run every promise again at each load (statelyai/xstate#5331).
 */

/** A snapshot as the database keeps it. */
export type PersistedSnapshot = Snapshot<unknown>

/** Something that follows from a step; the commit of the snapshot writes it too. */
export type Effect =
  | { readonly type: 'startTimer'; readonly name: string; readonly delayMs: number; readonly event: AnyEventObject }
  | { readonly type: 'startJob'; readonly name: string; readonly src: string; readonly input: unknown }
  | { readonly type: 'cancel'; readonly name: string }
  | { readonly type: 'action'; readonly name: string; readonly params: unknown }

/** The result of a step. */
export interface Step<Context = unknown> {
  readonly snapshot: PersistedSnapshot
  readonly effects: readonly Effect[]
  /** The only tag of the active states: the actor's public status. */
  readonly status: string
  readonly done: boolean
  readonly context: Context
}

/** A chart that broke its own rules: an exception in an action or a guard, or a state without exactly one status tag. */
class ChartRunError extends Error {
  override name = 'ChartRunError'
}

/** The input of a chart, in a box: XState also asks for a first snapshot without any. */
interface FirstInput {
  readonly input: unknown
}

/** A chart as logic that XState can step without living actors. */
type ChartLogic = ActorLogic<AnyMachineSnapshot, AnyEventObject, FirstInput | undefined>

const logics = new WeakMap<AnyStateMachine, ChartLogic>()

/**
 * `transition` makes an actor of its logic each time, in its first state, and does not use it. This logic has one at
 * once: a step of the transaction chart costs 100 µs of CPU, and 240 where the machine itself is passed.
 */
function logicOf(machine: AnyStateMachine): ChartLogic {
  const known = logics.get(machine)
  if (known !== undefined) return known
  const unused = machine.resolveState({ value: {}, context: {} })
  const logic: ChartLogic = {
    getInitialSnapshot: (scope, given) =>
      given === undefined ? unused : machine.getInitialSnapshot(scope, given.input),
    transition: (snapshot, event, scope) => machine.transition(snapshot, event, scope),
    restoreSnapshot: (snapshot, scope) => machine.restoreSnapshot(snapshot, scope),
    getPersistedSnapshot: snapshot => machine.getPersistedSnapshot(snapshot),
  }
  logics.set(machine, logic)
  return logic
}

type Params = { readonly [name: string]: unknown }

function childId(params: unknown): string {
  const id = typeof params === 'object' && params !== null && 'id' in params ? params.id : params
  if (typeof id !== 'string') throw new ChartRunError('a job without an id was stopped')
  return id
}

function toEffect({ type, params }: ExecutableActionObject): Effect | null {
  const given = (params ?? {}) as Params
  switch (type) {
    case 'xstate.raise':
      return typeof given.delay === 'number'
        ? { type: 'startTimer', name: String(given.id), delayMs: given.delay, event: given.event as AnyEventObject }
        : null
    case 'xstate.cancel':
      return { type: 'cancel', name: typeof params === 'string' ? params : String(given.sendId) }
    case 'xstate.spawnChild':
      return { type: 'startJob', name: String(given.id), src: String(given.src), input: given.input ?? null }
    case 'xstate.stopChild':
      return { type: 'cancel', name: childId(params) }
    default:
      if (type.startsWith('xstate.')) throw new ChartRunError(`${type} has no durable meaning here`)
      return { type: 'action', name: type, params: params ?? null }
  }
}

/** Replaces a context that XState must not search. */
const nothing = {}

/**
 * XState searches the whole context for live actors, to restore and to persist them: half the cost of a step. Here
 * there are none, so the context is taken out before and put back after.
 */
function restore(machine: AnyStateMachine, persisted: PersistedSnapshot): AnyMachineSnapshot {
  const bare = Object.assign({ ...persisted }, { context: nothing })
  const restored = createActor(logicOf(machine), { snapshot: bare }).getSnapshot()
  // An actor keeps an error of its logic in its snapshot.
  if (restored.error !== undefined) throw new ChartRunError(`${machine.id}: not restored`, { cause: restored.error })
  return Object.assign(restored, { context: readContext(persisted) })
}

/** JSON.stringify(snapshot) is not the persisted form: children and history would be lost. */
function persist(machine: AnyStateMachine, snapshot: AnyMachineSnapshot): PersistedSnapshot {
  const bare: AnyMachineSnapshot = { ...snapshot, context: nothing }
  return Object.assign(machine.getPersistedSnapshot(bare), { context: snapshot.context })
}

function createStep(
  machine: AnyStateMachine,
  [next, actions]: readonly [AnyMachineSnapshot, readonly ExecutableActionObject[]],
): Step {
  if (next.status === 'error') throw new ChartRunError(`chart ${machine.id} failed`, { cause: next.error })
  const [status, ...more] = next.tags
  if (status === undefined || more.length > 0) throw new ChartRunError(`${machine.id}: ${next.tags.size} status tags`)
  return {
    snapshot: persist(machine, next),
    effects: actions.map(toEffect).filter(effect => effect !== null),
    status,
    done: next.status === 'done',
    context: next.context,
  }
}

/** The first step of a new actor. @throws {ChartRunError} */
export function firstStep(machine: AnyStateMachine, input: unknown): Step {
  return createStep(machine, initialTransition(logicOf(machine), { input }))
}

/** One event; null where the chart does not accept it in this state. @throws {ChartRunError} */
export function nextStep(machine: AnyStateMachine, persisted: PersistedSnapshot, event: AnyEventObject): Step | null {
  const before = restore(machine, persisted)
  // A pure transition would not stop at the end.
  if (before.status !== 'active' || !before.can(event)) return null
  return createStep(machine, transition(logicOf(machine), before, event))
}

function namesState(node: AnyStateNode, value: unknown): boolean {
  if (typeof value === 'string') return Object.hasOwn(node.states, value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).every(([name, inner]) => {
    const child = Object.hasOwn(node.states, name) ? node.states[name] : undefined
    return child !== undefined && (isEmpty(inner) || namesState(child, inner))
  })
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** @throws {ChartRunError} for a snapshot that is none of the chart's */
export function requireSnapshot(machine: AnyStateMachine, persisted: PersistedSnapshot): void {
  const { value, context, status } = (persisted ?? {}) as Readonly<Record<string, unknown>>
  const isWhole = typeof status === 'string' && typeof context === 'object' && context !== null
  if (!isWhole || !namesState(machine.root, value)) throw new ChartRunError(`${machine.id}: not a snapshot of it`)
}

/** The context inside a persisted snapshot. */
export function readContext<T>(persisted: PersistedSnapshot): T {
  return (persisted as unknown as { context: T }).context
}

/** The result of a job, by the id of its invoke. */
export function jobDone<const Id extends string, Output>(id: Id, output: Output): JobDone<Id, Output> {
  return {
    type: `xstate.done.actor.${id}`,
    output,
    actorId: id,
  }
}

/** The failure of a job, by the id of its invoke. */
export function jobFailed<const Id extends string>(id: Id, error: JobError): JobFailure<Id> {
  return {
    type: `xstate.error.actor.${id}`,
    error,
    actorId: id,
  }
}

/** The name of the timer or job that an event comes from, as its row has it. */
export function readJobName({ type, actorId }: AnyEventObject): string {
  return type.startsWith('xstate.after.') ? type : String(actorId)
}
