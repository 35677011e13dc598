import { randomFillSync, randomInt } from 'node:crypto'
import { v7 } from 'uuid'
import { machineClock } from './clock.ts'

const idBytes = 16
const pool = Buffer.alloc(256 * idBytes)
let used = pool.length

/** A call of the generator takes longer than the rest of an id, so the bytes of many are drawn at once. */
function drawIdBytes(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += idBytes
  return pool.subarray(used - idBytes, used)
}

let msecs = 0
let seq = 0

/**
 * A UUID version 7 (RFC 9562): ids sort by the time of their creation, which keeps a database's indexes compact. Those of
 * one millisecond count on from a random number.
 */
export function newId(): string {
  const random = drawIdBytes()
  const now = machineClock.now()
  // Also where the clock was set back.
  if (now <= msecs) seq++
  else {
    msecs = now
    // Half of the numbers, so that as many ids fit into the millisecond.
    seq = random.readUInt32BE() >>> 1
  }
  return v7({ random, msecs, seq })
}

/** An integer from 0 on and below `below`, each as likely as the others. */
export function drawInteger(below: number): number {
  return randomInt(below)
}
