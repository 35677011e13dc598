import { readResidentMb } from './child.ts'
import { type ChildFailureReason, ChildProcessError } from './child_process_error.ts'
import { createEndedBy, type EndedBy } from './ended_by.ts'
import { createFairQueue, type FairQueue, type QueuedRequest, type Share } from './fair_queue.ts'
import { createSlot, type Slot, type SlotOptions } from './slot.ts'

export interface PoolOptions extends Omit<SlotOptions, 'onReady' | 'onBackoff'> {
  /** Number of children. Each works on one request at a time: an image that ends a child costs no other request. */
  readonly size: number
  /** The most children that may work for one owner at a time; absent: any number. */
  readonly share?: Share
}

export interface RequestOptions {
  readonly signal: AbortSignal
  /** The owner of the request; owners are served side by side. If it is absent, all requests are one owner's. */
  readonly owner?: string
  /**
   * Whether the request waits behind all others, and is rejected as `full` if no child will be free soon. The signal
   * ends only the wait: aborting started work would cost the child.
   */
  readonly isBackground?: boolean
}

/** Numbers of the pool for the metrics. */
export interface PoolStats {
  /** Number of children that are ready, busy or not. */
  readonly ready: number
  /** Number of children that ended and were replaced since the start. */
  readonly restarts: number
  /** Resident memory of each child, in bytes. */
  readonly residentBytes: readonly number[]
}

/** A pool of child processes. */
export interface Pool<Request, Response> {
  /** Resolves when the first child is ready. */
  readonly ready: Promise<void>
  /** Returns the number of children that are ready, busy or not. */
  capacity(): number
  restarts(): number
  /** Sends a request; within one owner, first come, first served. Rejects only with `ChildProcessError`. */
  send(request: Request, options: RequestOptions): Promise<Response>
  stats(): Promise<PoolStats>
  /** Ends all children. Requests that wait or run reject. */
  stop(): Promise<void>
  /** Returns the process ids of the living children. */
  pids(): number[]
}

const unlimited: Share = { alone: Number.POSITIVE_INFINITY, beside: Number.POSITIVE_INFINITY }

interface PendingRequest<Request, Response> extends QueuedRequest {
  readonly request: Request
  readonly signal: AbortSignal
  readonly result: PromiseWithResolvers<Response>
}

interface PoolState<Request, Response> {
  readonly options: PoolOptions
  readonly slots: readonly Slot<Request, Response>[]
  readonly waiting: FairQueue<PendingRequest<Request, Response>>
  readonly endedBy: EndedBy
  isStopped: boolean
}

const never = new AbortController().signal

async function run<Q, R>(pool: PoolState<Q, R>, slot: Slot<Q, R>, pending: PendingRequest<Q, R>): Promise<void> {
  const { request, signal, isBackground, result } = pending
  const release = pool.waiting.begin(pending)
  try {
    result.resolve(await slot.send(request, isBackground ? never : signal))
  } catch (error) {
    if (error instanceof ChildProcessError && error.reason === 'failed') pool.endedBy.add(request)
    result.reject(error)
  }
  // While this request still counts, its child goes to another owner.
  dispatch(pool)
  release()
  dispatch(pool)
}

/** Returns whether a slot's child serves requests, now or after the one that it works on. */
function isServing<Q, R>(slot: Slot<Q, R>): boolean {
  return ['ready', 'busy'].includes(slot.state().status)
}

/** Assigns waiting requests to slots. */
function dispatch<Q, R>(pool: PoolState<Q, R>): void {
  const { waiting, slots } = pool
  for (let next = waiting.next(); next !== null; next = waiting.next()) {
    const slot = slots.find(one => one.state().status === 'ready')
    if (slot === undefined) return
    void run(pool, slot, next)
  }
}

/** Rejects all waiting requests if no child is ready or starting. */
function rejectIfUnavailable<Q, R>({ slots, waiting, options }: PoolState<Q, R>, why: string): void {
  if (slots.some(slot => slot.state().status !== 'backing_off')) return
  for (const { result } of waiting.removeAll())
    result.reject(new ChildProcessError('unavailable', `no ${options.name} process starts: ${why}`))
}

/** Returns whether a background request would wait for longer than a few others take. */
function isBusy<Q, R>({ waiting, slots }: PoolState<Q, R>): boolean {
  const queued = waiting.list()
  const serving = slots.filter(isServing).length
  return serving === 0 || queued.length >= 2 * serving || queued.some(request => !request.isBackground)
}

function enqueue<Q, R>(
  pool: PoolState<Q, R>,
  request: Q,
  { signal, owner = '', isBackground = false }: RequestOptions,
): Promise<R> {
  const { waiting, options, isStopped } = pool
  const reject = (reason: ChildFailureReason, why: string) => Promise.reject(new ChildProcessError(reason, why))
  if (isStopped) return reject('stopped', `the ${options.name} processes are stopped`)
  if (signal.aborted) return reject('aborted', 'was aborted')
  if (pool.endedBy.has(request)) return reject('failed', `the ${options.name} process was ended by this input before`)
  const full = `too much waits for the ${options.name} processes`
  if (isBackground && isBusy(pool)) return reject('full', full)
  const result = Promise.withResolvers<R>()
  const pending: PendingRequest<Q, R> = { request, signal, owner, isBackground, result }
  const abort = (): void => {
    if (waiting.remove(pending)) result.reject(new ChildProcessError('aborted', 'was aborted'))
  }
  signal.addEventListener('abort', abort)
  const rejected = waiting.add(pending)
  rejected?.result.reject(new ChildProcessError('full', full))
  dispatch(pool)
  rejectIfUnavailable(pool, 'they end as they start')
  return result.promise.finally(() => signal.removeEventListener('abort', abort))
}

async function stopAll<Q, R>(pool: PoolState<Q, R>): Promise<void> {
  pool.isStopped = true
  for (const { result } of pool.waiting.removeAll())
    result.reject(new ChildProcessError('stopped', `the ${pool.options.name} processes are stopped`))
  await Promise.all(pool.slots.map(slot => slot.stop()))
}

export function startPool<Request, Response>(options: PoolOptions): Pool<Request, Response> {
  const ready = Promise.withResolvers<void>()
  const onReady = (): void => {
    ready.resolve()
    dispatch(pool)
  }
  const onBackoff = (reason: string): void => rejectIfUnavailable(pool, reason)
  const { limits, share = unlimited, clock } = options
  const pool: PoolState<Request, Response> = {
    options,
    slots: Array.from({ length: options.size }, () =>
      createSlot<Request, Response>({ ...options, onReady, onBackoff }),
    ),
    waiting: createFairQueue({ limit: limits.maxQueue, share, now: clock.now }),
    endedBy: createEndedBy(),
    isStopped: false,
  }
  for (const slot of pool.slots) slot.start()
  const capacity = (): number => pool.slots.filter(isServing).length
  const restarts = (): number => pool.slots.reduce((sum, slot) => sum + slot.state().restarts, 0)
  const pids = (): number[] => pool.slots.flatMap(slot => slot.pids())
  return {
    ready: ready.promise,
    capacity,
    restarts,
    send: (request, requestOptions) => enqueue(pool, request, requestOptions),
    async stats() {
      const residentBytes = pids().map(pid => Math.round(readResidentMb(pid) * 2 ** 20))
      return { ready: capacity(), restarts: restarts(), residentBytes }
    },
    stop: () => stopAll(pool),
    pids,
  }
}
