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

/** Starts the children and hands them analyses, first come, first served. */
export const startPool = ({ clock, size, limits, entry }: PoolOptions): Pool => {
  const program = entry ?? new URL('child.ts', import.meta.url)
  const waiting: Job[] = []
  const stopping = new AbortController()

  const replace = (slot: Slot): AnalysisProcess => {
    const fresh = startProcess({ clock, entry: program, ...limits })
    slot.process = fresh
    slot.served = 0
    // A child that ends by itself is replaced by the next job, so that one which cannot start is not started for ever.
    void fresh.ended.then(() => {
      if (slot.process === fresh) slot.process = null
    })
    return fresh
  }

  const serve = async (slot: Slot, { request, signal }: Job): Promise<Evidence> => {
    const either = AbortSignal.any([signal, stopping.signal])
    const child = slot.process ?? replace(slot)
    let asked = false
    try {
      await within(clock, limits.start_limit_ms, either, child.ready)
      asked = true
      const evidence = await within(clock, limits.time_limit_ms, either, child.ask(request))
      slot.served++
      if (slot.served >= limits.recycle_after) retire(slot, 'has served its time', true)
      return evidence
    } catch (error) {
      // An analysis called off while the child still starts says nothing against the child.
      if (asked || !signal.aborted) retire(slot, messageOf(error), asked)
      throw new AnalysisFailed(`the analysis process ${messageOf(error)}`, { cause: error })
    }
  }

  /** `again` starts the next child at once; after one that could not start, the next job does. */
  const retire = (slot: Slot, why: string, again: boolean): void => {
    slot.process?.kill(why)
    slot.process = null
    if (again && !stopping.signal.aborted) replace(slot)
  }

  const slots: Slot[] = Array.from({ length: size }, () => ({ process: null, busy: false, served: 0 }))
  for (const slot of slots) replace(slot)

  const pump = (): void => {
    for (const slot of slots) {
      if (slot.busy) continue
      const job = waiting.shift()
      if (!job) return
      slot.busy = true
      serve(slot, job)
        .then(job.result.resolve, job.result.reject)
        .finally(() => {
          slot.busy = false
          pump()
        })
    }
  }

  const analyse = (request: AnalysisRequest, signal: AbortSignal): Promise<Evidence> => {
    if (stopping.signal.aborted) return Promise.reject(new AnalysisFailed('the engine is stopped'))
    if (signal.aborted) return Promise.reject(new AnalysisFailed('the analysis was aborted'))
    if (waiting.length >= limits.queue) return Promise.reject(new AnalysisFailed('too many analyses are waiting'))
    const job: Job = { request, signal, result: Promise.withResolvers<Evidence>() }
    const leave = (): void => {
      const place = waiting.indexOf(job)
      if (place < 0) return
      waiting.splice(place, 1)
      job.result.reject(new AnalysisFailed('the analysis was aborted'))
    }
    signal.addEventListener('abort', leave)
    waiting.push(job)
    pump()
    return job.result.promise.finally(() => signal.removeEventListener('abort', leave))
  }

  const stop = async (): Promise<void> => {
    stopping.abort()
    for (const job of waiting.splice(0)) job.result.reject(new AnalysisFailed('the engine is stopped'))
    const children = slots.flatMap(slot => (slot.process ? [slot.process] : []))
    for (const child of children) child.kill('stopped')
    await Promise.all(children.map(child => child.ended))
  }

  return { analyse, stop, pids: () => slots.flatMap(slot => slot.process?.pid ?? []) }
}
