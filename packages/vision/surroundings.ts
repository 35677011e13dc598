/** The package's only source of time. An application may pass its own clock, and its tests one that they advance. */
export interface VisionClock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Calls `fire` once, `delayMs` from now; the returned function cancels that. */
  setTimer(delayMs: number, fire: () => void): () => void
}

/** The machine's own clock. Its timers keep no process alive: children that wait for work do not either. */
export const machineClock: VisionClock = {
  now: () => Date.now(),
  setTimer(delayMs, fire) {
    const timer = setTimeout(fire, delayMs)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** The log of the children's events: fields are snake_case, and hold no personal data. */
export interface VisionLog {
  info(fields: Record<string, unknown>, message: string): void
  warn(fields: Record<string, unknown>, message: string): void
  error(fields: Record<string, unknown>, message: string): void
}

export const silentLog: VisionLog = { info: () => {}, warn: () => {}, error: () => {} }
