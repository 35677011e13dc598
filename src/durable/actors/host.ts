import type { AnyEventObject } from 'xstate'
import { ApiError } from '../../base/api_error.ts'
import type { Clock } from '../../base/clock.ts'
import { runLater, type Statement, type Unit } from '../store/statement.ts'
import type { Store } from '../store/store.ts'
import type { ChartEvent } from './chart_types.ts'
import type {
  ActorDefinition,
  ActorState,
  ActorTypes,
  AnyActorDefinition,
  Fence,
  NewActor,
  SendOptions,
} from './definition.ts'
import { appendToJournalUnit, createUnit, sendUnit } from './units.ts'

/** The durable actor host: the only place where charts run. */
export interface Host {
  /**
   * Creates an actor in one commit, `writes` included; what it begins with may be read in the commit itself.
   * @throws {ApiError} `unavailable`, and whatever the reading throws
   */
  create<A extends ActorTypes>(
    kind: ActorDefinition<A>,
    actor: NoInfer<NewActor<A> | (() => Unit<NewActor<A>>)>,
    writes?: readonly Statement[],
  ): Promise<ActorState<A>>
  /**
   * One event, one commit: snapshot, journal, timers, jobs, and whatever the chart's actions and `writes` add.
   * @throws {ApiError} `not_allowed_in_state` where the chart doesn't take the event, `not_found`, `unavailable`
   */
  send<A extends ActorTypes>(
    kind: ActorDefinition<A>,
    id: string,
    event: NoInfer<ChartEvent<A['chart']>>,
    options?: NoInfer<SendOptions<A>>,
  ): Promise<ActorState<A>>
  /**
   * Sends an actor what came of one of its due rows, whatever sort it is: a timer, or a job's result. Who holds the row
   * says so by its fence. @throws {ApiError} as `send`
   */
  sendResult(
    kind: AnyActorDefinition,
    id: string,
    event: AnyEventObject,
    options: SendOptions & { readonly fence: Fence },
  ): Promise<ActorState>
  /** `create` inside another actor's commit. */
  createInTransaction<A extends ActorTypes>(kind: ActorDefinition<A>, actor: NoInfer<NewActor<A>>): Unit<ActorState<A>>
  /** `send` inside another actor's commit; null where the chart doesn't take the event. */
  sendInTransaction<A extends ActorTypes>(
    kind: ActorDefinition<A>,
    id: string,
    event: NoInfer<ChartEvent<A['chart']>>,
  ): Unit<ActorState<A> | null>
  /**
   * Adds to an actor's journal what is no event of its chart, such as that it was looked at; also where it has ended.
   * @throws {ApiError} `not_found`
   */
  appendToJournal<A extends ActorTypes>(kind: ActorDefinition<A>, id: string, note: NoInfer<A['note']>): Unit<void>
  /** One commit of several actors' creations and events, which `subscribe`'s listeners then hear of. */
  transaction<T>(unit: () => Unit<{ readonly value: T; readonly told: readonly ActorState[] }>): Promise<T>
  /** Calls `listener` after each commit of this node; the returned function ends that. */
  subscribe(listener: (actor: ActorState) => void): () => void
}

/** Results of jobs and timers: known by their fence, which nobody outside can have. */
const isInternal = (event: AnyEventObject): boolean => event.type.startsWith('xstate.')

/** Makes the host of a store. */
export const createHost = (store: Store, clock: Clock): Host => {
  const listeners = new Set<(actor: ActorState) => void>()
  const lock = store.dialect.lock
  const publish = (actor: ActorState): ActorState => {
    for (const listener of listeners) listener(actor)
    return actor
  }
  const send = async (
    kind: AnyActorDefinition,
    id: string,
    event: AnyEventObject,
    options: SendOptions,
  ): Promise<ActorState> => {
    if (isInternal(event) && options.fence === undefined) throw new ApiError('invalid_field', 'type: is reserved')
    const told = await store.commit(() => sendUnit({ kind, id, event, now: clock.now(), lock, options }))
    if ('actor' in told) return publish(told.actor)
    throw new ApiError('not_allowed_in_state', `${kind.name}: ${event.type} is not possible, ${told.refused}`)
  }

  return {
    async create(kind, actor, writes = []) {
      const unit = function* (): Unit<ActorState> {
        const created = typeof actor === 'function' ? yield* actor() : actor
        yield* runLater(writes)
        return yield* createUnit(kind, created, clock.now())
      }
      return publish(await store.commit(unit))
    },
    send: (kind, id, event, options = {}) => send(kind, id, event, options),
    sendResult: send,
    createInTransaction: (kind, actor) => createUnit(kind, actor, clock.now()),
    *sendInTransaction(kind, id, event) {
      const told = yield* sendUnit({ kind, id, event, now: clock.now(), lock, options: {} })
      return 'actor' in told ? told.actor : null
    },
    appendToJournal: (kind, id, event) => appendToJournalUnit({ kind, id, event, now: clock.now(), lock }),
    async transaction(unit) {
      const { value, told } = await store.commit(unit)
      for (const actor of told) publish(actor)
      return value
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
