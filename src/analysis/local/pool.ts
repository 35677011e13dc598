import type { Clock } from '../../base/clock.ts'
import { AnalysisFailed, type AnalysisRequest, type Evidence } from '../port.ts'
import { type AnalysisProcess, startProcess } from './process.ts'

/** What an analysis may take, and how long a child lives. */
export interface PoolLimits {
  /** From the question to the answer of one analysis, in milliseconds. */
  readonly time_limit_ms: number
  /** From a child's start to its models being warm. */
  readonly start_limit_ms: number
  readonly heap_limit_mb: number
  /** Resident memory of a child; Linux only. */
  readonly memory_limit_mb: number
  /** Analyses that may wait while all children are busy; one more is refused. */
  readonly queue: number
  /** A child is replaced after so many analyses, whatever it may have leaked. */
  readonly recycle_after: number
}

/**
 * An analysis takes about four seconds of CPU and a child about 400 MB: the limits leave room for a slow and busy
 * machine, and stop what can only be a fault.
 */
export const defaultLimits: PoolLimits = {
  time_limit_ms: 60_000,
  start_limit_ms: 60_000,
  heap_limit_mb: 512,
  memory_limit_mb: 1536,
  queue: 64,
  recycle_after: 200,
}

/** How a pool is made. */
export interface PoolOptions {
  readonly clock: Clock
  readonly size: number
  readonly limits: PoolLimits
  /** The child's program; `child.ts` unless a test brings its own. */
  readonly entry?: URL
}

/** Children that analyse. */
export interface Pool {
  /** Rejects with `AnalysisFailed` for every failure: refused, aborted, too long, too large, crashed. */
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

interface Slot {
  process: AnalysisProcess | null
  busy: boolean
  served: number
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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

interface State {
  readonly options: PoolOptions
  readonly slots: readonly Slot[]
  readonly waiting: Job[]
  readonly stopping: AbortController
}

/** Puts a fresh child into a slot. */
const fill = ({ options }: State, slot: Slot): AnalysisProcess => {
  const entry = options.entry ?? new URL('child.ts', import.meta.url)
  const fresh = startProcess({ clock: options.clock, entry, ...options.limits })
  slot.process = fresh
  slot.served = 0
  // A child that ends by itself is replaced by the next job, so that one which cannot start is not started for ever.
  void fresh.ended.then(() => {
    if (slot.process === fresh) slot.process = null
  })
  return fresh
}

/** Ends a slot's child. `again` starts the next one at once; after one that could not start, the next job does. */
const retire = (state: State, slot: Slot, why: string, again: boolean): void => {
  slot.process?.kill(why)
  slot.process = null
  if (again && !state.stopping.signal.aborted) fill(state, slot)
}

const serve = async (state: State, slot: Slot, { request, signal }: Job): Promise<Evidence> => {
  const { clock, limits } = state.options
  const either = AbortSignal.any([signal, state.stopping.signal])
  const child = slot.process ?? fill(state, slot)
  let asked = false
  try {
    await within(clock, limits.start_limit_ms, either, child.ready)
    asked = true
    const evidence = await within(clock, limits.time_limit_ms, either, child.ask(request))
    slot.served++
    if (slot.served >= limits.recycle_after) retire(state, slot, 'has served its time', true)
    return evidence
  } catch (error) {
    // An analysis called off while the child still starts says nothing against the child.
    if (asked || !signal.aborted) retire(state, slot, messageOf(error), asked)
    throw new AnalysisFailed(`the analysis process ${messageOf(error)}`, { cause: error })
  }
}

/** Gives what waits to the slots that are free. */
const pump = (state: State): void => {
  for (const slot of state.slots) {
    if (slot.busy) continue
    const job = state.waiting.shift()
    if (!job) return
    slot.busy = true
    serve(state, slot, job)
      .finally(() => {
        slot.busy = false
        pump(state)
      })
      .then(job.result.resolve, job.result.reject)
  }
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
  return job.result.promise.finally(() => signal.removeEventListener('abort', leave))
}

const stopAll = async ({ slots, waiting, stopping }: State): Promise<void> => {
  stopping.abort()
  for (const job of waiting.splice(0)) job.result.reject(new AnalysisFailed('the engine is stopped'))
  const children = slots.flatMap(slot => slot.process ?? [])
  for (const child of children) child.kill('stopped')
  await Promise.all(children.map(child => child.ended))
}

/** Starts the children and hands them analyses, first come, first served. */
export const startPool = (options: PoolOptions): Pool => {
  const slots = Array.from({ length: options.size }, (): Slot => ({ process: null, busy: false, served: 0 }))
  const state: State = { options, slots, waiting: [], stopping: new AbortController() }
  for (const slot of slots) fill(state, slot)
  return {
    analyse: (request, signal) => enqueue(state, request, signal),
    stop: () => stopAll(state),
    pids: () => slots.flatMap(slot => slot.process?.pid ?? []),
  }
}
