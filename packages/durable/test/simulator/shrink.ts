import { drawBySeed, drawFromTape, type Theme } from './draws.ts'
import { type Outcome, runWorld } from './world.ts'

/** Runs of a world until the shortest schedule that was found is reported. */
const maxRuns = 500

/** The theme without which a world is plainest comes first. */
const shrunkFirst: readonly Theme[] = ['trouble', 'servers', 'schedule', 'jobs', 'clients', 'weather']

/** An exception that leaves a world is a failure of it, too. */
export async function runSafely(draws: Parameters<typeof runWorld>[0]): Promise<Outcome> {
  try {
    return await runWorld(draws)
  } catch (error) {
    const failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { failure, isException: true, story: [], tape: draws.tape, steps: 0, faults: new Map() }
  }
}

/**
 * The plainest world found that still fails. Of each theme all decisions are left out, then half of them, and so on; then
 * blocks are made plain. It may fail by another promise than the first one did.
 */
export async function shrink(failing: Outcome): Promise<Outcome> {
  let best = failing
  let runs = 0
  const attempt = async (theme: Theme, decisions: readonly number[]): Promise<boolean> => {
    if (runs++ >= maxRuns) return false
    const outcome = await runSafely(drawFromTape({ ...best.tape, [theme]: decisions }))
    if (outcome.failure === null) return false
    best = { ...outcome, tape: { ...outcome.tape, [theme]: decisions } }
    return true
  }
  for (const theme of shrunkFirst) {
    for (let kept = 0; kept < 0.95; kept += (1 - kept) / 2)
      if (await attempt(theme, best.tape[theme].slice(0, best.tape[theme].length * kept))) break
    for (let size = Math.ceil(best.tape[theme].length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
      for (let at = 0; at < best.tape[theme].length; at += size) {
        const isInside = (index: number): boolean => index >= at && index < at + size
        const decisions = best.tape[theme]
        if (decisions.some((drawn, index) => drawn !== 0 && isInside(index)))
          await attempt(
            theme,
            decisions.map((drawn, index) => (isInside(index) ? 0 : drawn)),
          )
      }
  }
  return best
}

/** An exception says little about whether the promises are looked at. */
function nameFailure(seed: number, { failure, isException }: Outcome): string {
  return `world ${seed}${isException ? ', by an exception' : ''}: ${failure}`
}

/** Describes a seed that fails, with its plainest schedule. */
export async function describeFailure(seed: number, failing: Outcome): Promise<string> {
  Error.stackTraceLimit = 10
  const { failure, story, tape, steps } = await shrink(failing)
  return [
    nameFailure(seed, failing),
    `the plainest schedule found that fails has ${steps} steps, of which these are not the plainest:`,
    ...story,
    failure ?? '',
    `tape: ${JSON.stringify(tape)}`,
  ].join('\n')
}

/** The seeds of a search. */
export interface Search {
  readonly from: number
  readonly worlds: number
  /** Whether the failure is named only, without its plainest schedule. */
  readonly isShort: boolean
  readonly onWorld: (outcome: Outcome) => void
}

/** The first of these seeds whose world breaks a promise, described; null where none does. */
export async function findFailure({ from, worlds, isShort, onWorld }: Search): Promise<string | null> {
  for (let seed = from; seed < from + worlds; seed++) {
    const outcome = await runSafely(drawBySeed(seed))
    onWorld(outcome)
    if (outcome.failure !== null) return isShort ? nameFailure(seed, outcome) : describeFailure(seed, outcome)
  }
  return null
}
