import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { type AskedProcess, startProcess } from './child.ts'
import type { PoolLimits } from './limits.ts'

/** How a slot keeps its child. */
export interface SlotOptions {
  readonly clock: Clock
  readonly log: Log
  /** What its children are for, in the log. */
  readonly name: string
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
export interface Slot<Request, Answer> {
  state(): SlotState
  /** Whether its child is warm, busy or not, and still lives. */
  canBeAsked(): boolean
  start(): void
  /** Asks the child, warm or busy. Rejects with the reason where it fails or ends: whoever asked then replaces it, once. */
  ask(request: Request): Promise<Answer>
  /** Ends the child and starts another. */
  replace(reason: string): void
  stop(): Promise<void>
  /** Questions that the present child has answered. */
  served(): number
  restarts(): number
  pids(): number[]
  /** The stage that the present child's last work had reached. */
  stage(): string | null
}

const shortest_rest_ms = 500
const longest_rest_ms = 30_000

/** The first fault may be a chance: it costs no rest. A child that can't start is started ever more rarely. */
const restOf = (faults: number): number =>
  faults <= 1 ? 0 : Math.min(shortest_rest_ms * 2 ** (faults - 2), longest_rest_ms)

/** A child that is ended when it isn't warm in time. */
const startInTime = <Request, Answer>(
  { clock, entry, args, limits }: SlotOptions,
  onWarm: () => void,
): AskedProcess<Request, Answer> => {
  const { start_limit_ms } = limits
  const fresh = startProcess<Request, Answer>({ clock, entry, args, ...limits })
  const cancel = clock.setTimer(start_limit_ms, () => fresh.kill(`took longer than ${start_limit_ms} ms to start`))
  fresh.ready.then(() => {
    cancel()
    onWarm()
  }, cancel)
  return fresh
}

/** A slot whose first child is not started yet. */
export const createSlot = <Request, Answer>(options: SlotOptions): Slot<Request, Answer> => {
  const { clock, log, name } = options
  let state: SlotState = 'starting'
  let child: AskedProcess<Request, Answer> | null = null
  let [served, restarts, under_way] = [0, 0, 0]
  /** Ends before their time, but those at work: that is the work's fault. An answer makes up for them. */
  let faults = 0
  let ended_busy: string | null = null
  let cancelRest = (): void => {}

  const start = (): void => {
    state = 'starting'
    ;[served, under_way, ended_busy] = [0, 0, null]
    const fresh = startInTime<Request, Answer>(options, () => {
      if (child !== fresh) return
      state = 'warm'
      options.onWarm()
    })
    child = fresh
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
    log.warn({ children: name, reason, faults, rest_ms }, 'a child process ended')
    if (rest_ms > 0) {
      state = 'resting'
      cancelRest = clock.setTimer(rest_ms, start)
      options.onResting(reason)
    } else start()
  }

  return {
    state: () => state,
    canBeAsked: () => (state === 'warm' || state === 'busy') && ended_busy === null,
    start,
    async ask(request) {
      if (child === null || (state !== 'warm' && state !== 'busy')) throw new Error('is not warm')
      const asked = child
      state = 'busy'
      under_way++
      const answer = await asked.ask(request)
      if (child !== asked) return answer
      served++
      under_way--
      faults = 0
      // It may end right after its answer, before anybody could be told.
      if (under_way === 0 && ended_busy !== null) fault(ended_busy)
      else if (under_way === 0) state = 'warm'
      return answer
    },
    replace(reason) {
      if (state === 'stopped') return
      log.info({ children: name, reason, served }, 'a child process is replaced')
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
