import type { Draws } from './draws.ts'
import type { JobFaults } from './node.ts'
import { noServerFaults, type ServerFaults } from './server.ts'

export type Trouble = 'crash' | 'pause' | 'clock' | 'outage'

/** The parts of a world, and the kinds of trouble that it has. */
export interface Weather {
  /** Nothing fails but jobs, and everything happens at its time. */
  readonly isCalm: boolean
  readonly nodes: number
  /** The jobs of each queue that a node does at a time. */
  readonly slots: number
  /** Whether a notice's job may begin with the commit that starts it; else each has a row of its own. */
  readonly admits: boolean
  /** Null where the nodes share a file. */
  readonly server: { readonly hosts: number; readonly oneByOne: boolean; readonly faults: ServerFaults } | null
  readonly jobs: JobFaults
  /** The likelihood that a node ends at a crash point. */
  readonly crashes: number
  /** The likelihood of one of `kinds` at each step. */
  readonly trouble: number
  readonly kinds: readonly [Trouble, ...Trouble[]]
  /** The clocks of some nodes are ahead by this many milliseconds. */
  readonly aheadMs: number
}

const allKinds: Weather['kinds'] = ['crash', 'pause', 'clock', 'outage']
const kindsOfStorms: readonly [Weather['kinds'], ...Weather['kinds'][]] = [
  allKinds,
  ['crash'],
  ['pause'],
  ['clock'],
  ['outage'],
  ['pause', 'crash'],
]

export function drawWeather(draws: Draws): Weather {
  const often = (likelihood: number): number => (draws.chance(0.5) ? likelihood : 0)
  const isCalm = draws.chance(0.3)
  const isServer = draws.chance(0.5)
  // Most troubles need two nodes, and a world of four costs as much as three others.
  const drawNodes = (): number => (isServer ? draws.pick([1, 2, 2, 2, 1, 2, 3, 4]) : draws.pick([1, 2, 2]))
  // One node alone has more promises to keep: nothing waits there while a slot is free.
  const nodes = isCalm && draws.chance(0.5) ? 1 : drawNodes()
  const stormy = (): ServerFaults => ({
    lost: often(0.02),
    answerLost: often(0.05),
    deadlock: often(draws.pick([0.05, 0.005])),
    timeout: often(0.2),
    between: often(0.3),
  })
  const server = isServer
    ? { hosts: draws.pick([1, 2, 1]), oneByOne: draws.chance(0.3), faults: isCalm ? noServerFaults : stormy() }
    : null
  const jobs: JobFaults = {
    fails: often(0.3),
    throws: often(0.1),
    postpones: often(0.2),
    unavailable: often(0.2),
    hangs: draws.pick([0, 0.5, 0.9]),
    pauses: isCalm ? 0 : often(0.5),
  }
  const common = { isCalm, nodes, server, jobs, admits: !draws.chance(0.3) }
  if (isCalm) return { ...common, slots: draws.pick([100, 2, 1]), crashes: 0, trouble: 0, kinds: allKinds, aheadMs: 0 }
  return {
    ...common,
    slots: 1 + draws.draw(2),
    crashes: often(0.02),
    trouble: draws.chance(0.8) ? 0.08 : 0,
    kinds: draws.pick(kindsOfStorms),
    aheadMs: draws.chance(0.5) ? draws.draw(8) * 250 : 0,
  }
}

/** A clock that is set by a storm is ahead by at most this many milliseconds. */
export const maxAheadMs = 3500

/** Returns the most that the clocks of two nodes are apart, in milliseconds. */
export function readSkew({ aheadMs, trouble, kinds }: Weather): number {
  return trouble > 0 && kinds.includes('clock') ? maxAheadMs : aheadMs
}
