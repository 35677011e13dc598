/** The points at which a crash could lose something or do it twice. Crash tests kill the process at each of them. */
export const crashPoints = [
  'commit.begun',
  'commit.written',
  'commit.durable',
  'timer.found',
  'job.claimed',
  'job.handled',
  'job.sent',
] as const

/** One of `crashPoints`. */
export type CrashPoint = (typeof crashPoints)[number]

/** Called when a crash point is reached. */
export type CrashHook = (point: CrashPoint) => void

/** The hook of every program but a crash test. */
export const noCrash: CrashHook = () => {}
