import type { CaptureReference, TransactionContext, TransactionEvent } from '../../machines/transaction.ts'
import { Refusal } from '../base/refusal.ts'
import type { ActorState } from '../host/kind.ts'
import type { Statement } from '../store/statement.ts'
import { runAll } from '../store/statement.ts'
import type { TransactionRoom } from './room.ts'
import type { Session } from './session.ts'

/** The captures that a transaction holds of some kind, by its context. */
export type Held = (context: TransactionContext) => readonly (CaptureReference | null)[]

/** Something for storage, and what it replaces there. */
export interface Capturing {
  readonly kind: string
  readonly media_type: string
  readonly content: Uint8Array
  readonly replaces: Held
}

const removals = (room: TransactionRoom, references: readonly (CaptureReference | null)[]): Statement[] =>
  references.filter(reference => reference !== null).map(({ capture_id }) => room.captures.removal(capture_id))

/**
 * The statements that take captures out of storage, by what is held at the moment of the commit: by an earlier reading,
 * two takes at once would both remove the same one, and one of theirs would stay for ever.
 */
export const removing =
  (room: TransactionRoom, held: Held) =>
  (context: unknown): readonly Statement[] =>
    removals(room, held(context as TransactionContext))

/** Whether the chart did not take an event; nothing has changed then. */
export const isRefused = (error: unknown): boolean => error instanceof Refusal && error.code === 'not_allowed_in_state'

/**
 * Storage first, then a small event with id and digest (decisions.md, "Device side"). What the event replaces is removed
 * in its commit; what a refused event would have brought is removed at once. A commit of unknown outcome may have kept
 * the reference, so that then nothing is removed.
 * @throws {Refusal} `not_allowed_in_state`
 */
export const tellCapture = async (
  room: TransactionRoom,
  session: Session,
  { replaces, ...capture }: Capturing,
  eventOf: (reference: CaptureReference) => TransactionEvent,
): Promise<ActorState> => {
  const { account_id, transaction_id } = session
  const saved = await room.captures.save(session.key, { account_id, transaction_id, ...capture })
  try {
    return await room.host.tell(room.kind, transaction_id, eventOf(saved), { writes: removing(room, replaces) })
  } catch (error) {
    if (isRefused(error)) await room.store.commit(() => runAll(removals(room, [saved])))
    throw error
  }
}
