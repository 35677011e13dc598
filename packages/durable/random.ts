import { randomInt } from 'node:crypto'
import { v7 } from 'uuid'

/** A UUID version 7 (RFC 9562): ids sort by the time of their creation. */
export function newId(): string {
  return v7()
}

/** An integer from 0 on and below `below`, each as likely as the others. */
export function drawInteger(below: number): number {
  return randomInt(below)
}
