import type { Context, Middleware } from 'koa'
import { withLogFields } from '../base/log.ts'
import { drawUuid } from '../base/random.ts'

const header = 'X-Request-Id'

/** The caller's own id of its request when it is well-formed, otherwise a new one. */
export const setRequestId: Middleware = (ctx, next) => {
  const given = ctx.get(header)
  const request_id = /^[A-Za-z0-9._:-]{8,100}$/.test(given) ? given : drawUuid()
  ctx.set(header, request_id)
  return withLogFields({ request_id }, next)
}

export function readRequestId(ctx: Context): string {
  return String(ctx.response.get(header))
}
