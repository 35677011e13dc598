import type { AnyStateMachine, ContextFrom, EventFromLogic, InputFrom, OutputFrom, StateMachine } from 'xstate'

/** What a chart is known by: its names, as `setup` and `createMachine` were given them. */
type PartsOf<C> =
  C extends StateMachine<
    infer _Context,
    infer _Event,
    infer _Children,
    infer Actor,
    infer Action,
    infer _Guard,
    infer Delay,
    infer _Value,
    infer _Tag,
    infer _Input,
    infer _Output,
    infer _Emitted,
    infer _Meta,
    infer _Schema,
    infer _TransitionMeta
  >
    ? { readonly actor: Actor; readonly action: Action; readonly delay: Delay }
    : never

type ActorOf<C> = PartsOf<C>['actor']

/** A chart's context. */
export type ChartContext<C extends AnyStateMachine> = ContextFrom<C>

/** What an actor of the chart begins with. */
export type ChartInput<C extends AnyStateMachine> = InputFrom<C>

/** The names of a chart's actions. */
export type ActionName<C> = PartsOf<C>['action']['type']

/** What the chart gives an action. */
export type ActionParams<C, N> = Extract<PartsOf<C>['action'], { readonly type: N }>['params']

/** The `src` of a chart's invoked jobs: the queues that they wait in. */
export type JobQueue<C> = ActorOf<C>['src']

/** The ids of a chart's invoked jobs, as `setup`'s `children` names them. */
export type JobId<C> = NonNullable<ActorOf<C>['id']>

type LogicOf<C, Q> = Extract<ActorOf<C>, { readonly src: Q }>['logic']

/** What the chart gives the jobs of a queue. */
export type JobInput<C, Q> = InputFrom<LogicOf<C, Q>>

/** What a job of a queue must come to. */
export type JobOutput<C, Q> = OutputFrom<LogicOf<C, Q>>

/** The result of a job, as the chart's `onDone` takes it. */
export interface JobDone<Id extends string, Output> {
  readonly type: `xstate.done.actor.${Id}`
  readonly output: Output
  readonly actorId: Id
}

/** What the chart's `onError` learns of a job that failed. */
export interface JobError {
  readonly code: string
  readonly message: string
}

/** The failure of a job, as the chart's `onError` takes it. */
export interface JobFailure<Id extends string> {
  readonly type: `xstate.error.actor.${Id}`
  readonly error: JobError
  readonly actorId: Id
}

type ResultOf<A> = A extends { readonly id: infer Id extends string; readonly logic: infer L }
  ? JobDone<Id, OutputFrom<L>> | JobFailure<Id>
  : never

/** A timer that has come due. */
export interface TimerFired<Delay extends string> {
  readonly type: `xstate.after.${Delay}.${string}`
}

/** All that an actor of the chart may be told: its own events, its timers, and what its jobs came to. */
export type ChartEvent<C extends AnyStateMachine> =
  | EventFromLogic<C>
  | ResultOf<ActorOf<C>>
  | TimerFired<PartsOf<C>['delay']>
