import type Router from '@koa/router'
import { z } from 'zod'
import { ApiError } from '../base/api_error.ts'
import { advanceTestClock, requireTests } from '../transactions/test_clock.ts'
import { walk_targets, walkTransaction } from '../transactions/test_walk.ts'
import { viewTransaction } from '../transactions/transactions.ts'
import { readOptionalJson } from './bodies.ts'
import { withoutPermit } from './calls.ts'
import { idField, readFields, rule, textField, wordField } from './fields.ts'
import { api_prefix, callerOf, type FrontDoor } from './front_door.ts'
import { idIn } from './query.ts'

const longest_turn_s = 10 * 365 * 86_400
const seconds = (least: number) => {
  const says = `must be an integer from ${least} to ${longest_turn_s}`
  return z
    .int({ error: rule(says) })
    .min(least, { error: says })
    .max(longest_turn_s, { error: says })
}

/** `POST /test/clock`. */
export const clock_body = z.object({
  transaction_id: idField().nullish(),
  advance_seconds: seconds(1).nullish(),
  expires_in_seconds: seconds(0).nullish(),
})

/** `POST /test/transaction/{id}/walk`. */
export const walk_body = z.object({ to: wordField(walk_targets) })

const longest_wait_s = 20
const says_wait = `must be an integer from 0 to ${longest_wait_s}`
const says_status = 'must be an integer from 200 to 599'
const says_duration = 'must be an integer from 0 to 600000'

/** `POST /test/listen`. */
export const listen_body = z.object({
  wait_seconds: z
    .int({ error: rule(says_wait) })
    .min(0, { error: says_wait })
    .max(longest_wait_s, { error: says_wait })
    .nullish(),
})

/** `POST /test/listen/{delivery_id}`: the receiver's answer, or why there was none. */
export const heard_body = z.object({
  lease: textField(1, 100),
  status: z
    .int({ error: rule(says_status) })
    .min(200, { error: says_status })
    .max(599, { error: says_status })
    .nullish(),
  error: textField(1, 200).nullish(),
  retry_after: textField(1, 100).nullish(),
  duration_ms: z
    .int({ error: rule(says_duration) })
    .min(0, { error: says_duration })
    .max(600_000, { error: says_duration }),
})

/** How far a call turns the clock. @throws {ApiError} `invalid_field` */
const distanceOf = ({ transaction_id, advance_seconds, expires_in_seconds }: z.infer<typeof clock_body>) => {
  const only = 'either this or expires_in_seconds must be given'
  if (typeof advance_seconds === 'number' && typeof expires_in_seconds === 'number')
    throw new ApiError('invalid_field', `advance_seconds: ${only}`)
  if (typeof advance_seconds === 'number') return advance_seconds * 1000
  if (typeof expires_in_seconds !== 'number') throw new ApiError('invalid_field', `advance_seconds: ${only}`)
  if (typeof transaction_id !== 'string') throw new ApiError('invalid_field', 'transaction_id: is required')
  return { before_expiry_ms: expires_in_seconds * 1000 }
}

/** README, "Test mode": what only test accounts can do. */
export const testModeRoutes = (router: Router, door: FrontDoor): void => {
  const deps = door.transactions

  router.post(`${api_prefix}/test/clock`, async ctx => {
    const account_id = await callerOf(door, ctx)
    const body = await readFields(ctx, clock_body)
    const by_ms = distanceOf(body)
    ctx.body = await advanceTestClock(deps, { account_id, transaction_id: body.transaction_id ?? null, by_ms })
  })

  router.post(`${api_prefix}/test/transaction/:transaction_id/walk`, async ctx => {
    const account_id = await callerOf(door, ctx)
    const transaction_id = idIn(ctx.params, 'transaction_id')
    const { to } = await readFields(ctx, walk_body)
    await walkTransaction(deps, account_id, transaction_id, to)
    ctx.body = await viewTransaction(deps, account_id, transaction_id)
  })

  router.post(`${api_prefix}/test/listen`, async ctx => {
    const account_id = await callerOf(door, ctx)
    const { wait_seconds } = await readFields(ctx, listen_body, readOptionalJson)
    await requireTests(deps, account_id)
    const gone = new AbortController()
    ctx.res.once('close', () => gone.abort())
    const signal = AbortSignal.any([gone.signal, door.draining])
    const wait_ms = (wait_seconds ?? 0) * 1000
    ctx.body = { delivery: await withoutPermit(ctx, () => door.listener.next(account_id, wait_ms, signal)) }
  })

  router.post(`${api_prefix}/test/listen/:delivery_id`, async ctx => {
    const account_id = await callerOf(door, ctx)
    const delivery_id = idIn(ctx.params, 'delivery_id')
    const { lease, ...answer } = await readFields(ctx, heard_body)
    const { status = null, error = null, retry_after = null, duration_ms } = answer
    await door.listener.report(account_id, delivery_id, lease, { status, error, retry_after, duration_ms })
    ctx.status = 204
  })
}
