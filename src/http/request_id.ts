import type { Context, Middleware } from 'koa'
import { newId } from '../base/ids.ts'

const header = 'X-Request-Id'

/** decisions.md, "HTTP": the caller's own id of a request when it is well-formed, otherwise one of ours. */
export const giveRequestId: Middleware = (ctx, next) => {
  const given = ctx.get(header)
  ctx.set(header, /^[A-Za-z0-9._:-]{8,100}$/.test(given) ? given : newId())
  return next()
}

/** The id that the answer carries. */
export const requestIdOf = (ctx: Context): string => String(ctx.response.get(header))
