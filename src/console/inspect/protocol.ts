import type { AnyEventObject } from 'xstate'
import type { PersistedSnapshot } from '../../../packages/durable/actors/xstate.ts'
import { knownCharts } from '../../pages/chart/known_charts.ts'
import type { InspectedActor, InspectedStep } from './inspected.ts'
import { shownContext, shownEvent } from './shown.ts'

/** The version of `@statelyai/inspect` whose messages these are. */
export const protocolVersion = '0.7.2'

interface Message {
  /** The transaction that the actor belongs to. */
  readonly rootId: string
  /** The actor. */
  readonly sessionId: string
  /** Epoch milliseconds, as text. */
  readonly createdAt: string
  readonly id: string
  readonly _version: string
}

interface SnapshotOf<Status extends string> {
  readonly status: Status
  readonly output: undefined
  readonly error: undefined
  readonly value: unknown
  readonly context: Readonly<Record<string, unknown>>
  readonly tags: readonly string[]
  readonly children: object
}

type ShownSnapshot = SnapshotOf<'active'> | SnapshotOf<'done'>

/** `@xstate.actor`: an actor appears, with its chart. */
export interface ActorMessage extends Message {
  readonly type: '@xstate.actor'
  readonly name: string
  readonly parentId: string | undefined
  readonly definition: string | undefined
  readonly snapshot: ShownSnapshot
}

/** `@xstate.event`: an event that an actor accepted. */
export interface EventMessage extends Message {
  readonly type: '@xstate.event'
  readonly event: AnyEventObject
  readonly sourceId: string | undefined
}

/** `@xstate.snapshot`: the state after an event. */
export interface SnapshotMessage extends Message {
  readonly type: '@xstate.snapshot'
  readonly event: AnyEventObject
  readonly snapshot: ShownSnapshot
}

/** A message of Stately's inspection protocol. */
export type InspectionMessage = ActorMessage | EventMessage | SnapshotMessage

/** Ids begin with the time of their creation, so their ends differ. */
function toName({ id, kind, label }: InspectedActor): string {
  return `${kind} ${label} ${id.slice(-6)}`
}

function toSnapshot({ snapshot, status, done, context }: InspectedStep['step']): ShownSnapshot {
  return {
    status: done ? 'done' : 'active',
    output: undefined,
    error: undefined,
    value: (snapshot as PersistedSnapshot & { readonly value: unknown }).value,
    context: shownContext(context),
    tags: [status],
    children: {},
  }
}

function toMessage({ actor, occurred_at, sequence }: InspectedStep): Message {
  return {
    rootId: actor.parent_id ?? actor.id,
    sessionId: actor.id,
    createdAt: String(occurred_at),
    id: `${actor.id}:${sequence}`,
    _version: protocolVersion,
  }
}

const definitions = new Map(
  knownCharts.map(({ name, version, definition }) => [`${name}/${version}`, JSON.stringify(definition)]),
)

/** An accepted event and the state after it; before the first, the actor. */
export function inspectionMessages(step: InspectedStep): readonly InspectionMessage[] {
  const { actor, sequence, isFirst } = step
  const message = toMessage(step)
  const event = shownEvent(JSON.parse(step.event) as AnyEventObject)
  const snapshot = toSnapshot(step.step)
  const sourceId = sequence === 1 ? (actor.parent_id ?? undefined) : undefined
  const steps: readonly InspectionMessage[] = [
    { ...message, type: '@xstate.event', event, sourceId },
    { ...message, type: '@xstate.snapshot', event, snapshot },
  ]
  if (!isFirst) return steps
  const appeared: ActorMessage = {
    ...message,
    type: '@xstate.actor',
    name: toName(actor),
    parentId: actor.parent_id ?? undefined,
    definition: definitions.get(`${actor.kind}/${actor.chart_version}`),
    snapshot,
  }
  return [appeared, ...steps]
}
