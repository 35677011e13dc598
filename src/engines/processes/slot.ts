import { AsyncLocalStorage } from 'node:async_hooks'
import { asError } from '../../base/api_error.ts'
import { backoffMs } from '../../base/backoff.ts'
import { withDeadline } from '../../base/deadline.ts'
import type { Log } from '../../base/log.ts'
import { type Child, type ChildOptions, readResidentMb, startChild } from './child.ts'
import { ChildProcessError } from './child_process_error.ts'
import { createSlotStore, type SlotState } from './slot_state.ts'

export interface SlotOptions extends ChildOptions {
  readonly log: Log
  /** The children's name in the log and in reasons. */
  readonly name: string
  readonly onReady: () => void
  /** Called when children have failed repeatedly: the next one starts after a delay. */
  readonly onBackoff: (reason: string) => void
}

/** A request to a slot, with its limits. */
export interface SlotRequest<Request> {
  readonly request: Request
  readonly signal: AbortSignal
  readonly owner: string
  readonly permits: number
}

/** Always has a child, or is starting one. */
export interface Slot<Request, Response> {
  state(): SlotState
  /** Whether its child accepts requests, busy or not. */
  isOpen(): boolean
  start(): void
  /** Rejects with `ChildProcessError`: the child is then replaced, and its other requests fail with it. */
  send(request: SlotRequest<Request>): Promise<Response>
  /** Ends the child and starts another. */
  replace(reason: string): void
  stop(): Promise<void>
  pids(): number[]
}

const backoff = { initialMs: 500, maxMs: 30_000 } as const

/** A slot without what bounds its requests. */
interface SlotCore<Request, Response> extends Omit<Slot<Request, Response>, 'send'> {
  readonly store: ReturnType<typeof createSlotStore>
  readonly child: () => Child<Request, Response> | null
  readonly sendToChild: (request: Request) => Promise<Response>
}

function createCore<Request, Response>(options: SlotOptions): SlotCore<Request, Response> {
  const { clock, log, name } = options
  const store = createSlotStore()
  const state = (): SlotState => store.getSnapshot().context
  const isOpen = (): boolean => ['ready', 'busy'].includes(state().status) && state().endReason === null
  let child: Child<Request, Response> | null = null
  let cancelBackoff = (): void => {}

  // Started outside of the async context of the request that ended the last child: log lines about the next child must
  // not name that request.
  const start = AsyncLocalStorage.bind((): void => {
    store.trigger.started()
    const started = startChild<Request, Response>(options)
    child = started
    const isPresent = (): boolean => child === started
    const onReady = (): void => {
      if (!isPresent()) return
      store.trigger.ready()
      options.onReady()
    }
    started.ready.then(onReady, () => {})
    void started.ended.then(reason => {
      if (!isPresent()) return
      if (state().status === 'busy') store.trigger.endedBusy({ reason })
      else fail(reason)
    })
  })
  const fail = (reason: string): void => {
    child = null
    store.trigger.failed()
    const { faults } = state()
    // The first fault may be accidental: no delay.
    const delayMs = faults <= 1 ? 0 : backoffMs(faults - 1, backoff)
    log.warn({ children: name, reason, faults, delay_ms: delayMs }, 'a child process ended')
    if (delayMs === 0) start()
    else {
      cancelBackoff = clock.setTimer(delayMs, start)
      options.onBackoff(reason)
    }
  }
  const replace = (reason: string): void => {
    if (state().status === 'stopped') return
    log.info({ children: name, reason, served: state().served }, 'a child process is replaced')
    child?.kill(reason)
    store.trigger.replaced()
    start()
  }
  const sendToChild = async (request: Request): Promise<Response> => {
    const asked = child
    if (asked === null || !isOpen()) throw new Error('is not ready')
    store.trigger.sent()
    const response = await asked.send(request)
    if (child !== asked) return response
    const { endReason } = state()
    store.trigger.answered()
    // The child may have ended right after its response.
    if (endReason !== null && state().status === 'ready') fail(endReason)
    return response
  }
  return {
    store,
    state,
    child: () => child,
    isOpen,
    start,
    replace,
    sendToChild,
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

/** Replaces a child that holds too much memory, if no other request is in it. */
function recycle<Q, R>({ state, child, replace }: SlotCore<Q, R>, recycleMb: number, permits: number) {
  const pid = child()?.pid
  if (pid === undefined || state().permits > permits) return
  const megabytes = readResidentMb(pid)
  if (megabytes > recycleMb) replace(`kept ${Math.round(megabytes)} MB`)
}

async function send<Q, R>(
  core: SlotCore<Q, R>,
  { clock, name, limits }: SlotOptions,
  { request, signal, owner, permits }: SlotRequest<Q>,
): Promise<R> {
  const { store, state, child, replace, sendToChild } = core
  const { restarts } = state()
  const isSameChild = (): boolean => state().restarts === restarts
  store.trigger.acquired({ owner, permits })
  try {
    const response = await withDeadline(clock, limits.timeLimitMs, () => sendToChild(request), signal)
    if (isSameChild()) recycle(core, limits.recycleMb, permits)
    return response
  } catch (error) {
    const { message } = asError(error)
    const stage = child()?.stage() ?? null
    // All requests of a failed child fail; the first of them replaces it.
    if (isSameChild()) replace(message)
    const reason = state().status === 'stopped' ? 'stopped' : signal.aborted ? 'aborted' : 'failed'
    throw new ChildProcessError(reason, `the ${name} process ${message}`, { cause: error, stage })
  } finally {
    store.trigger.released({ owner, permits })
  }
}

/** A slot whose first child is not started yet. */
export function createSlot<Request, Response>(options: SlotOptions): Slot<Request, Response> {
  const core = createCore<Request, Response>(options)
  return { ...core, send: request => send(core, options, request) }
}
