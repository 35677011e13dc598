import type { Decision } from '@attestor/rules'
import type { Host } from 'durable-xstate-sql'
import { activeStates } from 'durable-xstate-sql/sql'
import { ApiError } from '../base/api_error.ts'
import { type Clock, isoTimestamp, wait } from '../base/clock.ts'
import { nameEvent } from '../verification/transactions/timeline.ts'
import type { InspectedActor, InspectedStep } from './inspect/inspected.ts'
import { type JournalDeps, openJournal } from './inspect/journal.ts'
import { shownContext, shownEvent } from './inspect/shown.ts'

/** One look is made for all pages this often; a page waits this long at most for a commit that the look misses. */
const lookMs = 50
const waitMs = 1000
/** Every page follows this many of the newest transactions. */
const newest = 50

export interface LiveDeps extends JournalDeps {
  readonly clock: Clock
  readonly host: Pick<Host, 'subscribe'>
}

/** Lets all pages of a node know that there may be something new. */
export interface JournalWatch {
  subscribe(listener: () => void): () => void
}

/**
 * This node's commits are announced at once, those of other nodes by one look at the newest transactions for all pages, which is
 * made while any page is open. A page that follows an older transaction finds another node's commit when its wait ends.
 */
export function watchJournal({ clock, host, ...journal }: LiveDeps): JournalWatch {
  const listeners = new Set<() => void>()
  const announce = (): void => {
    for (const listener of listeners) listener()
  }
  const look = async (signal: AbortSignal): Promise<void> => {
    const next = openJournal(journal, { newest })
    while (!signal.aborted) {
      // A failure here occurs for each page too, which reports it.
      const isNew = await next().then(
        steps => steps.length > 0,
        () => true,
      )
      if (isNew) announce()
      await wait(clock, lookMs, signal)
    }
  }
  let stop = (): void => {}
  const start = (): void => {
    const over = new AbortController()
    const unsubscribe = host.subscribe(announce)
    stop = () => {
      unsubscribe()
      over.abort()
    }
    void look(over.signal)
  }
  return {
    subscribe(listener) {
      listeners.add(listener)
      if (listeners.size === 1) start()
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) stop()
      }
    },
  }
}

/** The stream of one page. While the page reads nothing, nothing is read for it, so that a slow page takes no memory. */
export interface Follower {
  /** The steps since the last call, each actor's in order; waits for one, but not for long. */
  next(signal: AbortSignal): Promise<readonly InspectedStep[]>
  close(): void
}

/** Follows the newest transactions and those in `transaction_ids`, with earlier steps from `since` on. */
export function followJournal(
  { clock, watch, ...journal }: JournalDeps & { readonly clock: Clock; readonly watch: JournalWatch },
  transaction_ids: readonly string[],
  since: number,
): Follower {
  const readers = [
    openJournal(journal, { newest }),
    ...(transaction_ids.length === 0 ? [] : [openJournal(journal, { transaction_ids })]),
  ]
  let woken = new AbortController()
  const unsubscribe = watch.subscribe(() => woken.abort())
  let isFirst = true
  const read = async (): Promise<readonly InspectedStep[]> => {
    woken = new AbortController()
    const inspected = await Promise.all(readers.map(next => next()))
    // Later reads return everything new: clocks of other nodes may differ.
    const from = isFirst ? since : Number.NEGATIVE_INFINITY
    isFirst = false
    return inspected.flat().flatMap(one => (one.type === 'step' && one.occurred_at >= from ? [one] : []))
  }
  return {
    async next(signal) {
      const hasHistory = isFirst
      const steps = await read()
      if (steps.length === 0 && !hasHistory) await wait(clock, waitMs, AbortSignal.any([signal, woken.signal]))
      return steps
    },
    close: unsubscribe,
  }
}

const reviewState = 'submitted.PROCESSING.awaiting_review'

function viewActor({ id, kind, parent_id }: InspectedActor) {
  return { actor_type: kind, id, transaction_id: parent_id ?? id }
}

/** A step as a page learns of it. Nothing personal. */
export function viewStep(one: InspectedStep) {
  const { actor, sequence, occurred_at, event, step } = one
  const isTransaction = actor.parent_id === null
  const { snapshot, status, done, context } = step
  const states = activeStates((snapshot as { readonly value?: unknown }).value)
  const { decision = null } = context as { readonly decision?: Decision | null }
  return {
    ...viewActor(actor),
    // Counts within the actor, from 1: a page drops steps that it has.
    sequence,
    occurred_at: isoTimestamp(occurred_at),
    ...nameEvent(event),
    status,
    decision: isTransaction && done ? (status === 'FAILED' ? 'UNDETERMINED' : decision) : null,
    awaiting_review: isTransaction && states.includes(reviewState),
    states,
    chart: `/charts/${actor.kind}/${actor.chart_version}.svg`,
    accepted_event: shownEvent(JSON.parse(event)),
    context: shownContext(context),
  }
}

/**
 * Every step of a transaction, and the state of its deliveries; without an id, the last step of each of the newest. The
 * actors whose journal their chart does not lead through are `unshown`.
 * @throws {ApiError} `not_found`
 */
export async function readSteps(journal: JournalDeps, transaction_id: string | null) {
  const scope = transaction_id === null ? { newest } : { transaction_ids: [transaction_id] }
  const inspected = await openJournal(journal, scope)()
  if (transaction_id !== null && inspected.length === 0) throw new ApiError('not_found', 'transaction_id: not found')
  const steps = inspected.flatMap(one => (one.type === 'step' ? [one] : []))
  const last = new Map(steps.map(one => [one.actor.id, one]))
  return {
    data: (transaction_id === null ? [...last.values()] : steps).map(viewStep),
    unshown: inspected.flatMap(one =>
      one.type === 'unshown' ? [{ ...viewActor(one.actor), reason: one.reason }] : [],
    ),
  }
}
