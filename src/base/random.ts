import { randomFillSync } from 'node:crypto'

const poolBytes = 4096
const pool = Buffer.alloc(poolBytes)
let used = poolBytes

/**
 * Random bytes for a nonce: a call of the generator takes longer than encrypting a short text, so many are drawn at once.
 * None is given twice, and none stays in the pool. What must stay secret, a key or a token, is drawn by itself.
 */
export const takeRandomBytes = (count: number): Buffer => {
  if (used + count > poolBytes) {
    randomFillSync(pool)
    used = 0
  }
  const bytes = Buffer.from(pool.subarray(used, used + count))
  pool.fill(0, used, used + count)
  used += count
  return bytes
}
