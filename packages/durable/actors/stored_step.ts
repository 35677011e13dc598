import { LRUCache } from 'lru-cache'
import type { AnyEventObject, AnyStateMachine } from 'xstate'
import { DurableError } from '../errors.ts'
import { firstStep, nextStep, type PersistedSnapshot, requireSnapshot, type Step } from './xstate.ts'

/** A step, with its snapshot as the actor's row stores it. */
export interface StoredStep extends Step {
  readonly stored: string
}

function toStored(step: Step): StoredStep {
  return { ...step, stored: JSON.stringify(step.snapshot) }
}

/** The limit for one chart. */
const maxKnownSteps = 500

const knownSteps = new WeakMap<AnyStateMachine, LRUCache<string, StoredStep>>()

function findKnownSteps(chart: AnyStateMachine): LRUCache<string, StoredStep> {
  const known = knownSteps.get(chart) ?? new LRUCache<string, StoredStep>({ max: maxKnownSteps })
  knownSteps.set(chart, known)
  return known
}

/** The first step of a new actor. @throws {ChartRunError} */
export function takeFirstStep(chart: AnyStateMachine, input: unknown): StoredStep {
  return toStored(firstStep(chart, input))
}

/** One event from a stored snapshot; null where the chart does not accept it. @throws {ChartRunError} */
export function takeNextStep(chart: AnyStateMachine, stored: string, event: AnyEventObject): StoredStep | null {
  const step = nextStep(chart, parseSnapshot(chart, stored), event)
  return step && toStored(step)
}

/** Another program may have written the snapshot. @throws {DurableError} `damaged` */
function parseSnapshot(chart: AnyStateMachine, stored: string): PersistedSnapshot {
  try {
    const snapshot = JSON.parse(stored) as PersistedSnapshot
    requireSnapshot(chart, snapshot)
    return snapshot
  } catch (cause) {
    throw new DurableError('damaged', `${chart.id}: what is stored of it is damaged`, { cause })
  }
}

/** `takeNextStep`, computed once for the same snapshot and event: a step is pure. */
export function takeRepeatedStep(chart: AnyStateMachine, stored: string, event: AnyEventObject): StoredStep | null {
  const known = findKnownSteps(chart)
  const text = `${stored}\n${JSON.stringify(event)}`
  const step = known.get(text) ?? takeNextStep(chart, stored, event)
  if (step !== null) known.set(text, step)
  return step
}
