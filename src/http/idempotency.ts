import type { Context } from 'koa'
import { ApiError } from '../base/api_error.ts'
import type { KeptAnswer } from '../database/idempotency_keys.ts'
import type { WritesOf } from '../durable/store/statement.ts'
import { type JsonObject, readJson } from './bodies.ts'
import type { FrontDoor } from './front_door.ts'

/**
 * Does what a JSON call asks for. `keep` gives what must be written by the very commit that does it; for a call without
 * a key it gives nothing.
 */
export type Operation = (body: JsonObject, keep: WritesOf<KeptAnswer>) => Promise<KeptAnswer>

const header = 'idempotency-key'

/** 1–255 visible ASCII characters. @throws {ApiError} `invalid_field` */
const keyOf = (ctx: Context): string | null => {
  const key = ctx.req.headers[header]
  if (key === undefined) return null
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw new ApiError('invalid_field', `${header}: must be 1 to 255 visible ASCII characters`)
  return key
}

/** The members' order and white space mean nothing in JSON: a client that writes them anew repeats the same request. */
const inOrder = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value

const send = (ctx: Context, { status, headers, body }: KeptAnswer): void => {
  ctx.status = status
  ctx.set(headers)
  ctx.body = body
}

/**
 * Answers a JSON call once (decisions.md, "HTTP"): with an `Idempotency-Key`, the first answer that did something is
 * kept for the account and replayed. A refusal did nothing, is not kept, and leaves the key free.
 * @throws {ApiError} `idempotency_key_reused`, `idempotency_key_in_use`, and whatever `act` throws
 */
export const respondOnce = async (door: FrontDoor, ctx: Context, account_id: string, act: Operation): Promise<void> => {
  const key = keyOf(ctx)
  const body = await readJson(ctx)
  if (key === null) return send(ctx, await act(body, () => []))
  const { idempotency } = door
  const call = { account_id, key, request: `${ctx.method} ${ctx.path} ${JSON.stringify(body, inOrder)}` }
  const kept = await idempotency.find(call)
  if (kept !== null) {
    ctx.set('Idempotent-Replayed', 'true')
    return send(ctx, kept)
  }
  await idempotency.sweep()
  try {
    send(ctx, await act(body, answer => idempotency.keep(call, answer)))
  } catch (error) {
    throw await idempotency.explain(call, error)
  }
}
