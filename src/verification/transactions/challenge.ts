import type { LivenessAction } from '@attestor/rules'
import { rowExists } from 'durable-xstate-sql/sql'
import { deriveKey, hmac } from '../../base/encryption.ts'
import { drawInteger } from '../../base/random.ts'
import { keyedDigests } from '../captures/digest.ts'
import type { TransactionDeps } from './deps.ts'
import { repeatedImageError } from './device_checks.ts'
import type { Session } from './session.ts'

const headTurns: readonly LivenessAction[] = ['TURN_LEFT', 'TURN_RIGHT']

/**
 * The actions in addition to both head turns, by their number. Both turns are needed: more than a hundred of a thousand tilted
 * prints pass a single turn. A blink or an open mouth is needed: no print that passed both turns passed those, while
 * bent and tipped prints did look up (`node packages/vision/bench/prints.ts`).
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

/** The Fisher–Yates shuffle. */
function shuffle<T>(items: readonly T[]): T[] {
  const result = [...items]
  for (let last = result.length - 1; last > 0; last--) {
    const other = drawInteger(0, last + 1)
    const [one, two] = [result[last], result[other]] as [T, T]
    result[last] = two
    result[other] = one
  }
  return result
}

/** Lips part in a look upwards, which counts only beside how far they do in an open mouth: that is asked for first. */
function orderMouth(actions: readonly LivenessAction[]): readonly LivenessAction[] {
  const [mouth, up] = [actions.indexOf('OPEN_MOUTH'), actions.indexOf('LOOK_UP')]
  return up < 0 || mouth < up ? actions : actions.with(up, 'OPEN_MOUTH').with(mouth, 'LOOK_UP')
}

/** 48 bits that stay the same for a transaction, and that nobody can predict without the customer's key. */
function drawLot({ key, transaction_id }: Pick<Session, 'key' | 'transaction_id'>): number {
  return hmac(deriveKey(key, 'challenge_actions'), transaction_id).digest().readUIntBE(0, 6)
}

/**
 * The `count` actions of a challenge, 2 to 5, in a random order. A transaction has the same actions in every challenge:
 * an attacker with pictures of some actions can't request challenges until these come up.
 */
export function drawActions(
  session: Pick<Session, 'key' | 'transaction_id'>,
  count: number,
): readonly LivenessAction[] {
  const choices = furtherActions[count - headTurns.length] ?? []
  return orderMouth(shuffle([...headTurns, ...(choices[drawLot(session) % choices.length] ?? [])]))
}

/**
 * Selects an earlier use. For this transaction the journal has every digest, also of void challenges; for other
 * transactions the captures have them.
 */
const selectEarlierUse = `SELECT 1 AS used FROM journal WHERE actor_id = ? AND (INSTR(event, ?) > 0 OR INSTR(event, ?) > 0)
  UNION ALL SELECT 1 AS used FROM captures WHERE account_id = ? AND digest = ? AND transaction_id <> ? LIMIT 1`

/**
 * Rejects an image that was used before. It does not replace the check in the commit: it can't see a concurrent upload
 * of the same image, as `requireNewImage` does.
 * @throws {ApiError} `unusable_capture` for bytes that this transaction ever accepted, or that another one of the
 * account still holds
 */
export async function requireNewImages(deps: TransactionDeps, session: Session, content: Uint8Array): Promise<void> {
  const { transaction_id, account_id, key } = session
  const [digest, contentSha256] = keyedDigests(key, content)
  const named = [digest, contentSha256].map(one => `"digest":"${one}"`)
  const values = [transaction_id, ...named, account_id, contentSha256, transaction_id]
  if (await rowExists(deps.store, { sql: selectEarlierUse, values })) throw repeatedImageError('a capture')
}
