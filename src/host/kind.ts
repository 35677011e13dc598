import type { AnyStateMachine } from 'xstate'
import type { Statement, Unit, Value } from '../store/statement.ts'
import type { Step } from './xstate.ts'

/** What an actor's own actions may know when they write into its commit. */
export interface ActionContext {
  readonly actor_id: string
  readonly account_id: string
  /** The journal's timestamp of this event, by the actor's own clock: a test account's may be turned. */
  readonly now: number
  /** How far it was turned, in milliseconds. */
  readonly clock_offset_ms: number
  readonly params: unknown
  /** The actor's row as it was read, or as it will be written for a new one. */
  readonly row: Readonly<Record<string, Value>>
}

/** What an action adds to the commit; it may itself create or tell other actors. */
export type Action = (context: ActionContext) => Unit<void>

/** A sort of actor: its table, its charts by version, and what its charts' actions write. */
export interface ActorKind {
  readonly name: string
  readonly table: string
  readonly charts: Readonly<Record<number, AnyStateMachine>>
  /** The version that new actors get. */
  readonly current: number
  /** Statuses that take no event ever after: such an actor needs no chart any more. */
  readonly ended: readonly string[]
  /** Columns of the table, beside those of every actor, that a row needs for `actions`. */
  readonly reads: readonly string[]
  /** The column, among `reads`, that says in which lane of their queue its jobs wait: lanes are served side by side. */
  readonly lane?: string
  readonly actions: Readonly<Record<string, Action>>
  /** Columns that change when the status does, such as `finished_at`. */
  readonly onStatus: (status: string, now: number) => Readonly<Record<string, Value>>
}

/** An actor as its row tells it. */
export interface ActorState {
  readonly kind: string
  readonly id: string
  readonly account_id: string
  readonly status: string
  readonly step: Step
}

/** A claimed due row: only while it still carries this lease is its result taken. */
export interface Fence {
  readonly due_id: string
  readonly lease: string | null
}

/** What a caller may add to one event's commit, written only if the chart takes the event. */
export interface TellOptions {
  readonly fence?: Fence
  /** Or what they are, by the chart's context as it is in the commit itself: a caller's own reading may be stale. */
  readonly writes?: readonly Statement[] | ((context: unknown) => readonly Statement[])
}

/** What a new actor begins with; `columns` are its kind's own. */
export interface NewActor {
  readonly id: string
  readonly account_id: string
  readonly input: unknown
  /** Who made it and what it is, as its journal's first entry names it: nothing personal. */
  readonly named?: Readonly<Record<string, string>>
  readonly columns: Readonly<Record<string, Value>>
  /** How far its clock was turned, in milliseconds; not at all where absent. */
  readonly clock_offset_ms?: number
}
