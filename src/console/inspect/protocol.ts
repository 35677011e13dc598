import { knownCharts } from '@attestor/page-files'
import type { PersistedSnapshot } from 'durable-xstate-sql/sql'
import type { AnyEventObject } from 'xstate'
import type { InspectedActor, InspectedStep } from './inspected.ts'
import { shownContext, shownEvent } from './shown.ts'

/** The version of `@statelyai/inspect` whose messages these are. */
export const protocolVersion = '0.7.2'

/** Ids begin with the time of their creation, so their ends differ. */
function toName({ id, kind, label }: InspectedActor): string {
  return `${kind} ${label} ${id.slice(-6)}`
}

function toSnapshot({ snapshot, status, done, context }: InspectedStep['step']) {
  return {
    status: done ? ('done' as const) : ('active' as const),
    output: undefined,
    error: undefined,
    value: (snapshot as PersistedSnapshot & { readonly value: unknown }).value,
    context: shownContext(context),
    tags: [status],
    children: {},
  }
}

function toMessage({ actor, occurred_at, sequence }: InspectedStep) {
  return {
    // The transaction that the actor belongs to.
    rootId: actor.parent_id ?? actor.id,
    sessionId: actor.id,
    // Epoch milliseconds, as text.
    createdAt: String(occurred_at),
    id: `${actor.id}:${sequence}`,
    _version: protocolVersion,
  }
}

const definitions = new Map(
  knownCharts.map(({ name, version, definition }) => [`${name}/${version}`, JSON.stringify(definition)]),
)

/** Messages of Stately's inspection protocol: an accepted event and the state after it; before the first, the actor. */
export function inspectionMessages(step: InspectedStep) {
  const { actor, sequence, isFirst } = step
  const message = toMessage(step)
  const event = shownEvent(JSON.parse(step.event) as AnyEventObject)
  const snapshot = toSnapshot(step.step)
  const sourceId = sequence === 1 ? (actor.parent_id ?? undefined) : undefined
  const accepted = { ...message, type: '@xstate.event' as const, event, sourceId }
  const after = { ...message, type: '@xstate.snapshot' as const, event, snapshot }
  if (!isFirst) return [accepted, after]
  const appeared = {
    ...message,
    type: '@xstate.actor' as const,
    name: toName(actor),
    parentId: actor.parent_id ?? undefined,
    definition: definitions.get(`${actor.kind}/${actor.chart_version}`),
    snapshot,
  }
  return [appeared, accepted, after]
}
