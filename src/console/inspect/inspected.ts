import type { Step } from 'durable-xstate-sql/sql'

/** An actor that is inspected. */
export interface InspectedActor {
  readonly id: string
  readonly kind: 'transaction' | 'delivery'
  readonly chart_version: number
  /** The transaction of a delivery. */
  readonly parent_id: string | null
  /** A transaction's type, or the status that a delivery notifies of. */
  readonly label: string
}

/** A committed step of an actor. */
export interface InspectedStep {
  readonly type: 'step'
  readonly actor: InspectedActor
  readonly sequence: number
  /** Whether it is the first step that is read of its actor. */
  readonly isFirst: boolean
  /** The event as it is stored: JSON. */
  readonly event: string
  readonly occurred_at: number
  readonly step: Step
}

/** An actor that can't be shown, and why. */
interface UnshownActor {
  readonly type: 'unshown'
  readonly actor: InspectedActor
  readonly occurred_at: number
  readonly reason: string
}

/** A piece of information that an inspector gets from the journal. */
export type Inspected = InspectedStep | UnshownActor
