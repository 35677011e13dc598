/** The package's only source of time. An application passes its own clock, and its tests one that they advance. */
export interface OutboundClock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Milliseconds since some fixed instant; it can't be set back. */
  monotonic(): number
  /** Calls `fire` once, `delayMs` from now; the returned function cancels that. */
  setTimer(delayMs: number, fire: () => void): () => void
}
