import { asError } from '../base/api_error.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { type ChildFailureCause, ChildProcessError } from './child_failed.ts'
import { createFairQueue, type FairQueue, type QueuedJob, type Share } from './fair_queue.ts'
import type { PoolLimits } from './limits.ts'
import { type Place, retire } from './place.ts'
import { createSlot } from './slot.ts'
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
  /** How many questions of one owner are answered at a time, where not as many as there is room for. */
  readonly share?: Share
}

/** Whose a question is, and when it is no longer wanted. */
export interface Asking {
  readonly signal: AbortSignal
  /** Owners are served side by side: none waits because of another's questions. All are one owner's where it is absent. */
  readonly owner?: string
}

/** Children that answer. */
export interface Children<Request, Answer> {
  /** Resolves when the first child is warm. */
  readonly ready: Promise<void>
  /** Children that are warm by now, busy or not. */
  capacity(): number
  /** Children that ended, of a fault or of old age, and were replaced. */
  restarts(): number
  /** Of one owner first come, first served. Rejects with `ChildProcessError` alone. */
  ask(request: Request, asking: Asking): Promise<Answer>
  /** Ends all children; what waits or runs rejects. */
  stop(): Promise<void>
  /** Process ids of the living children, for the operator. */
  pids(): number[]
}

const unlimited: Share = { alone: Number.POSITIVE_INFINITY, beside: Number.POSITIVE_INFINITY }

interface Job<Request, Answer> extends QueuedJob {
  readonly request: Request
  readonly signal: AbortSignal
  readonly result: PromiseWithResolvers<Answer>
  /** How often it was put. */
  tries: number
}

interface State<Request, Answer> {
  readonly options: ChildrenOptions
  readonly places: readonly Place<Request, Answer>[]
  readonly waiting: FairQueue<Job<Request, Answer>>
  readonly stopping: AbortController
  readonly ready: PromiseWithResolvers<void>
}

const serve = async <Q, A>(state: State<Q, A>, place: Place<Q, A>, job: Job<Q, A>, own: number): Promise<A> => {
  const { clock, limits, name } = state.options
  const { slot } = place
  const child = slot.restarts()
  const either = AbortSignal.any([job.signal, state.stopping.signal])
  place.taken += own
  place.owners.push(job.owner)
  try {
    const answer = await within(clock, limits.time_limit_ms, either, slot.ask(job.request))
    if (slot.restarts() === child) await retire(place, limits, own)
    return answer
  } catch (error) {
    const { message } = asError(error)
    const stage = slot.stage()
    // All that a child was asked fails with it: the first to hear of it replaces it.
    if (slot.restarts() === child) slot.replace(message)
    const why = state.stopping.signal.aborted ? 'stopped' : job.signal.aborted ? 'aborted' : 'failed'
    throw new ChildProcessError(why, `the ${name} process ${message}`, { cause: error, stage })
  } finally {
    place.taken -= own
    place.owners.splice(place.owners.indexOf(job.owner), 1)
  }
}

const put = async <Q, A>(state: State<Q, A>, place: Place<Q, A>, job: Job<Q, A>): Promise<void> => {
  const own = job.permits()
  const end = state.waiting.begin(job)
  job.tries++
  try {
    job.result.resolve(await serve(state, place, job, own))
  } catch (error) {
    const again = error instanceof ChildProcessError && error.why === 'failed' && job.tries < state.options.tries
    if (again) state.waiting.addAgain(job)
    else job.result.reject(error)
  } finally {
    end()
  }
  pump(state)
}

/** The child for a job, if one has capacity: rather where its owner has others, so that what ends a child ends one owner's. */
const placeFor = <Q, A>({ options, places }: State<Q, A>, job: Job<Q, A>): Place<Q, A> | null => {
  const { at_once, limits } = options
  const open = places.filter(
    ({ slot, taken }) => slot.canBeAsked() && slot.served() < limits.recycle_after && taken + job.permits() <= at_once,
  )
  const theirs = open.find(({ owners }) => owners.includes(job.owner))
  return theirs ?? open.sort((one, other) => one.taken - other.taken)[0] ?? null
}

/** Gives what waits to the children that have room; what is put again gets a child to itself, and holds up all others. */
const pump = <Q, A>(state: State<Q, A>): void => {
  const { waiting, options, places } = state
  for (const { slot, taken } of places)
    if (slot.served() >= options.limits.recycle_after && taken === 0 && slot.canBeAsked())
      slot.replace('has served its time')
  for (let job = waiting.next(); job !== null; job = waiting.next()) {
    const place = placeFor(state, job)
    if (place === null) return
    void put(state, place, job)
  }
}

/** Nobody is left who could serve, and nobody is on the way: what waits is given back. */
const giveUp = <Q, A>({ places, waiting, options }: State<Q, A>, reason: string): void => {
  if (places.some(({ slot }) => slot.state() !== 'resting')) return
  for (const job of waiting.removeAll())
    job.result.reject(new ChildProcessError('away', `no ${options.name} process starts: ${reason}`))
}

const enqueue = <Q, A>(state: State<Q, A>, request: Q, { signal, owner = '' }: Asking): Promise<A> => {
  const { waiting, stopping, options } = state
  const refuse = (why: ChildFailureCause, message: string) => Promise.reject(new ChildProcessError(why, message))
  if (stopping.signal.aborted) return refuse('stopped', `the ${options.name} processes are stopped`)
  if (signal.aborted) return refuse('aborted', 'was aborted')
  const permits = (): number => (job.tries === 0 ? 1 : options.at_once)
  const job: Job<Q, A> = { request, signal, owner, permits, result: Promise.withResolvers<A>(), tries: 0 }
  const leave = (): void => {
    if (waiting.remove(job)) job.result.reject(new ChildProcessError('aborted', 'was aborted'))
  }
  signal.addEventListener('abort', leave)
  const over = waiting.add(job)
  over?.result.reject(new ChildProcessError('full', `too much waits for the ${options.name} processes`))
  pump(state)
  giveUp(state, 'they end as they start')
  return job.result.promise.finally(() => signal.removeEventListener('abort', leave))
}

const stopAll = async <Q, A>({ places, waiting, stopping, options }: State<Q, A>): Promise<void> => {
  stopping.abort()
  for (const job of waiting.removeAll())
    job.result.reject(new ChildProcessError('stopped', `the ${options.name} processes are stopped`))
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
    places: slots.map(slot => ({ slot, owners: [], taken: 0 })),
    waiting: createFairQueue({
      limit: options.limits.queue,
      share: options.share ?? unlimited,
      now: options.clock.now,
    }),
    stopping: new AbortController(),
    ready: Promise.withResolvers<void>(),
  }
  for (const slot of slots) slot.start()
  return {
    ready: state.ready.promise,
    capacity: () => slots.filter(slot => slot.state() === 'warm' || slot.state() === 'busy').length,
    restarts: () => slots.reduce((sum, slot) => sum + slot.restarts(), 0),
    ask: (request, asking) => enqueue(state, request, asking),
    stop: () => stopAll(state),
    pids: () => slots.flatMap(slot => slot.pids()),
  }
}
