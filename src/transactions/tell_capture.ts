import type { CaptureReference, TransactionContext, TransactionEvent } from '../../machines/transaction.ts'
import { Refusal } from '../base/refusal.ts'
import type { ActorState } from '../host/kind.ts'
import type { Statement } from '../store/statement.ts'
import type { TransactionActor } from './actor.ts'
import type { TransactionRoom } from './room.ts'
import { reopenSession, type Session } from './session.ts'

/** The captures that a transaction holds of some kind, by its context. */
export type Held = (context: TransactionContext) => readonly (CaptureReference | null)[]

/** Something for storage, and what it replaces there. */
export interface Capturing {
  readonly kind: string
  readonly media_type: string
  readonly content: Uint8Array
  readonly replaces: Held
  /** Throws what this capture is refused for, by what is held at the moment of the commit. */
  readonly refuse?: (context: TransactionContext) => void
}

const removalsOf = (room: TransactionRoom, references: readonly (CaptureReference | null)[]): Statement[] =>
  references.filter(reference => reference !== null).map(({ capture_id }) => room.captures.removal(capture_id))

/**
 * The statements that take captures out of storage, by what is held at the moment of the commit: by an earlier reading,
 * two takes at once would both remove the same one, and one of theirs would stay for ever.
 */
export const removing =
  (room: TransactionRoom, held: Held) =>
  (context: TransactionContext): readonly Statement[] =>
    removalsOf(room, held(context))

/** Whether the chart did not take an event; nothing has changed then. */
export const isRefused = (error: unknown): boolean => error instanceof Refusal && error.code === 'not_allowed_in_state'

/**
 * One commit stores the capture, tells the event that refers to it, and removes what it replaces: no crash and no refusal
 * leaves an image that no snapshot names. (decisions.md, "Device side", has storage first, which a store beside the
 * database will need; in the database one commit is stronger, and a third of a lifecycle's commits fewer.)
 * @throws {Refusal} `not_allowed_in_state`, `gone` for one that was erased, or what `refuse` throws, with nothing stored
 */
export const tellCapture = async (
  room: TransactionRoom,
  session: Session,
  { replaces, refuse, ...capture }: Capturing,
  eventOf: (reference: CaptureReference) => TransactionEvent,
): Promise<ActorState<TransactionActor>> => {
  const { account_id, transaction_id } = session
  const { reference, insertion } = room.captures.seal(session.key, { account_id, transaction_id, ...capture })
  const removals = removing(room, replaces)
  const writes = (context: TransactionContext): readonly Statement[] => {
    refuse?.(context)
    return [...removals(context), insertion]
  }
  try {
    return await room.host.send(room.kind, transaction_id, eventOf(reference), { writes })
  } catch (error) {
    if (isRefused(error)) await reopenSession(room, session)
    throw error
  }
}
