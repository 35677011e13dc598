import type { CaptureReference, TransactionContext, TransactionEvent } from '../../machines/transaction.ts'
import { toApiError } from '../base/api_error.ts'
import type { ActorState } from '../durable/actors/definition.ts'
import type { Statement } from '../durable/store/statement.ts'
import type { TransactionActor } from './actor.ts'
import type { TransactionDeps } from './deps.ts'
import { reopenSession, requireCapturer, type Session } from './session.ts'

/** Selects captures of a transaction by its context. */
export type SelectCaptures = (context: TransactionContext) => readonly (CaptureReference | null)[]

/** A capture to store, and the ones that it replaces. */
export interface NewSessionCapture {
  readonly kind: string
  readonly media_type: string
  readonly content: Uint8Array
  readonly replaces: SelectCaptures
  /** Runs inside the commit, and throws if the capture must not be stored. */
  readonly assertAllowed?: (context: TransactionContext) => void
}

const createRemovals = (deps: TransactionDeps, references: readonly (CaptureReference | null)[]): Statement[] =>
  references.filter(reference => reference !== null).flatMap(({ capture_id }) => deps.captures.delete(capture_id))

/**
 * Selects what to remove inside the commit. If it were selected before, two concurrent uploads would both remove the same
 * capture, and one of theirs would stay for ever.
 */
export const createRemovalWrites =
  (deps: TransactionDeps, held: SelectCaptures) =>
  (context: TransactionContext): readonly Statement[] =>
    createRemovals(deps, held(context))

/** Whether the chart rejected the event; nothing has changed then. */
export const isRejected = (error: unknown): boolean => toApiError(error)?.code === 'not_allowed_in_state'

/**
 * Sends an event of the session's device, in one commit with `writes`.
 * @throws {ApiError} `not_allowed_in_state`, also where another device has taken the capture over
 */
export const sendFromDevice = (
  deps: TransactionDeps,
  session: Session,
  event: TransactionEvent,
  writes: (context: TransactionContext) => readonly Statement[] = () => [],
): Promise<ActorState<TransactionActor>> =>
  deps.host.send(deps.definition, session.transaction_id, event, {
    writes(context) {
      requireCapturer(session, context)
      return writes(context)
    },
  })

/**
 * One commit stores the capture's row, sends the event that refers to it, and removes what it replaces. So neither a crash
 * nor an error leaves an image that no snapshot names, but for an object that is collected later.
 * @throws {ApiError} `not_allowed_in_state`, `gone` if the transaction was erased, `unavailable`, or what `assertAllowed` throws
 */
export const sendCapture = async (
  deps: TransactionDeps,
  session: Session,
  { replaces, assertAllowed, ...capture }: NewSessionCapture,
  toEvent: (reference: CaptureReference) => TransactionEvent,
): Promise<ActorState<TransactionActor>> => {
  const { account_id, transaction_id } = session
  const prepared = await deps.captures.prepare(session.key, { account_id, transaction_id, ...capture })
  const removals = createRemovalWrites(deps, replaces)
  const writes = (context: TransactionContext): readonly Statement[] => {
    assertAllowed?.(context)
    return [...removals(context), ...prepared.writes()]
  }
  try {
    return await sendFromDevice(deps, session, toEvent(prepared.reference), writes)
  } catch (error) {
    if (isRejected(error)) await reopenSession(deps, session)
    throw error
  }
}
