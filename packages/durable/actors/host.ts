import type { AnyEventObject } from 'xstate'
import type { DurableClock } from '../clock.ts'
import { DurableError } from '../errors.ts'
import type { Dialect } from '../store/dialect.ts'
import type { Unit } from '../store/statement.ts'
import type { Store } from '../store/store.ts'
import type { ChartEvent } from './chart_types.ts'
import type {
  ActorDefinition,
  ActorState,
  ActorTypes,
  AnyActorDefinition,
  CallOf,
  CommitMoment,
  CommitOptions,
  Fence,
  NewActor,
  SendOptions,
} from './definition.ts'
import { commitWithJobs, type JobTaker } from './new_jobs.ts'
import { appendToJournalUnit, createUnit, sendUnit } from './units.ts'

/** Runs durable actors: the only place where charts run. */
export interface Host {
  /** The dialect of the database that the host writes. */
  readonly dialect: Dialect
  /** Creates an actor in one commit. @throws {DurableError} `unavailable`, and any error of the procedure */
  create<A extends ActorTypes>(
    definition: ActorDefinition<A>,
    actor: NoInfer<NewActor<A>>,
    options?: NoInfer<CommitOptions<CallOf<A>>>,
  ): Promise<ActorState<A>>
  /**
   * One event, one commit: snapshot, journal, timers, jobs, and the additions of the chart's actions and the options.
   * @throws {DurableError} `not_allowed_in_state` where the chart doesn't accept the event, `not_found`, `unavailable`,
   * and any error of the procedure
   */
  send<A extends ActorTypes>(
    definition: ActorDefinition<A>,
    id: string,
    event: NoInfer<ChartEvent<A['chart']>>,
    options?: NoInfer<SendOptions<A>>,
  ): Promise<ActorState<A>>
  /** Sends the result of a scheduled job, or a timer's event, to its actor, of any type. @throws {DurableError} as `send` */
  sendResult(
    definition: AnyActorDefinition,
    id: string,
    event: AnyEventObject,
    options: SendOptions & { readonly fence: Fence },
  ): Promise<ActorState>
  /** `create` inside another actor's commit. */
  createInTransaction<A extends ActorTypes>(
    definition: ActorDefinition<A>,
    actor: NoInfer<NewActor<A>>,
  ): Unit<ActorState<A>>
  /** `send` inside another actor's commit; null where the chart doesn't accept the event. */
  sendInTransaction<A extends ActorTypes>(
    definition: ActorDefinition<A>,
    id: string,
    event: NoInfer<ChartEvent<A['chart']>>,
    options?: NoInfer<Pick<SendOptions<A>, 'known'>>,
  ): Unit<ActorState<A> | null>
  /** Adds an event that is not its chart's to an actor's journal, even after its end. @throws {DurableError} `not_found` */
  appendToJournal<A extends ActorTypes>(
    definition: ActorDefinition<A>,
    id: string,
    event: NoInfer<A['journalOnly']>,
  ): Unit<void>
  /** Creates actors and sends them events in one commit; listeners of `subscribe` are then called for those in `actors`. */
  transaction<T>(unit: () => Unit<{ readonly value: T; readonly actors: readonly ActorState[] }>): Promise<T>
  /** Calls `listener` after each commit of this node; the returned function ends that. */
  subscribe(listener: (actor: ActorState) => void): () => void
  /** Offers `taker` the jobs that this node's commits insert; the returned function ends that. */
  attach(taker: JobTaker): () => void
}

/** Results of jobs and events of timers: only a fence proves their origin. */
function isInternal(event: AnyEventObject): boolean {
  return event.type.startsWith('xstate.')
}

/**
 * One host a process: its listeners are called for its own commits only. `readTraceparent` names the trace of the
 * commit that it is called in: jobs and timers keep it.
 */
export function createHost(store: Store, clock: DurableClock, readTraceparent: () => string | null = () => null): Host {
  const moment = (): CommitMoment => ({ wall: clock.now(), traceparent: readTraceparent() })
  const listeners = new Set<(actor: ActorState) => void>()
  const takers = new Set<JobTaker>()
  const commit = <T>(unit: () => Unit<T>, ending: string | null = null): Promise<T> =>
    commitWithJobs(store, takers, unit, ending)
  const lock = store.dialect.forUpdate
  const publish = (actor: ActorState): ActorState => {
    for (const listener of listeners) listener(actor)
    return actor
  }
  const send = async (
    definition: AnyActorDefinition,
    id: string,
    event: AnyEventObject,
    options: SendOptions,
  ): Promise<ActorState> => {
    if (isInternal(event) && options.fence === undefined)
      throw new DurableError('not_allowed_in_state', `${event.type} is reserved for results and timers`)
    const unit = () => sendUnit({ definition, id, event, ...moment(), now: clock.now, lock, options })
    const sent = await commit(unit, options.fence?.queue)
    if ('actor' in sent) return publish(sent.actor)
    throw new DurableError(
      'not_allowed_in_state',
      `${definition.name}: ${event.type} is not possible, ${sent.rejected}`,
    )
  }

  return {
    dialect: store.dialect,
    create: async (definition, actor, options = {}) =>
      publish(await commit(() => createUnit(definition, actor, moment(), options))),
    send: (definition, id, event, options = {}) => send(definition, id, event, options),
    sendResult: send,
    createInTransaction: (definition, actor) => createUnit(definition, actor, moment(), {}),
    *sendInTransaction(definition, id, event, options = {}) {
      const sent = yield* sendUnit({ definition, id, event, ...moment(), now: clock.now, lock, options })
      return 'actor' in sent ? sent.actor : null
    },
    appendToJournal: (definition, id, event) => appendToJournalUnit({ definition, id, event, ...moment(), lock }),
    async transaction(unit) {
      const { value, actors } = await commit(unit)
      for (const actor of actors) publish(actor)
      return value
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    attach(taker) {
      takers.add(taker)
      return () => takers.delete(taker)
    },
  }
}
