import type { AnyEventObject, AnyStateMachine } from 'xstate'
import type { NewRowOf, RowOf } from '../store/columns.ts'
import type { CommitRecord, Statement, StatementResult, Unit } from '../store/statement.ts'
import type { ActorColumns, ActorTable, actorColumns, journalColumns } from '../store/tables.ts'
import type { ActionName, ActionParams, ChartContext, ChartInput, ChartStatus } from './chart_types.ts'
import type { Step } from './xstate.ts'

type ActorColumn = keyof typeof actorColumns | keyof typeof journalColumns
type ReadColumn = Exclude<ActorColumn, 'created_at' | 'held_until'>

/** The types that an actor definition is made from. */
export interface ActorTypes {
  readonly chart: AnyStateMachine
  /** The columns of its table. */
  readonly columns: ActorColumns
  /** Columns of its own that its actions read. */
  readonly reads: string
  /** Events that only its journal records: its chart does not know them. */
  readonly journalOnly: AnyEventObject
  /** The parameters of its procedures by name. A caller may name a procedure, to run in the commit of its event. */
  readonly procedures: Readonly<Record<string, unknown>>
}

/** The time for an actor, in epoch milliseconds. */
export interface ActorTime {
  /** The machine's time, by which rows are scheduled. */
  readonly wall: number
  /** The actor's own time. It is never before its journal's last entry, whose node's clock may have been ahead. */
  readonly actor: number
}

/** Columns of an actor's row that no step writes. */
export type OwnColumns<A extends ActorTypes = ActorTypes> = Partial<Omit<RowOf<A['columns']>, ActorColumn>>

/** The columns of an actor's row that a step reads. */
type KnownRow<A extends ActorTypes> = Pick<RowOf<A['columns']>, (ReadColumn | A['reads']) & keyof A['columns']>

/** The facts that an action or a procedure gets when it writes into its actor's commit. */
export interface ActionContext<A extends ActorTypes = ActorTypes, Params = unknown> {
  readonly actor_id: string
  readonly account_id: string
  readonly time: ActorTime
  /** The actor's own clock is ahead of the machine's by this many milliseconds. */
  readonly clock_offset_ms: number
  readonly params: Params
  /** The actor's row as it was read; a new actor's as it will be written. */
  readonly row: KnownRow<A>
  /** The chart's context, as it will be written. */
  readonly context: ChartContext<A['chart']>
  /** The results of the definition's `readsBeside`, read before anything was written. */
  readonly beside: readonly StatementResult[]
}

/** An action adds statements to the commit. It may create other actors and send them events. */
export type Action<A extends ActorTypes = ActorTypes, Params = unknown> = (
  context: ActionContext<A, Params>,
) => Unit<void>

/** The implementations of a definition's chart actions; `requireValidCharts` checks that none is missing. */
type Actions<A extends ActorTypes> = {
  readonly [N in ActionName<A['chart']>]?: Action<A, ActionParams<A['chart'], N>>
}

/** A procedure's name with its parameters: data, so that another thread or process could run it. */
export interface ProcedureCall {
  readonly name: string
  readonly params: unknown
}

/** The calls of the procedures of a definition. */
export type CallOf<A extends ActorTypes> = {
  readonly [N in keyof A['procedures'] & string]: { readonly name: N; readonly params: A['procedures'][N] }
}[keyof A['procedures'] & string]

/**
 * The members that all definitions have. They don't say which events the charts accept, so nothing can be sent by them
 * alone.
 */
export interface AnyActorDefinition {
  /** The `actor_type` of its rows. */
  readonly name: string
  readonly table: ActorTable
  readonly charts: Readonly<Record<number, AnyStateMachine>>
  /** The version of the chart that new actors get. */
  readonly currentVersion: number
  /** Statuses that no event leaves: an actor in one no longer needs its chart. */
  readonly terminalStatuses: readonly string[]
  readonly reads: readonly string[]
  /** The column, among `reads`, that names the lane of the queue in which the actor's jobs wait. */
  readonly lane?: string
  readonly journalOnly: readonly string[]
  /** Whether its actors take the same steps from the same snapshots, as deliveries do: each step is then computed once. */
  readonly repeatsSteps?: boolean
  readonly actions: object
  readonly procedures: object
  /** The reads of this event's actions in addition to the actor's row: in the same round trip, after that row is locked. */
  readonly readsBeside?: (id: string, event: AnyEventObject, lock: string) => readonly Statement[]
  /** Columns that change when the status does, such as `finished_at`. `now` is by the actor's clock. */
  onStatus(status: string, now: number): object
}

/** The charts of a build, and the version that new actors get: it may change while nodes of two builds run. */
export interface ActorCharts<Chart extends AnyStateMachine = AnyStateMachine> {
  readonly charts: Readonly<Record<number, Chart>>
  readonly currentVersion: () => number
}

/** A type of actor: its table, its charts by version, and what its charts' actions write. */
export interface ActorDefinition<A extends ActorTypes> extends AnyActorDefinition {
  readonly table: ActorTable<A['columns']>
  readonly charts: Readonly<Record<number, A['chart']>>
  readonly reads: readonly (A['reads'] & keyof A['columns'] & string)[]
  readonly lane?: A['reads']
  readonly journalOnly: readonly A['journalOnly']['type'][]
  readonly actions: Actions<A>
  /** They run first in the commit, once the chart has accepted the event, and refuse it by an exception. */
  readonly procedures: { readonly [N in keyof A['procedures']]: Action<A, A['procedures'][N]> }
  onStatus(status: ChartStatus<A['chart']>, now: number): Partial<RowOf<A['columns']>>
}

/** An actor after a commit. */
export interface ActorState<A extends ActorTypes = ActorTypes> {
  readonly actor_type: string
  readonly id: string
  readonly account_id: string
  readonly version: number
  readonly status: ChartStatus<A['chart']>
  readonly step: Step<ChartContext<A['chart']>>
}

/** A job that was begun: its result is accepted only while its row still carries this lease. */
export interface Fence {
  readonly job_id: string
  readonly lease: string | null
  /** The `held_job` of the actor's row; null, or absent, for a job with a row of its own. */
  readonly held?: string | null
  /** The job's queue: its slot is free for the jobs that its result starts. */
  readonly queue?: string
}

/** The instant of a commit by the machine's time, and the trace that it is part of. */
export interface CommitMoment {
  readonly wall: number
  readonly traceparent: string | null
}

/** A caller's additions to a commit. */
export interface CommitOptions<Call extends ProcedureCall = ProcedureCall> {
  /**
   * A procedure for writes that depend on the actor's state: it sees the state as the commit reads it, while a caller's
   * copy may be stale.
   */
  readonly procedure?: Call
  readonly writes?: readonly Statement[]
}

/** A caller's additions to one event's commit. They are written only if the chart accepts the event. */
export interface SendOptions<A extends ActorTypes = ActorTypes> extends CommitOptions<CallOf<A>> {
  readonly fence?: Fence
  /** Runs at the end of the commit, so that a log that all commits share is locked for the shortest time. */
  readonly record?: CommitRecord
  /** The actor's row as the caller has read it, so that the commit need not: if it has changed since, it is read again. */
  readonly known?: KnownRow<A>
  /** Columns of the actor's own, written with its step. */
  readonly columns?: OwnColumns<A>
}

/** A new actor; `columns` are its table's own. */
export interface NewActor<A extends ActorTypes = ActorTypes> {
  readonly id: string
  readonly account_id: string
  /** It is kept in the journal's first entry, so it must hold no personal data. */
  readonly input: ChartInput<A['chart']>
  /** Further members of its journal's first entry, such as who made it; no personal data. */
  readonly named?: Readonly<Record<string, string>>
  readonly columns: Omit<NewRowOf<A['columns']>, ActorColumn>
  /** The actor's clock is ahead by this many milliseconds; absent means 0. */
  readonly clock_offset_ms?: number
}
