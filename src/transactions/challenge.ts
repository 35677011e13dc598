import { randomInt } from 'node:crypto'
import type { LivenessAction } from '../analysis/port.ts'
import { Refusal } from '../base/refusal.ts'
import { digestsOf } from '../captures/digest.ts'
import { readFirst } from '../store/store.ts'
import type { TransactionRoom } from './room.ts'
import type { Session } from './session.ts'

const turns: readonly LivenessAction[] = ['TURN_LEFT', 'TURN_RIGHT']
/** What no print did together with both turns (`node test/bench/prints.ts`). A bent one that was tipped did look up. */
const beyond_prints: readonly LivenessAction[] = ['BLINK', 'OPEN_MOUTH']

/** In an order that nobody knows before (Fisher and Yates, with the system's own chance). */
const shuffled = <T>(items: readonly T[]): T[] => {
  const mixed = [...items]
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = randomInt(last + 1)
    const [one, two] = [mixed[last], mixed[other]] as [T, T]
    mixed[last] = two
    mixed[other] = one
  }
  return mixed
}

/**
 * The `count` actions of a new challenge, 2 to 5. Both turns are always among them: only a head that turns both ways
 * shows that it is solid, and a picture of a profile shows one turn. From 3 on a blink or an open mouth is
 * too, and what comes beside them is drawn from all that is left.
 */
export const drawActions = (count: number): readonly LivenessAction[] => {
  const [first, ...others] = shuffled(beyond_prints)
  const expressions = first === undefined ? [] : [first, ...shuffled([...others, 'LOOK_UP' as const])]
  return shuffled([...turns, ...expressions.slice(0, Math.max(0, count - turns.length))])
}

const repeated = (what: string): Refusal =>
  new Refusal('unusable_capture', `image: must be a new photo, this one was already used as ${what}`)

/** Events name the digests of all that this transaction ever took, void challenges included; other captures keep theirs. */
const selectEarlierUse = `SELECT 1 AS used FROM journal WHERE actor_id = ? AND (INSTR(event, ?) > 0 OR INSTR(event, ?) > 0)
  UNION ALL SELECT 1 AS used FROM captures WHERE account_id = ? AND digest = ? AND transaction_id <> ? LIMIT 1`

/**
 * Refuses a frame whose bytes this transaction has taken before, or another of the account still holds.
 * @throws {Refusal} `unusable_capture`
 */
export const refuseReplay = async (room: TransactionRoom, session: Session, content: Uint8Array): Promise<void> => {
  const { transaction_id, account_id, key } = session
  const [digest, content_sha256] = digestsOf(key, content)
  const named = [digest, content_sha256].map(one => `"digest":"${one}"`)
  const values = [transaction_id, ...named, account_id, content_sha256, transaction_id]
  if ((await readFirst(room.store, { sql: selectEarlierUse, values })) !== null) throw repeated('a capture')
}

/** Refuses a selfie that answers the open challenge already. @throws {Refusal} `unusable_capture` */
export const refuseFrameAsSelfie = ({ context, key }: Session, content: Uint8Array): void => {
  const digests = digestsOf(key, content)
  if (context.challenge?.frames.some(frame => frame !== null && digests.includes(frame.digest)))
    throw repeated('a frame of the challenge')
}
