import { Readable } from 'node:stream'
import type { Clock } from '../../base/clock.ts'
import { createWaitSignal } from '../../http/concurrency.ts'
import { defineUndocumented, type Endpoint, type EndpointDeps } from '../../http/endpoint.ts'
import { idParameter, idsParameter, single } from '../../http/parameters.ts'
import { isSessionOpen } from '../../identity/operators/sessions.ts'
import { consoleApi, forOperators } from '../endpoint.ts'
import { followJournal, type JournalWatch, readSteps, viewStep, watchJournal } from '../live.ts'
import type { StreamLimit } from '../stream_limit.ts'

const maxFollowed = 100
/** Event ids are times. A page that reconnects gets some events again, and drops them. */
const overlapMs = 60_000
/** A session is looked up every two seconds; a silent stream sends a sign of life every fifteen. */
const sessionEveryMs = 2000
const heartbeatMs = 15_000

function format(event: string, data: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

interface Stream {
  readonly deps: EndpointDeps
  readonly watch: JournalWatch
  readonly transaction_ids: readonly string[]
  /** Earlier steps are sent from this time on. */
  readonly since: number
  readonly session_id: string
  readonly signal: AbortSignal
}

/** Returns a function that is true when `everyMs` have passed, by a clock that nobody sets. */
function createTicker(clock: Clock, everyMs: number): () => boolean {
  let last = clock.monotonic()
  return () => {
    if (clock.monotonic() - last < everyMs) return false
    last = clock.monotonic()
    return true
  }
}

/** It starts to follow when it is first read, so that a response that is never sent leaves no follower behind. */
async function* streamEvents({
  deps,
  watch,
  transaction_ids,
  since,
  session_id,
  signal,
}: Stream): AsyncGenerator<string> {
  const { transactions, operators, draining } = deps
  const { store, definition: transactionDefinition } = transactions
  const { clock } = operators
  const follower = followJournal({ store, transactionDefinition, clock, watch }, transaction_ids, since)
  const isSessionDue = createTicker(clock, sessionEveryMs)
  const isHeartbeatDue = createTicker(clock, heartbeatMs)
  let isReady = false
  const startedAt = clock.now()
  try {
    while (!signal.aborted) {
      const steps = await follower.next(signal)
      if (steps.length > 0) yield steps.map(step => format('step', viewStep(step), String(step.occurred_at))).join('')
      // The id is the position of a stream that has sent no step yet, so that it too can be resumed.
      if (!isReady) yield format('ready', {}, String(Math.max(startedAt, ...steps.map(step => step.occurred_at))))
      isReady = true
      if (isSessionDue() && !(await isSessionOpen(operators, session_id))) {
        yield format('ended', { reason: 'session' })
        return
      }
      if (isHeartbeatDue()) yield ':\n\n'
    }
    if (draining.aborted) yield format('ended', { reason: 'draining' })
  } finally {
    follower.close()
  }
}

const positionParameter = single.refine(text => /^\d{1,15}$/.test(text), { error: 'must be the id of an event' })

/** Sends steps of transactions and deliveries as they are committed. Each node has its own limit. */
export function createFollowEvents(limit: StreamLimit): Endpoint {
  let watch: JournalWatch | undefined
  return defineUndocumented({
    ...forOperators('viewer'),
    method: 'get',
    path: `${consoleApi}/events`,
    request: {
      query: { transaction_id: idsParameter(maxFollowed).optional(), last_event_id: positionParameter.optional() },
    },
    handler({ caller, query, ctx }, deps) {
      const position = ctx.get('last-event-id') || (query.last_event_id ?? '')
      const since = /^\d{1,15}$/.test(position) ? Number(position) - overlapMs : Number.POSITIVE_INFINITY
      const { transaction_id: transaction_ids = [] } = query
      const { session_id } = caller
      const signal = createWaitSignal(ctx, deps.draining)
      const release = limit.take(session_id)
      if (signal.aborted) release()
      else signal.addEventListener('abort', release)
      const { store, definition: transactionDefinition, host } = deps.transactions
      watch ??= watchJournal({ store, transactionDefinition, host, clock: deps.operators.clock })
      const stream = streamEvents({ deps, watch, transaction_ids, since, session_id, signal })
      // Nginx would hold a stream back otherwise.
      const headers = { 'X-Accel-Buffering': 'no' }
      return {
        status: 200,
        headers,
        type: 'text/event-stream',
        body: Readable.from(stream, { objectMode: true, highWaterMark: 1 }),
      }
    },
  })
}

/** Steps of a transaction on its chart, or the last ones of the newest, each actor’s in order. */
export const listSteps = defineUndocumented({
  ...forOperators('viewer'),
  method: 'get',
  path: `${consoleApi}/step`,
  request: { query: { transaction_id: idParameter.optional() } },
  async handler({ query: { transaction_id = null } }, { transactions: { store, definition: transactionDefinition } }) {
    return { status: 200, body: await readSteps({ store, transactionDefinition }, transaction_id) }
  },
})
