import type { AnyEventObject, AnyStateMachine } from 'xstate'
import type { AnyActorDefinition } from './definition.ts'
import { firstStep, nextStep, type Step } from './xstate.ts'

/** The members of a journal's entry that replaying needs. */
export interface ReplayedEntry {
  readonly sequence: number
  /** The event as it is stored: JSON. */
  readonly event: string
  readonly chart_version: number
}

/** The chart does not accept the journal's events: the journal was changed, or it is too old to be replayed. */
export class ReplayError extends Error {
  override name = 'ReplayError'
}

/** The parts of an actor's definition that replaying needs. */
export type ReplayedDefinition = Pick<AnyActorDefinition, 'name' | 'charts'> & {
  readonly journalOnly: readonly string[]
}

function requireChart({ name, charts }: ReplayedDefinition, version: number): AnyStateMachine {
  const chart = charts[version]
  if (chart === undefined) throw new ReplayError(`this build does not know version ${version} of the ${name} chart`)
  return chart
}

function takeFirstStep(chart: AnyStateMachine, { type, input }: AnyEventObject): Step {
  if (type !== 'CREATE') throw new ReplayError(`the first entry is ${type}`)
  if (input === undefined) throw new ReplayError('the first entry does not say what the actor began with')
  return firstStep(chart, input)
}

/**
 * Returns the step that a journal entry records. `before` is the step of the entry before it, null for the first.
 * Entries that are no events of the chart change nothing. @throws {ReplayError}
 */
export function replayEntry(kind: ReplayedDefinition, before: Step | null, entry: ReplayedEntry): Step {
  const event = JSON.parse(entry.event) as AnyEventObject
  const chart = requireChart(kind, entry.chart_version)
  if (before === null) return takeFirstStep(chart, event)
  if (kind.journalOnly.includes(event.type)) return { ...before, effects: [] }
  const step = nextStep(chart, before.snapshot, event)
  if (step === null) throw new ReplayError(`entry ${entry.sequence}: ${event.type} is not possible in ${before.status}`)
  return step
}
