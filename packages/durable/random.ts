import { randomFillSync, randomInt } from 'node:crypto'
import { v7 } from 'uuid'
import { machineClock } from './clock.ts'

/** The source of every random number and of the time in ids. */
export interface RandomSource {
  fill(bytes: Buffer): void
  /** Returns an integer from 0 on and below `below`. */
  integer(below: number): number
  /** Milliseconds since the Unix epoch. */
  now(): number
}

const machineSource: RandomSource = { fill: randomFillSync, integer: randomInt, now: machineClock.now }

let source = machineSource

const idBytes = 16
const pool = Buffer.alloc(256 * idBytes)
let used = pool.length

/** A call of the generator takes longer than the rest of an id, so the bytes of many are drawn at once. */
function drawIdBytes(): Buffer {
  if (used === pool.length) {
    source.fill(pool)
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
  const now = source.now()
  // The sequence also rises if the clock was set back.
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
  return source.integer(below)
}

/**
 * Serves a simulator, whose worlds come from a seed: draws from `other` from now on, and from the machine's if null.
 */
export function drawFrom(other: RandomSource | null): void {
  source = other ?? machineSource
  used = pool.length
  msecs = 0
  seq = 0
}
