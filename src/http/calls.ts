import type { Context, Middleware } from 'koa'
import { unavailable } from '../base/refusal.ts'

/** One call's place among those at work. */
interface Place {
  readonly leave: () => void
  /** @throws {Refusal} `unavailable` */
  readonly enter: () => void
}

const places = new WeakMap<object, Place>()

/** Calls of one connection that have no answer yet. A client that sends ahead has a few; who has more wants our memory. */
const most_pipelined = 64

const unanswered = new WeakMap<object, number>()

/**
 * Cuts off who sends call after call and reads no answer: Node takes on all that one piece of 64 KiB holds, some 1500
 * calls, before it stops reading.
 */
export const boundPipelines: Middleware = async (ctx, next) => {
  const { socket } = ctx.req
  const waiting = (unanswered.get(socket) ?? 0) + 1
  if (waiting > most_pipelined) socket.destroy()
  if (socket.destroyed) {
    ctx.respond = false
    return
  }
  unanswered.set(socket, waiting)
  ctx.res.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
  await next()
}

/** Where a node must answer even when it has more to do than it can. */
const always = ['/healthz', '/readyz', '/metrics']

/**
 * Bounds the calls that are at work at once, and with them the wait and the memory of each (decisions.md, "HTTP": 503
 * with `Retry-After`): what comes beyond is refused before it costs anything. Whoever waits for something, a body that
 * comes slowly or a result, is not at work.
 */
export const boundCalls = (most: number): Middleware => {
  let at_work = 0
  return async (ctx, next) => {
    if (always.includes(ctx.path)) return next()
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

/** Waits for `work` that is not ours to do, out of the way of the calls at work. @throws {Refusal} `unavailable` */
export const outside = async <T>(ctx: Context, work: () => Promise<T>): Promise<T> => {
  const place = places.get(ctx.req)
  place?.leave()
  const result = await work()
  place?.enter()
  return result
}
