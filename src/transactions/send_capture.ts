import type { CaptureReference, TransactionContext, TransactionEvent } from '../../machines/transaction.ts'
import { toApiError } from '../base/api_error.ts'
import type { ActorState } from '../durable/actors/definition.ts'
import type { Statement } from '../durable/store/statement.ts'
import type { TransactionActor } from './actor.ts'
import type { TransactionDeps } from './deps.ts'
import { reopenSession, type Session } from './session.ts'

/** The captures that a transaction holds of some kind, by its context. */
export type SelectCaptures = (context: TransactionContext) => readonly (CaptureReference | null)[]

/** Something for storage, and what it replaces there. */
export interface NewSessionCapture {
  readonly kind: string
  readonly media_type: string
  readonly content: Uint8Array
  readonly replaces: SelectCaptures
  /** Throws what this capture is refused for, by what is held at the moment of the commit. */
  readonly refuse?: (context: TransactionContext) => void
}

const createRemovals = (deps: TransactionDeps, references: readonly (CaptureReference | null)[]): Statement[] =>
  references.filter(reference => reference !== null).map(({ capture_id }) => deps.captures.delete(capture_id))

/**
 * The statements that take captures out of storage, by what is held at the moment of the commit: by an earlier reading,
 * two takes at once would both remove the same one, and one of theirs would stay for ever.
 */
export const createRemovalWrites =
  (deps: TransactionDeps, held: SelectCaptures) =>
  (context: TransactionContext): readonly Statement[] =>
    createRemovals(deps, held(context))

/** Whether the chart did not take an event; nothing has changed then. */
export const isRejected = (error: unknown): boolean => toApiError(error)?.code === 'not_allowed_in_state'

/**
 * One commit stores the capture, tells the event that refers to it, and removes what it replaces: no crash and no refusal
 * leaves an image that no snapshot names. (decisions.md, "Device side", has storage first, which a store beside the
 * database will need; in the database one commit is stronger, and a third of a lifecycle's commits fewer.)
 * @throws {ApiError} `not_allowed_in_state`, `gone` for one that was erased, or what `refuse` throws, with nothing stored
 */
export const sendCapture = async (
  deps: TransactionDeps,
  session: Session,
  { replaces, refuse, ...capture }: NewSessionCapture,
  eventOf: (reference: CaptureReference) => TransactionEvent,
): Promise<ActorState<TransactionActor>> => {
  const { account_id, transaction_id } = session
  const { reference, insertion } = deps.captures.encrypt(session.key, { account_id, transaction_id, ...capture })
  const removals = createRemovalWrites(deps, replaces)
  const writes = (context: TransactionContext): readonly Statement[] => {
    refuse?.(context)
    return [...removals(context), insertion]
  }
  try {
    return await deps.host.send(deps.definition, transaction_id, eventOf(reference), { writes })
  } catch (error) {
    if (isRejected(error)) await reopenSession(deps, session)
    throw error
  }
}
