import type { AnyEventObject, AnyStateMachine } from 'xstate'
import type { actor_columns } from '../../database/tables.ts'
import type { ColumnName, ColumnsOf, NewRow, TableName, TableRow } from '../store/columns.ts'
import type { Statement, Unit } from '../store/statement.ts'
import type { ActionName, ActionParams, ChartContext, ChartInput } from './chart_types.ts'
import type { Step } from './xstate.ts'

type ActorColumn = keyof typeof actor_columns
type SteppedColumn = Exclude<ActorColumn, 'created_at'>

/** The tables whose rows are actors. */
export type ActorTable = {
  [T in TableName]: ColumnsOf<T> extends typeof actor_columns ? T : never
}[TableName]

/** What the types of a sort of actor are made from. */
export interface ActorTypes {
  readonly chart: AnyStateMachine
  readonly table: ActorTable
  /** Columns of the table, beside those of every actor, that a row needs for the kind's actions. */
  readonly reads: string
  /** What its journal tells beside its chart's events. */
  readonly note: AnyEventObject
}

/** What an actor's own actions may know when they write into its commit. */
export interface ActionContext<A extends ActorTypes = ActorTypes, Params = unknown> {
  readonly actor_id: string
  readonly account_id: string
  /** The journal's timestamp of this event, by the actor's own clock: a test account's may be turned. */
  readonly now: number
  /** How far it was turned, in milliseconds. */
  readonly clock_offset_ms: number
  readonly params: Params
  /** The actor's row as it was read, or as it will be written for a new one. */
  readonly row: Pick<TableRow<A['table']>, (SteppedColumn | A['reads']) & keyof TableRow<A['table']>>
}

/** What an action adds to the commit; it may itself create or tell other actors. */
export type Action<A extends ActorTypes = ActorTypes, Params = unknown> = (
  context: ActionContext<A, Params>,
) => Unit<void>

/** What a kind writes for the actions of its chart; that none is missing is checked at the start. */
export type Actions<A extends ActorTypes> = {
  readonly [N in ActionName<A['chart']>]?: Action<A, ActionParams<A['chart'], N>>
}

/** What all kinds have. Nothing is told to an actor by this alone: it doesn't say what the actor's chart takes. */
export interface AnyActorDefinition {
  readonly name: string
  readonly table: ActorTable
  readonly charts: Readonly<Record<number, AnyStateMachine>>
  /** The version that new actors get. */
  readonly current: number
  /** Statuses that take no event ever after: such an actor needs no chart any more. */
  readonly ended: readonly string[]
  readonly reads: readonly string[]
  /** The column, among `reads`, that says in which lane of their queue its jobs wait: lanes are served side by side. */
  readonly lane?: string
  /** What its journal tells beside its charts' events. */
  readonly notes: readonly string[]
  readonly actions: object
  /** Columns that change when the status does, such as `finished_at`. */
  readonly onStatus: (status: string, now: number) => object
}

/** A sort of actor: its table, its charts by version, and what its charts' actions write. */
export interface ActorDefinition<A extends ActorTypes> extends AnyActorDefinition {
  readonly table: A['table']
  readonly charts: Readonly<Record<number, A['chart']>>
  readonly reads: readonly (A['reads'] & ColumnName<A['table']>)[]
  readonly lane?: A['reads']
  readonly notes: readonly A['note']['type'][]
  readonly actions: Actions<A>
  readonly onStatus: (status: string, now: number) => Partial<TableRow<A['table']>>
}

/** An actor as its row tells it. */
export interface ActorState<A extends ActorTypes = ActorTypes> {
  readonly kind: string
  readonly id: string
  readonly account_id: string
  readonly status: string
  readonly step: Step<ChartContext<A['chart']>>
}

/** A claimed due row: only while it still carries this lease is its result taken. */
export interface Fence {
  readonly due_id: string
  readonly lease: string | null
}

/** What a caller may add to one event's commit, written only if the chart takes the event. */
export interface SendOptions<A extends ActorTypes = ActorTypes> {
  readonly fence?: Fence
  /** Or what they are, by the chart's context as it is in the commit itself: a caller's own reading may be stale. */
  readonly writes?: readonly Statement[] | ((context: ChartContext<A['chart']>) => readonly Statement[])
}

/** What a new actor begins with; `columns` are its kind's own. */
export interface NewActor<A extends ActorTypes = ActorTypes> {
  readonly id: string
  readonly account_id: string
  readonly input: ChartInput<A['chart']>
  /** Who made it and what it is, as its journal's first entry names it: nothing personal. */
  readonly named?: Readonly<Record<string, string>>
  readonly columns: Omit<NewRow<A['table']>, ActorColumn>
  /** How far its clock was turned, in milliseconds; not at all where absent. */
  readonly clock_offset_ms?: number
}
