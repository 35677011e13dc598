import type { DurableClock } from '../../clock.ts'
import type { Draws } from './draws.ts'

/** One run of a node, a client, or a server of the database. Once it has ended it never goes on. */
export interface Life {
  readonly name: string
  /** Its clock; a client's and a server's is the world's own. */
  readonly clock: DurableClock
  readonly isAlive: () => boolean
  /** It stands still until then, by the world's time. */
  pausedUntil: number
  /** Its clock is ahead of the world's by this many milliseconds. */
  aheadMs: number
  end(): void
}

interface Waiting {
  readonly life: Life
  readonly label: string
  readonly go: () => void
}

interface Timer {
  readonly life: Life
  /** An instant of the world's time: a clock that is set moves no timer. */
  readonly at: number
  readonly fire: () => void
}

/** Decides which of the waiting tasks goes on. */
export interface Schedule {
  /** Milliseconds since the Unix epoch, unknown to the nodes of the world. */
  now(): number
  createLife(name: string, aheadMs?: number): Life
  /** Resolves when the world lets `life` go on; never if it has ended by then. */
  wait(life: Life, label: string): Promise<void>
  /** Lets one go on. False where all wait for the time. */
  act(): Promise<boolean>
  /** Lets the time go on to the next instant. False where nothing is left to do. */
  pass(): boolean
  /** The labels of the steps that were not the plainest. */
  readonly story: readonly string[]
  readonly steps: () => number
  /** Ends every life, so that nothing of this world goes on in the next. */
  end(): void
}

/** All promises that are resolved go on, as far as they can: a tick comes after them. */
function settle(): Promise<void> {
  return new Promise(resolve => process.nextTick(resolve))
}

/** The likelihood that a task waits although it may go on at once. */
const waits = 0.4

export const worldStart = Date.UTC(2026, 10, 28)

export function createSchedule(draws: Draws): Schedule {
  let now = worldStart
  let steps = 0
  let waiting: Waiting[] = []
  const timers = new Set<Timer>()
  const lives: Life[] = []
  const story: string[] = []
  const note = (text: string): void => void story.push(`${((now - worldStart) / 1000).toFixed(3)} s: ${text}`)

  const createLife = (name: string, aheadMs = 0): Life => {
    let isAlive = true
    const life: Life = {
      name,
      pausedUntil: 0,
      aheadMs,
      isAlive: () => isAlive,
      clock: {
        now: () => now + life.aheadMs,
        setTimer(delayMs, fire) {
          const timer = { life, at: now + Math.max(0, delayMs), fire }
          if (isAlive) timers.add(timer)
          return () => timers.delete(timer)
        },
      },
      end() {
        isAlive = false
        waiting = waiting.filter(one => one.life !== life)
        for (const timer of timers) if (timer.life === life) timers.delete(timer)
      },
    }
    lives.push(life)
    return life
  }
  /** The world's time at which a timer fires. */
  const dueAt = ({ life, at }: Timer): number => Math.max(at, life.pausedUntil)
  const listAble = (): readonly Waiting[] => waiting.filter(({ life }) => life.pausedUntil <= now)
  const listDue = (): readonly Timer[] => [...timers].filter(timer => dueAt(timer) <= now)
  const nextInstant = (): number => {
    const paused = waiting.map(({ life }) => life.pausedUntil)
    return Math.min(...[...timers].map(dueAt), ...paused.filter(until => until > now))
  }

  return {
    now: () => now,
    createLife,
    wait(life, label) {
      const goesOn = life.isAlive() && life.pausedUntil <= now && !draws.chance(waits)
      if (goesOn) return Promise.resolve()
      return new Promise(resolve => {
        if (life.isAlive()) waiting.push({ life, label, go: resolve })
      })
    },
    async act() {
      steps++
      const able = listAble()
      const due = listDue()
      const count = able.length + due.length
      if (count === 0) return false
      const drawn = draws.draw(count)
      const one = able[drawn]
      const timer = due[drawn - able.length]
      if (drawn > 0) note(one === undefined ? `a timer of ${timer?.life.name}` : `${one.life.name} ${one.label}`)
      if (one !== undefined) {
        waiting.splice(waiting.indexOf(one), 1)
        one.go()
      } else if (timer !== undefined) {
        timers.delete(timer)
        timer.fire()
      }
      await settle()
      return true
    },
    pass() {
      const next = nextInstant()
      if (next === Number.POSITIVE_INFINITY) return false
      now = Math.max(now, next)
      return true
    },
    story,
    steps: () => steps,
    end() {
      for (const life of lives) life.end()
    },
  }
}
