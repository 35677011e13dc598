import { AsyncLocalStorage } from 'node:async_hooks'
import { createStore } from '@xstate/store'
import { asError } from '../errors.ts'
import type { VisionLog } from '../surroundings.ts'
import { type Child, type ChildOptions, readResidentMb, startChild } from './child.ts'
import { ChildProcessError } from './child_process_error.ts'

export interface SlotState {
  /** `ready` waits for a request, `busy` works on one, `backing_off` waits before it starts another child. */
  readonly status: 'starting' | 'ready' | 'busy' | 'backing_off' | 'stopped'
  /** Number of requests that the current child has completed. */
  readonly served: number
  /** Number of children that ended and were replaced. */
  readonly restarts: number
  /** Number of children in a row that ended while they were idle or starting. A response resets it. */
  readonly faults: number
}

const initial: SlotState = { status: 'starting', served: 0, restarts: 0, faults: 0 }

function createSlotStore() {
  return createStore({
    context: initial,
    on: {
      started: state => ({ ...state, status: 'starting' as const, served: 0 }),
      ready: state => ({ ...state, status: 'ready' as const }),
      sent: state => ({ ...state, status: 'busy' as const }),
      answered: state => ({ ...state, status: 'ready' as const, served: state.served + 1, faults: 0 }),
      failed: state => ({
        ...state,
        status: 'backing_off' as const,
        restarts: state.restarts + 1,
        faults: state.faults + 1,
      }),
      replaced: state => ({ ...state, restarts: state.restarts + 1 }),
      stopped: state => ({ ...state, status: 'stopped' as const }),
    },
  })
}

export interface SlotOptions extends ChildOptions {
  readonly log: VisionLog
  /** The children's name in the log and in reasons. */
  readonly name: string
  readonly onReady: () => void
  /** Called when children have failed repeatedly: the next one starts after a delay. */
  readonly onBackoff: (reason: string) => void
}

/** The place of one child: it always has a child, or is starting one. */
export interface Slot<Request, Response> {
  state(): SlotState
  start(): void
  /**
   * Sends a request; only a slot that is ready takes one. Rejects with `ChildProcessError`: the child is then replaced.
   */
  send(request: Request, signal: AbortSignal): Promise<Response>
  stop(): Promise<void>
  pids(): number[]
}

/** Returns the delay before the next start, in milliseconds: it doubles with each further fault. */
function backoffMs(faults: number): number {
  return Math.min(500 * 2 ** (faults - 1), 30_000)
}

/** Settles as `work` does, or rejects when its time is up or `outer` aborts, whichever is first. */
async function withDeadline<T>(
  { clock, limits }: Pick<SlotOptions, 'clock' | 'limits'>,
  work: () => Promise<T>,
  outer: AbortSignal,
): Promise<T> {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(new Error('aborted'))
  const cancel = clock.setTimer(limits.timeLimitMs, () =>
    reject(new Error(`took longer than ${limits.timeLimitMs} ms`)),
  )
  outer.addEventListener('abort', abort)
  if (outer.aborted) abort()
  try {
    return await Promise.race([work(), ended])
  } finally {
    cancel()
    outer.removeEventListener('abort', abort)
  }
}

/** Creates a slot whose first child is not started yet. */
export function createSlot<Request, Response>(options: SlotOptions): Slot<Request, Response> {
  const { clock, log, name, limits } = options
  const store = createSlotStore()
  const state = (): SlotState => store.getSnapshot().context
  let child: Child<Request, Response> | null = null
  let cancelBackoff = (): void => {}

  // The start is outside of the async context of the request that ended the last child: log lines about the next child
  // must not name that request.
  const start = AsyncLocalStorage.bind((): void => {
    const started = startChild<Request, Response>(options)
    child = started
    store.trigger.started()
    const onReady = (): void => {
      if (child !== started) return
      store.trigger.ready()
      options.onReady()
    }
    started.ready.then(onReady, () => {})
    void started.ended.then(reason => {
      // The request of a busy child rejects, and replaces it.
      if (child === started && state().status !== 'busy') fail(reason)
    })
  })
  const fail = (reason: string): void => {
    child = null
    store.trigger.failed()
    const { faults } = state()
    // The first fault may be accidental, and causes no delay.
    const delayMs = faults <= 1 ? 0 : backoffMs(faults - 1)
    log.warn({ children: name, reason, faults, delay_ms: delayMs }, 'a child process ended')
    if (delayMs === 0) start()
    else {
      cancelBackoff = clock.setTimer(delayMs, start)
      options.onBackoff(reason)
    }
  }
  const replace = (reason: string): void => {
    log.info({ children: name, reason, served: state().served }, 'a child process is replaced')
    child?.kill(reason)
    store.trigger.replaced()
    start()
  }
  /** Replaces a child that has served its time, or holds too much memory. */
  const recycle = (pid: number): void => {
    const megabytes = readResidentMb(pid)
    if (state().served >= limits.recycleAfter) replace('has served its time')
    else if (megabytes > limits.recycleMb) replace(`kept ${Math.round(megabytes)} MB`)
  }
  return {
    state,
    start,
    async send(request, signal) {
      const asked = child
      if (asked === null || state().status !== 'ready') throw new Error(`the ${name} process is not ready`)
      store.trigger.sent()
      try {
        const response = await withDeadline(options, () => asked.send(request), signal)
        if (child === asked) {
          store.trigger.answered()
          if (asked.pid !== undefined) recycle(asked.pid)
        }
        return response
      } catch (error) {
        const { message } = asError(error)
        if (child === asked) replace(message)
        const reason = state().status === 'stopped' ? 'stopped' : signal.aborted ? 'aborted' : 'failed'
        throw new ChildProcessError(reason, `the ${name} process ${message}`, { cause: error, stage: asked.stage() })
      }
    },
    async stop() {
      store.trigger.stopped()
      cancelBackoff()
      const last = child
      child = null
      last?.kill('stopped')
      await last?.ended
    },
    pids: () => (child?.pid === undefined ? [] : [child.pid]),
  }
}
