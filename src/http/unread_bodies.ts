import type { Middleware } from 'koa'
import type { HttpDeps } from './deps.ts'

/** More than six times the largest accepted image. */
const maxRestBytes = 64 * 2 ** 20
const maxRestMs = 30_000

/** A body as it is sent; null for a stream, for bytes and for none, which only calls without a body of their own get. */
function toContent(body: unknown): Buffer | null {
  if (typeof body === 'string') return Buffer.from(body)
  return Object.getPrototypeOf(body ?? 0) === Object.prototype ? Buffer.from(JSON.stringify(body)) : null
}

/**
 * A response may be sent before its request has been received: the body is too large, or its sender is not known. A
 * connection that is closed while bytes come in is reset, and its caller may never read the response (RFC 9112, 9.6). So
 * the response is sent at once, the rest of the body is dropped as it comes, in bounds, and then the connection is closed.
 */
export function dropUnreadBodies({ clock }: Pick<HttpDeps, 'clock'>): Middleware {
  return async (ctx, next) => {
    await next()
    const { req, res } = ctx
    if (req.complete || req.destroyed) return
    const content = toContent(ctx.body)
    if (content === null) return
    ctx.set('Connection', 'close')
    if (Number(ctx.get('content-length')) > maxRestBytes) return
    ctx.length = content.length
    // Node closes the connection when a response ends: its last byte is sent now, and its end comes later.
    ctx.respond = false
    res.write(content)
    const { socket } = req
    const cancel = clock.setTimer(maxRestMs, () => socket.destroy())
    let left = maxRestBytes
    req.on('data', (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) socket.destroy()
    })
    req.once('end', () => res.end()).once('close', cancel)
    req.resume()
  }
}
