import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { AnalysisRequest, Evidence } from '../port.ts'
import type { PoolLimits } from './pool_limits.ts'
import { type AnalysisProcess, startProcess } from './process.ts'

/** How a slot keeps its child. */
export interface SlotOptions {
  readonly clock: Clock
  readonly log: Log
  readonly limits: PoolLimits
  /** The child's program. */
  readonly entry: URL
  /** What it is told. */
  readonly args: readonly string[]
  readonly onWarm: () => void
  /** The child ended before its time again and again: the next is started after a while. */
  readonly onResting: (reason: string) => void
}

/** `warm` waits for work; `resting` waits before it starts another child. */
export type SlotState = 'starting' | 'warm' | 'busy' | 'resting' | 'stopped'

/** A place that always has a child, or is about to. */
export interface Slot {
  state(): SlotState
  start(): void
  /** One analysis by the warm child. Rejects with the reason where the child fails or ends. */
  ask(request: AnalysisRequest): Promise<Evidence>
  /** Ends the child and starts another. */
  replace(reason: string): void
  stop(): Promise<void>
  /** Analyses that the present child has answered. */
  served(): number
  restarts(): number
  pids(): number[]
  /** The stage that the present child's last analysis had reached. */
  stage(): string | null
}

const shortest_rest_ms = 500
const longest_rest_ms = 30_000

/** The first fault may be a chance: it costs no rest. A child that can't start is started ever more rarely. */
const restOf = (faults: number): number =>
  faults <= 1 ? 0 : Math.min(shortest_rest_ms * 2 ** (faults - 2), longest_rest_ms)

/** A slot whose first child is not started yet. */
export const createSlot = ({ clock, log, limits, entry, args, onWarm, onResting }: SlotOptions): Slot => {
  let state: SlotState = 'starting'
  let child: AnalysisProcess | null = null
  let [served, restarts] = [0, 0]
  /** Ends before their time, but those in an analysis: that is the analysis's fault. An answer makes up for them. */
  let faults = 0
  let ended_busy: string | null = null
  let cancelRest = (): void => {}

  const start = (): void => {
    state = 'starting'
    served = 0
    ended_busy = null
    const fresh = startProcess({ clock, entry, args, ...limits })
    child = fresh
    const { start_limit_ms } = limits
    const cancel = clock.setTimer(start_limit_ms, () => fresh.kill(`took longer than ${start_limit_ms} ms to start`))
    fresh.ready.then(() => {
      cancel()
      if (child !== fresh) return
      state = 'warm'
      onWarm()
    }, cancel)
    void fresh.ended.then(reason => {
      if (child !== fresh) return
      // While it is asked, whoever asked hears of its end, and replaces it.
      if (state === 'busy') ended_busy = reason
      else fault(reason)
    })
  }
  const fault = (reason: string): void => {
    child = null
    restarts++
    faults++
    const rest_ms = restOf(faults)
    log.warn({ reason, faults, rest_ms }, 'an analysis process ended')
    if (rest_ms > 0) {
      state = 'resting'
      cancelRest = clock.setTimer(rest_ms, start)
      onResting(reason)
    } else start()
  }

  return {
    state: () => state,
    start,
    async ask(request) {
      if (child === null || state !== 'warm') throw new Error('is not warm')
      const asked = child
      state = 'busy'
      const evidence = await asked.ask(request)
      served++
      faults = 0
      if (child !== asked) return evidence
      // It may end right after its answer, before anybody could be told.
      if (ended_busy === null) state = 'warm'
      else fault(ended_busy)
      return evidence
    },
    replace(reason) {
      if (state === 'stopped') return
      log.info({ reason, served }, 'an analysis process is replaced')
      child?.kill(reason)
      restarts++
      start()
    },
    async stop() {
      state = 'stopped'
      cancelRest()
      const last = child
      child = null
      last?.kill('stopped')
      await last?.ended
    },
    served: () => served,
    restarts: () => restarts,
    stage: () => child?.stage() ?? null,
    pids: () => (child?.pid === undefined ? [] : [child.pid]),
  }
}
