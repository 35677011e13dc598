import { createHmac, randomInt } from 'node:crypto'
import type { TransactionContext } from '../../machines/transaction.ts'
import { ApiError } from '../base/api_error.ts'
import { deriveKey } from '../base/encryption.ts'
import { keyedDigests } from '../captures/digest.ts'
import type { LivenessAction } from '../decision/findings.ts'
import { isThere } from '../durable/store/store.ts'
import type { TransactionDeps } from './deps.ts'
import type { Session } from './session.ts'

const headTurns: readonly LivenessAction[] = ['TURN_LEFT', 'TURN_RIGHT']

/**
 * What is asked beside both turns, by their number. Both turns always: of a thousand prints that were turned and tipped a
 * hundred and more pass one turn. A blink or an open mouth always, which no print did that passed both turns; a bent one
 * that was tipped did look up (`node test/bench/prints.ts`).
 */
const furtherActions: Readonly<Record<number, readonly (readonly LivenessAction[])[]>> = {
  0: [[]],
  1: [['BLINK'], ['OPEN_MOUTH']],
  2: [
    ['BLINK', 'OPEN_MOUTH'],
    ['BLINK', 'LOOK_UP'],
    ['OPEN_MOUTH', 'LOOK_UP'],
  ],
  3: [['BLINK', 'OPEN_MOUTH', 'LOOK_UP']],
}

/** In an order that nobody knows before (Fisher and Yates, with the system's own chance). */
const shuffle = <T>(items: readonly T[]): T[] => {
  const mixed = [...items]
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = randomInt(last + 1)
    const [one, two] = [mixed[last], mixed[other]] as [T, T]
    mixed[last] = two
    mixed[other] = one
  }
  return mixed
}

/** A transaction's own chance, which nobody knows without the customer's key: 48 bits, the same each time. */
const drawLot = ({ key, transaction_id }: Pick<Session, 'key' | 'transaction_id'>): number =>
  createHmac('sha256', deriveKey(key, 'challenge_actions')).update(transaction_id).digest().readUIntBE(0, 6)

/**
 * The `count` actions of a challenge, 2 to 5, in a random order. Which ones is drawn once for a transaction: who has
 * pictures of some actions and asks for challenge after challenge is never asked for others.
 */
export const drawActions = (
  session: Pick<Session, 'key' | 'transaction_id'>,
  count: number,
): readonly LivenessAction[] => {
  const choices = furtherActions[count - headTurns.length] ?? []
  return shuffle([...headTurns, ...(choices[drawLot(session) % choices.length] ?? [])])
}

const repeatedImageError = (what: string): ApiError =>
  new ApiError('unusable_capture', `image: must be a new photo, this one was already used as ${what}`)

/** Events name the digests of all that this transaction ever took, void challenges included; other captures keep theirs. */
const selectEarlierUse = `SELECT 1 AS used FROM journal WHERE actor_id = ? AND (INSTR(event, ?) > 0 OR INSTR(event, ?) > 0)
  UNION ALL SELECT 1 AS used FROM captures WHERE account_id = ? AND digest = ? AND transaction_id <> ? LIMIT 1`

/**
 * Refuses a frame whose bytes this transaction has taken before, or another of the account still holds.
 * @throws {ApiError} `unusable_capture`
 */
export const requireNewImages = async (deps: TransactionDeps, session: Session, content: Uint8Array): Promise<void> => {
  const { transaction_id, account_id, key } = session
  const [digest, content_sha256] = keyedDigests(key, content)
  const named = [digest, content_sha256].map(one => `"digest":"${one}"`)
  const values = [transaction_id, ...named, account_id, content_sha256, transaction_id]
  if (await isThere(deps.store, { sql: selectEarlierUse, values })) throw repeatedImageError('a capture')
}

/**
 * What refuses an image that answers the open challenge already, or is the selfie, for the commit that would take it: two
 * uploads of one image at once are not in the journal yet when either is looked for there. `position` is where a frame
 * belongs, whose own earlier take it may be.
 */
export const createRepetitionCheck =
  ({ key }: Session, content: Uint8Array, position: number | null) =>
  ({ challenge, selfie }: TransactionContext): void => {
    const digests = keyedDigests(key, content)
    const frames = challenge?.frames.filter((_, n) => n !== position) ?? []
    const isHeld = (reference: TransactionContext['selfie']): boolean =>
      reference !== null && digests.includes(reference.digest)
    if (frames.some(isHeld)) throw repeatedImageError('a frame of the challenge')
    if (position !== null && isHeld(selfie)) throw repeatedImageError('the selfie')
  }
