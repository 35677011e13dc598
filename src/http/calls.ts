import type { Context, Middleware } from 'koa'
import { unavailable } from '../base/api_error.ts'

/** One call's place among those at work. */
interface Place {
  readonly leave: () => void
  /** @throws {ApiError} `unavailable` */
  readonly enter: () => void
}

const places = new WeakMap<object, Place>()

/** Calls of one connection that have no answer yet. A client that sends ahead has a few; who has more wants our memory. */
const most_pipelined = 64

/** The calls of one connection that have no answer yet. */
interface Pipeline {
  count: number
  /** Resolves when the last of them is answered and its answer is out. */
  end: Promise<void>
}

const pipelines = new WeakMap<object, Pipeline>()

/**
 * One connection's calls are done one after another, each when the answer before it is out: answers that its client does
 * not read would else pile up here. Who sends more ahead than that is cut off: Node takes on all that one piece of
 * 64 KiB holds, some 1500 calls, before it stops reading.
 */
export const boundPipelines: Middleware = async (ctx, next) => {
  const { socket } = ctx.req
  const pipeline = pipelines.get(socket) ?? { count: 0, end: Promise.resolve() }
  pipelines.set(socket, pipeline)
  const { promise, resolve: end } = Promise.withResolvers<void>()
  const before = pipeline.end
  pipeline.end = promise
  if (++pipeline.count > most_pipelined) socket.destroy()
  else if (pipeline.count > 1) await before
  if (socket.destroyed) {
    ctx.respond = false
    end()
    return
  }
  ctx.res.once('close', () => {
    pipeline.count--
    end()
  })
  await next()
}

/** Where a node must answer even when it has more to do than it can. */
export const always_answered = ['/healthz', '/readyz', '/metrics']

/**
 * Bounds the calls that are at work at once, and with them the wait and the memory of each (decisions.md, "HTTP": 503
 * with `Retry-After`): what comes beyond is refused before it costs anything. Whoever waits for something, a body that
 * comes slowly or a result, is not at work.
 */
export const boundCalls = (most: number): Middleware => {
  let at_work = 0
  return async (ctx, next) => {
    if (always_answered.includes(ctx.path)) return next()
    let inside = false
    const place: Place = {
      enter() {
        if (inside) return
        if (at_work >= most) throw unavailable('too many calls at once', 1)
        at_work++
        inside = true
      },
      leave() {
        if (!inside) return
        at_work--
        inside = false
      },
    }
    places.set(ctx.req, place)
    place.enter()
    try {
      await next()
    } finally {
      place.leave()
    }
  }
}

/** Waits for `work` that is not ours to do, out of the way of the calls at work. @throws {ApiError} `unavailable` */
export const withoutPermit = async <T>(ctx: Context, work: () => Promise<T>): Promise<T> => {
  const place = places.get(ctx.req)
  place?.leave()
  const result = await work()
  place?.enter()
  return result
}
