/**
 * The named instants at which a crash could lose or double something. Programs pass no `Reach`; the crash tests pass
 * one that kills the process, and walk all names.
 */
export const crashPoints = [
  'commit.begun',
  'commit.written',
  'commit.durable',
  'timer.found',
  'job.claimed',
  'job.acted',
  'job.told',
] as const

/** One of `instants`. */
export type CrashPoint = (typeof crashPoints)[number]

/** Called when an instant is reached. */
export type CrashHook = (instant: CrashPoint) => void

/** What every program but a crash test does at an instant. */
export const noCrash: CrashHook = () => {}
