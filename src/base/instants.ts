/**
 * The named instants at which a crash could lose or double something. Programs pass no `Reach`; the crash tests pass
 * one that kills the process, and walk all names.
 */
export const instants = [
  'commit.begun',
  'commit.written',
  'commit.durable',
  'timer.found',
  'job.claimed',
  'job.acted',
  'job.told',
] as const

/** One of `instants`. */
export type Instant = (typeof instants)[number]

/** Called when an instant is reached. */
export type Reach = (instant: Instant) => void

/** What every program but a crash test does at an instant. */
export const passBy: Reach = () => {}
