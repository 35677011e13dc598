import type { Context, Middleware } from 'koa'
import { unavailable } from '../base/api_error.ts'

/** One call's share of the calls that may run at once. */
interface Permit {
  readonly release: () => void
  /** @throws {ApiError} `unavailable` */
  readonly acquire: () => void
}

const permits = new WeakMap<object, Permit>()

/** An ordinary client that pipelines has a few unanswered calls on a connection. More would only cost memory. */
const maxPipelined = 64

interface Pipeline {
  unanswered: number
  /** Resolves when the response to the last call was sent. */
  end: Promise<void>
}

const pipelines = new WeakMap<object, Pipeline>()

/**
 * The calls of one connection run one after another, each after the previous response was sent: otherwise responses
 * that the client does not read would pile up. A connection with too many calls is cut off: Node accepts all calls in a
 * piece of 64 KiB, some 1500, before it stops reading.
 */
export const limitPipelining: Middleware = async (ctx, next) => {
  const { socket } = ctx.req
  const pipeline = pipelines.get(socket) ?? { unanswered: 0, end: Promise.resolve() }
  pipelines.set(socket, pipeline)
  const { promise, resolve: end } = Promise.withResolvers<void>()
  const before = pipeline.end
  pipeline.end = promise
  if (++pipeline.unanswered > maxPipelined) socket.destroy()
  else if (pipeline.unanswered > 1) await before
  if (socket.destroyed) {
    ctx.respond = false
    end()
    return
  }
  ctx.res.once('close', () => {
    pipeline.unanswered--
    end()
  })
  await next()
}

/** Paths to which a node must respond even when it is overloaded. */
export const alwaysAnswered = ['/healthz', '/readyz', '/metrics']

/**
 * Bounds the calls that run at once, and so their duration and memory. A call beyond the bound costs nothing: 503 with
 * `Retry-After`. A call that waits, for a slow body or for a result, holds no permit meanwhile.
 */
export function limitConcurrency(maxRunning: number): Middleware {
  let running = 0
  return async (ctx, next) => {
    if (alwaysAnswered.includes(ctx.path)) return next()
    let isRunning = false
    const permit: Permit = {
      acquire() {
        if (isRunning) return
        if (running >= maxRunning) throw unavailable('too many calls at once', 1)
        running++
        isRunning = true
      },
      release() {
        if (!isRunning) return
        running--
        isRunning = false
      },
    }
    permits.set(ctx.req, permit)
    permit.acquire()
    try {
      await next()
    } finally {
      permit.release()
    }
  }
}

/** Waits, without the call's permit, for something that takes no CPU here. @throws {ApiError} `unavailable` */
export async function withoutPermit<T>(ctx: Context, work: () => Promise<T>): Promise<T> {
  const permit = permits.get(ctx.req)
  permit?.release()
  const result = await work()
  permit?.acquire()
  return result
}

/** Aborted when the caller hangs up or the node drains: then a waiting call should end. */
export function createWaitSignal(ctx: Context, draining: AbortSignal): AbortSignal {
  const closed = new AbortController()
  // For a caller that is already gone no event will be emitted.
  if (ctx.res.closed || ctx.req.socket.destroyed) closed.abort()
  else ctx.res.once('close', () => closed.abort())
  return AbortSignal.any([closed.signal, draining])
}
