import type { RandomSource } from '../../random.ts'

/** The number of worlds in the quick tier, in which planted faults are sought, too. */
export const quickWorlds = 2000

/**
 * Decisions of a world. Zero is always the plainest one: the oldest waiting event, no fault. So a world whose later
 * decisions are left out still runs, and becomes plainer.
 */
export interface Draws {
  /** Returns an integer from 0 on and below `below`. */
  draw(below: number): number
  /** True with the probability `likelihood`; never by a zero. */
  chance(likelihood: number): boolean
  pick<T>(choices: readonly [T, ...T[]]): T
}

/** The parts of a world: one can be made plainer without the others becoming different ones. */
export const themes = ['weather', 'clients', 'schedule', 'servers', 'jobs', 'trouble'] as const

export type Theme = (typeof themes)[number]

/** Every decision that was made, by theme. */
export type Tape = Readonly<Record<Theme, readonly number[]>>

/** The decisions of a world, and their record. */
export interface WorldDraws extends Readonly<Record<Theme, Draws>> {
  readonly tape: Tape
}

/** Numbers of 32 bits (SplitMix32). */
export function createStream(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }
}

type Source = { readonly next: (below: number) => number; readonly happens: (likelihood: number) => boolean }

function createWorldDraws(sourceOf: (theme: Theme, index: number) => Source): WorldDraws {
  const parts = themes.map((theme, index) => {
    const { next, happens } = sourceOf(theme, index)
    const tape: number[] = []
    const record = (drawn: number): number => {
      tape.push(drawn)
      return drawn
    }
    const draw = (below: number): number => (below < 2 ? 0 : record(next(below)))
    const draws: Draws = {
      draw,
      chance: likelihood => likelihood > 0 && record(happens(likelihood) ? 1 : 0) === 1,
      pick: choices => choices[draw(choices.length)] as (typeof choices)[0],
    }
    return { theme, draws, tape }
  })
  const byTheme = Object.fromEntries(parts.map(({ theme, draws }) => [theme, draws])) as Record<Theme, Draws>
  const tape = Object.fromEntries(parts.map(one => [one.theme, one.tape])) as unknown as Tape
  return { ...byTheme, tape }
}

/** The decisions of a seed. */
export function drawBySeed(seed: number): WorldDraws {
  return createWorldDraws((_, index) => {
    const next = createStream(Math.imul(seed, 16) + index)
    return { next: below => next() % below, happens: likelihood => next() < likelihood * 2 ** 32 }
  })
}

/** Decisions that were recorded; all further ones are zero. */
export function drawFromTape(tape: Tape): WorldDraws {
  return createWorldDraws(theme => {
    let at = 0
    const next = (): number => tape[theme][at++] ?? 0
    return { next: below => next() % below, happens: () => next() > 0 }
  })
}

/** Ids and the waits after lost races, the same in each run of a world. */
export function createWorldRandom(now: () => number): RandomSource {
  const next = createStream(1)
  return {
    fill(bytes) {
      for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(next(), at)
    },
    integer: below => next() % below,
    now,
  }
}
