import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import { asError } from '../../base/refusal.ts'
import { AnalysisFailed, type AnalysisRequest, EngineAway, type Evidence } from '../port.ts'
import type { PoolLimits } from './pool_limits.ts'
import { residentMegabytes } from './process.ts'
import { createSlot, type Slot } from './slot.ts'

/** How a pool is made. */
export interface PoolOptions {
  readonly clock: Clock
  readonly size: number
  readonly limits: PoolLimits
  readonly log: Log
  /** What the child's program is told. */
  readonly args?: readonly string[]
  /** The child's program; `child.ts` unless a test brings its own. */
  readonly entry?: URL
}

/** Children that analyse. */
export interface Pool {
  /** Resolves when the first child is warm. */
  readonly ready: Promise<void>
  /** Children that are warm by now, busy or not. */
  room(): number
  /** Children that ended, of a fault or of old age, and were replaced. */
  restarts(): number
  /**
   * Rejects with `AnalysisFailed` for every failure: refused, aborted, too long, too large, crashed; with `EngineAway`
   * where no child can be started.
   */
  analyse(request: AnalysisRequest, signal: AbortSignal): Promise<Evidence>
  /** Ends all children; what waits or runs rejects. */
  stop(): Promise<void>
  /** Process ids of the living children, for the operator. */
  pids(): number[]
}

interface Job {
  readonly request: AnalysisRequest
  readonly signal: AbortSignal
  readonly result: PromiseWithResolvers<Evidence>
}

/** Settles as `work` does, or rejects when the time is up or the signal aborts, whichever is first. */
const within = <T>(clock: Clock, limit_ms: number, signal: AbortSignal, work: Promise<T>): Promise<T> => {
  const first = Promise.withResolvers<T>()
  const abort = (): void => first.reject(new Error('aborted'))
  const cancel = clock.setTimer(limit_ms, () => first.reject(new Error(`took longer than ${limit_ms} ms`)))
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  work.then(first.resolve, first.reject)
  return first.promise.finally(() => {
    cancel()
    signal.removeEventListener('abort', abort)
  })
}

interface State {
  readonly options: PoolOptions
  readonly slots: readonly Slot[]
  readonly waiting: Job[]
  readonly stopping: AbortController
  readonly ready: PromiseWithResolvers<void>
}

const serve = async ({ options, stopping }: State, slot: Slot, { request, signal }: Job): Promise<Evidence> => {
  const { clock, limits } = options
  const either = AbortSignal.any([signal, stopping.signal])
  try {
    const evidence = await within(clock, limits.time_limit_ms, either, slot.ask(request))
    const [pid] = slot.pids()
    const megabytes = pid === undefined ? 0 : await residentMegabytes(pid)
    if (slot.served() >= limits.recycle_after) slot.replace('has served its time')
    else if (megabytes > limits.recycle_mb) slot.replace(`kept ${Math.round(megabytes)} MB`)
    return evidence
  } catch (error) {
    const { message } = asError(error)
    const stage = slot.stage()
    slot.replace(message)
    throw new AnalysisFailed(`the analysis process ${message}`, { cause: error, stage })
  }
}

/** Gives what waits to the children that are warm and free. */
const pump = (state: State): void => {
  for (const slot of state.slots) {
    if (slot.state() !== 'warm') continue
    const job = state.waiting.shift()
    if (!job) return
    serve(state, slot, job)
      .finally(() => pump(state))
      .then(job.result.resolve, job.result.reject)
  }
}

/** Nobody is left who could serve, and nobody is on the way: what waits is given back, no attempt used up. */
const giveUp = ({ slots, waiting }: State, reason: string): void => {
  if (slots.some(slot => slot.state() !== 'resting')) return
  for (const job of waiting.splice(0)) job.result.reject(new EngineAway(`no analysis process starts: ${reason}`))
}

const enqueue = (state: State, request: AnalysisRequest, signal: AbortSignal): Promise<Evidence> => {
  const { waiting, stopping, options } = state
  if (stopping.signal.aborted) return Promise.reject(new AnalysisFailed('the engine is stopped'))
  if (signal.aborted) return Promise.reject(new AnalysisFailed('the analysis was aborted'))
  if (waiting.length >= options.limits.queue) return Promise.reject(new AnalysisFailed('too many analyses are waiting'))
  const job: Job = { request, signal, result: Promise.withResolvers<Evidence>() }
  const leave = (): void => {
    const place = waiting.indexOf(job)
    if (place < 0) return
    waiting.splice(place, 1)
    job.result.reject(new AnalysisFailed('the analysis was aborted'))
  }
  signal.addEventListener('abort', leave)
  waiting.push(job)
  pump(state)
  giveUp(state, 'they end as they start')
  return job.result.promise.finally(() => signal.removeEventListener('abort', leave))
}

const stopAll = async ({ slots, waiting, stopping }: State): Promise<void> => {
  stopping.abort()
  for (const job of waiting.splice(0)) job.result.reject(new AnalysisFailed('the engine is stopped'))
  await Promise.all(slots.map(slot => slot.stop()))
}

/** Starts the children and hands them analyses, first come, first served. */
export const startPool = (options: PoolOptions): Pool => {
  const entry = options.entry ?? new URL('child.ts', import.meta.url)
  const slots = Array.from({ length: options.size }, () =>
    createSlot({
      ...options,
      entry,
      args: options.args ?? [],
      onWarm() {
        state.ready.resolve()
        pump(state)
      },
      onResting: reason => giveUp(state, reason),
    }),
  )
  const state: State = {
    options,
    slots,
    waiting: [],
    stopping: new AbortController(),
    ready: Promise.withResolvers<void>(),
  }
  for (const slot of slots) slot.start()
  return {
    ready: state.ready.promise,
    room: () => slots.filter(slot => slot.state() === 'warm' || slot.state() === 'busy').length,
    restarts: () => slots.reduce((sum, slot) => sum + slot.restarts(), 0),
    analyse: (request, signal) => enqueue(state, request, signal),
    stop: () => stopAll(state),
    pids: () => slots.flatMap(slot => slot.pids()),
  }
}
