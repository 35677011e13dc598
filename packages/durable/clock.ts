/** The library's only source of time. An application may pass its own clock, and its tests one that they advance. */
export interface DurableClock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Calls `fire` once, `delayMs` from now; the returned function cancels that. */
  setTimer(delayMs: number, fire: () => void): () => void
}

/** Node's timers overflow above this many milliseconds and would fire at once. */
const maxTimerMs = 2 ** 31 - 1

/** The machine's own clock. Its timers keep no process alive: a process that must stay up has a server or a child process. */
export const machineClock: DurableClock = {
  now: () => Date.now(),
  setTimer(delayMs, fire) {
    const timer = setTimeout(fire, Math.min(Math.max(delayMs, 0), maxTimerMs))
    timer.unref()
    return () => clearTimeout(timer)
  },
}
