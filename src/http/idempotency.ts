import type { RouterMiddleware } from '@koa/router'
import { ApiError } from '../base/api_error.ts'
import type { IdempotencyKeys } from '../database/idempotency_keys.ts'
import { createIgnoredHeader } from '../schemas/fields.ts'
import { type Callers, type CallState, sendReply } from './endpoint.ts'

const header = 'idempotency-key'

/** The order of members and white space have no meaning in JSON: a client may write the same request differently. */
function sortMembers(_: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value
}

/** @throws {ApiError} `invalid_field` */
export const readIdempotencyKey: RouterMiddleware<CallState> = (ctx, next) => {
  const key = ctx.req.headers[header]
  if (key !== undefined && (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)))
    throw new ApiError('invalid_field', `${header}: must be 1 to 255 visible ASCII characters`)
  ctx.state.idempotencyKey = key ?? null
  return next()
}

/**
 * With an `Idempotency-Key`, the first successful reply is kept for the account, in the same commit as its effect, and
 * replayed. An error has no effect, is not kept, and leaves the key free.
 * @throws {ApiError} `idempotency_key_reused`, `idempotency_key_in_use`
 */
export function replayFirstReply(keys: IdempotencyKeys): RouterMiddleware<CallState> {
  return async (ctx, next) => {
    const { idempotencyKey: key, json, caller } = ctx.state
    if (key === null) return next()
    const { account_id } = caller as Callers['access_token']
    const call = { account_id, key, request: `${ctx.method} ${ctx.path} ${JSON.stringify(json, sortMembers)}` }
    const kept = await keys.find(call)
    if (kept !== null) {
      ctx.set('Idempotent-Replayed', 'true')
      return sendReply(ctx, kept)
    }
    await keys.sweep()
    ctx.state.keep = (subject_id, { status, headers = {}, body }) => {
      const ignored = createIgnoredHeader(ctx.state.ignored ?? [])
      return keys.keep(call, { status, subject_id, headers: { ...ignored, ...headers }, body })
    }
    try {
      await next()
    } catch (error) {
      throw await keys.explain(call, error)
    }
  }
}
