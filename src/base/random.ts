import { randomBytes, randomFillSync, randomInt, randomUUID } from 'node:crypto'

/*
 * The only source of randomness, as the clock is of time. All of it comes from the system's secure generator. Ids that sort
 * by time are made in packages/durable/random.ts.
 */

/** Draws bytes for keys, tokens and salts. */
export function drawBytes(count: number): Buffer {
  return randomBytes(count)
}

/** An integer from `from` on and below `below`, each as likely as the others. */
export function drawInteger(from: number, below: number): number {
  return randomInt(from, below)
}

/** A UUID version 4: unlike an id of version 7, it does not reveal when it was drawn. */
export function drawUuid(): string {
  return randomUUID()
}

const poolBytes = 4096
const pool = Buffer.alloc(poolBytes)
let used = poolBytes

/**
 * Random bytes for a nonce: a call of the generator takes longer than encrypting a short text, so many are drawn at once.
 * None is given twice, and none stays in the pool. What must stay secret, a key or a token, is drawn by `drawBytes`.
 */
export function drawNonce(count: number): Buffer {
  if (used + count > poolBytes) {
    randomFillSync(pool)
    used = 0
  }
  const bytes = Buffer.from(pool.subarray(used, used + count))
  pool.fill(0, used, used + count)
  used += count
  return bytes
}
