import type { Context, Middleware } from 'koa'
import { newId } from '../base/ids.ts'

const header = 'X-Request-Id'

/** The caller's own id of its request when it is well-formed, otherwise a new one. */
export const setRequestId: Middleware = (ctx, next) => {
  const given = ctx.get(header)
  ctx.set(header, /^[A-Za-z0-9._:-]{8,100}$/.test(given) ? given : newId())
  return next()
}

export const readRequestId = (ctx: Context): string => String(ctx.response.get(header))
