import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { asError } from '../base/refusal.ts'
import { ChildFailed, type WhyFailed } from './child_failed.ts'
import type { PoolLimits } from './limits.ts'
import { residentMegabytes } from './process.ts'
import { createSlot, type Slot } from './slot.ts'
import { within } from './within.ts'

/** How children are kept. */
export interface ChildrenOptions {
  readonly clock: Clock
  readonly log: Log
  /** What they are for, in the log and in reasons. */
  readonly name: string
  /** Their program, and what it is told. */
  readonly entry: URL
  readonly args: readonly string[]
  readonly size: number
  readonly limits: PoolLimits
  /** Questions that one child has at a time. */
  readonly at_once: number
  /** How often a question is put whose child fails. From the second time on it has a child to itself. */
  readonly tries: number
}

/** Children that answer. */
export interface Children<Request, Answer> {
  /** Resolves when the first child is warm. */
  readonly ready: Promise<void>
  /** Children that are warm by now, busy or not. */
  room(): number
  /** Children that ended, of a fault or of old age, and were replaced. */
  restarts(): number
  /** First come, first served. Rejects with `ChildFailed` alone. */
  ask(request: Request, signal: AbortSignal): Promise<Answer>
  /** Ends all children; what waits or runs rejects. */
  stop(): Promise<void>
  /** Process ids of the living children, for the operator. */
  pids(): number[]
}

interface Job<Request, Answer> {
  readonly request: Request
  readonly signal: AbortSignal
  readonly result: PromiseWithResolvers<Answer>
  /** How often it was put. */
  tries: number
}

/** A slot, and how many of its `at_once` are taken. */
interface Place<Request, Answer> {
  readonly slot: Slot<Request, Answer>
  taken: number
}

interface State<Request, Answer> {
  readonly options: ChildrenOptions
  readonly places: readonly Place<Request, Answer>[]
  readonly waiting: Job<Request, Answer>[]
  readonly stopping: AbortController
  readonly ready: PromiseWithResolvers<void>
}

/** Replaces a child that keeps memory, where nothing else is in it. */
const retire = async <Q, A>({ options }: State<Q, A>, place: Place<Q, A>, own: number): Promise<void> => {
  const { slot } = place
  const child = slot.restarts()
  const [pid] = slot.pids()
  if (pid === undefined || place.taken > own) return
  const megabytes = await residentMegabytes(pid)
  if (megabytes > options.limits.recycle_mb && place.taken === own && slot.restarts() === child)
    slot.replace(`kept ${Math.round(megabytes)} MB`)
}

const serve = async <Q, A>(state: State<Q, A>, place: Place<Q, A>, job: Job<Q, A>, own: number): Promise<A> => {
  const { clock, limits, name } = state.options
  const { slot } = place
  const child = slot.restarts()
  const either = AbortSignal.any([job.signal, state.stopping.signal])
  place.taken += own
  try {
    const answer = await within(clock, limits.time_limit_ms, either, slot.ask(job.request))
    if (slot.restarts() === child) await retire(state, place, own)
    return answer
  } catch (error) {
    const { message } = asError(error)
    const stage = slot.stage()
    // All that a child was asked fails with it: the first to hear of it replaces it.
    if (slot.restarts() === child) slot.replace(message)
    const why = state.stopping.signal.aborted ? 'stopped' : job.signal.aborted ? 'aborted' : 'failed'
    throw new ChildFailed(why, `the ${name} process ${message}`, { cause: error, stage })
  } finally {
    place.taken -= own
  }
}

const put = async <Q, A>(state: State<Q, A>, place: Place<Q, A>, job: Job<Q, A>, own: number): Promise<void> => {
  job.tries++
  try {
    job.result.resolve(await serve(state, place, job, own))
  } catch (error) {
    const again = error instanceof ChildFailed && error.why === 'failed' && job.tries < state.options.tries
    if (again) state.waiting.unshift(job)
    else job.result.reject(error)
  }
  pump(state)
}

/** Gives what waits to the children that have room; what is put again gets a child to itself. */
const pump = <Q, A>(state: State<Q, A>): void => {
  const { waiting, options, places } = state
  const { at_once, limits } = options
  for (const place of places) {
    const { slot } = place
    const is_old = slot.served() >= limits.recycle_after
    if (is_old && place.taken === 0 && slot.canBeAsked()) slot.replace('has served its time')
    while (slot.canBeAsked() && !is_old) {
      const [job] = waiting
      const own = job?.tries === 0 ? 1 : at_once
      if (job === undefined || place.taken + own > at_once) break
      waiting.shift()
      void put(state, place, job, own)
    }
  }
}

/** Nobody is left who could serve, and nobody is on the way: what waits is given back. */
const giveUp = <Q, A>({ places, waiting, options }: State<Q, A>, reason: string): void => {
  if (places.some(({ slot }) => slot.state() !== 'resting')) return
  for (const job of waiting.splice(0))
    job.result.reject(new ChildFailed('away', `no ${options.name} process starts: ${reason}`))
}

const enqueue = <Q, A>(state: State<Q, A>, request: Q, signal: AbortSignal): Promise<A> => {
  const { waiting, stopping, options } = state
  const refuse = (why: WhyFailed, message: string) => Promise.reject(new ChildFailed(why, message))
  if (stopping.signal.aborted) return refuse('stopped', `the ${options.name} processes are stopped`)
  if (signal.aborted) return refuse('aborted', 'was aborted')
  if (waiting.length >= options.limits.queue) return refuse('full', `too much waits for the ${options.name} processes`)
  const job: Job<Q, A> = { request, signal, result: Promise.withResolvers<A>(), tries: 0 }
  const leave = (): void => {
    const index = waiting.indexOf(job)
    if (index < 0) return
    waiting.splice(index, 1)
    job.result.reject(new ChildFailed('aborted', 'was aborted'))
  }
  signal.addEventListener('abort', leave)
  waiting.push(job)
  pump(state)
  giveUp(state, 'they end as they start')
  return job.result.promise.finally(() => signal.removeEventListener('abort', leave))
}

const stopAll = async <Q, A>({ places, waiting, stopping, options }: State<Q, A>): Promise<void> => {
  stopping.abort()
  for (const job of waiting.splice(0))
    job.result.reject(new ChildFailed('stopped', `the ${options.name} processes are stopped`))
  await Promise.all(places.map(({ slot }) => slot.stop()))
}

/** Starts the children and hands them what they are asked. */
export const startChildren = <Request, Answer>(options: ChildrenOptions): Children<Request, Answer> => {
  const onWarm = (): void => {
    state.ready.resolve()
    pump(state)
  }
  const onResting = (reason: string): void => giveUp(state, reason)
  const slots = Array.from({ length: options.size }, () =>
    createSlot<Request, Answer>({ ...options, onWarm, onResting }),
  )
  const state: State<Request, Answer> = {
    options,
    places: slots.map(slot => ({ slot, taken: 0 })),
    waiting: [],
    stopping: new AbortController(),
    ready: Promise.withResolvers<void>(),
  }
  for (const slot of slots) slot.start()
  return {
    ready: state.ready.promise,
    room: () => slots.filter(slot => slot.state() === 'warm' || slot.state() === 'busy').length,
    restarts: () => slots.reduce((sum, slot) => sum + slot.restarts(), 0),
    ask: (request, signal) => enqueue(state, request, signal),
    stop: () => stopAll(state),
    pids: () => slots.flatMap(slot => slot.pids()),
  }
}
