import type { AnyStateMachine, ContextFrom, EventFromLogic, InputFrom, OutputFrom, StateMachine } from 'xstate'

/** The names of a chart, as `setup` and `createMachine` were given them. */
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
    infer Tag,
    infer _Input,
    infer _Output,
    infer _Emitted,
    infer _Meta,
    infer _Schema,
    infer _TransitionMeta
  >
    ? { readonly actor: Actor; readonly action: Action; readonly delay: Delay; readonly tag: Tag }
    : never

type ActorOf<C> = PartsOf<C>['actor']

export type ChartContext<C extends AnyStateMachine> = ContextFrom<C>

/** The input of a new actor of the chart. */
export type ChartInput<C extends AnyStateMachine> = InputFrom<C>

/** The tags of a chart's states: the statuses of its actors. */
export type ChartStatus<C extends AnyStateMachine> = PartsOf<C>['tag'] & string

/** The names of a chart's actions. */
export type ActionName<C> = PartsOf<C>['action']['type']

/** The parameters that the chart gives an action. */
export type ActionParams<C, N> = Extract<PartsOf<C>['action'], { readonly type: N }>['params']

/** The `src` of a chart's invoked jobs: the queues that they wait in. */
export type JobQueue<C> = ActorOf<C>['src']

type LogicOf<C, Q> = Extract<ActorOf<C>, { readonly src: Q }>['logic']

/** The input that the chart gives the jobs of a queue. */
export type JobInput<C, Q> = InputFrom<LogicOf<C, Q>>

/** The output that a job of a queue must have. */
export type JobOutput<C, Q> = OutputFrom<LogicOf<C, Q>>

/** The result of a job, as the chart's `onDone` accepts it. */
export interface JobDone<Id extends string, Output> {
  readonly type: `xstate.done.actor.${Id}`
  readonly output: Output
  readonly actorId: Id
}

/** The error of a failed job, as the chart's `onError` sees it. */
export interface JobError {
  readonly code: string
  readonly message: string
}

/** The failure of a job, as the chart's `onError` accepts it. */
export interface JobFailure<Id extends string> {
  readonly type: `xstate.error.actor.${Id}`
  readonly error: JobError
  readonly actorId: Id
}

type ResultOf<A> = A extends { readonly id: infer Id extends string; readonly logic: infer L }
  ? JobDone<Id, OutputFrom<L>> | JobFailure<Id>
  : never

interface TimerFired<Delay extends string> {
  readonly type: `xstate.after.${Delay}.${string}`
}

/** All events of an actor of the chart: its own, its timers', and the results of its jobs. */
export type ChartEvent<C extends AnyStateMachine> =
  | EventFromLogic<C>
  | ResultOf<ActorOf<C>>
  | TimerFired<PartsOf<C>['delay']>
