import type Router from '@koa/router'
import type { Context } from 'koa'
import { readBearer } from '../accounts/bearer.ts'
import { ApiError } from '../base/api_error.ts'
import { parseId } from '../base/ids.ts'
import { imageMediaTypes } from '../images/media_type.ts'
import { type DroppableKind, dropCapture, issueChallenge, takeFrame, takePicture } from '../transactions/capture.ts'
import { openSession, type Session } from '../transactions/session.ts'
import {
  awaitResult,
  cancelSession,
  completeSession,
  describeSession,
  putSignals,
  startSession,
} from '../transactions/session_calls.ts'
import { readOptionalJson } from './bodies.ts'
import { withoutPermit } from './calls.ts'
import { readFields } from './fields.ts'
import { type FrontDoor, session_prefix } from './front_door.ts'
import { imageReader } from './images.ts'
import { observedAddress } from './observed_address.ts'
import { takePermit } from './rate_limits.ts'
import { cancel_body, signals_body, start_body } from './session_body.ts'

const longest_wait_s = 60
const droppable: readonly DroppableKind[] = ['document_front', 'document_back', 'selfie', 'liveness']

const sessionOf = async (door: FrontDoor, ctx: Context): Promise<Session> => {
  const session = await openSession(door.transactions, readBearer(ctx.req.headers.authorization))
  await takePermit(door.limits, ctx, 'device', session.transaction_id)
  return session
}

/** `wait` in milliseconds. */
const waitOf = (ctx: Context): number => {
  const { wait = '0' } = ctx.query
  const seconds = typeof wait === 'string' && /^\d{1,3}$/.test(wait) ? Number(wait) : Number.NaN
  if (!(seconds <= longest_wait_s))
    throw new ApiError('invalid_field', `wait: must be an integer from 0 to ${longest_wait_s}`)
  return seconds * 1000
}

const stateRoutes = (router: Router, door: FrontDoor): void => {
  const deps = door.transactions
  const view = (described: object): object => ({
    ...described,
    accepted_media_types: imageMediaTypes,
    max_image_bytes: door.image_limits.max_bytes,
    max_image_megapixels: door.image_limits.max_megapixels,
  })

  router.get(session_prefix, async ctx => {
    ctx.body = view(describeSession(deps, await sessionOf(door, ctx)))
  })
  router.post(`${session_prefix}/start`, async ctx => {
    const session = await sessionOf(door, ctx)
    const told = await readFields(ctx, start_body, readOptionalJson)
    const call = {
      device: told.device ?? null,
      location_permission: told.location_permission ?? 'not_requested',
      consent: told.consent ?? false,
      document_type: told.document_type ?? 'UNDECLARED',
      ip_address: observedAddress(ctx.req, door.trusted_proxy_hops),
    } as const
    ctx.body = view(await startSession(deps, session, call))
  })
  router.put(`${session_prefix}/signals`, async ctx => {
    const session = await sessionOf(door, ctx)
    const told = await readFields(ctx, signals_body)
    await putSignals(deps, session, {
      device: told.device ?? null,
      network: told.network ?? null,
      geolocation: told.geolocation ?? null,
      location_permission: told.location_permission ?? null,
      ip_address: observedAddress(ctx.req, door.trusted_proxy_hops),
    })
    ctx.status = 204
  })
}

const captureRoutes = (router: Router, door: FrontDoor): void => {
  const deps = door.transactions
  const withImage = imageReader(door)
  const pictures = { 'document/front': 'front', 'document/back': 'back', selfie: 'selfie' } as const

  for (const [path, kind] of Object.entries(pictures))
    router.put(`${session_prefix}/${path}`, async ctx => {
      const session = await sessionOf(door, ctx)
      const subject = kind === 'selfie' ? 'selfie' : 'document'
      ctx.body = await withImage({ ctx, session, subject }, image => takePicture(deps, session, kind, image))
    })
  router.post(`${session_prefix}/liveness/challenge`, async ctx => {
    const challenge = await issueChallenge(deps, await sessionOf(door, ctx))
    ctx.status = 201
    ctx.body = challenge
  })
  router.put(`${session_prefix}/liveness/:challenge_id/:n`, async ctx => {
    const session = await sessionOf(door, ctx)
    const { challenge_id = '', n = '' } = ctx.params
    if (!/^\d{1,2}$/.test(n)) throw new ApiError('not_found', 'n: the challenge has no such action')
    const place = { challenge_id: parseId(challenge_id) ?? challenge_id, position: Number(n) }
    ctx.body = await withImage({ ctx, session, subject: 'selfie' }, image => takeFrame(deps, session, place, image))
  })
  router.delete(`${session_prefix}/captures/:kind`, async ctx => {
    const session = await sessionOf(door, ctx)
    const kind = droppable.find(known => known === ctx.params.kind)
    if (kind === undefined) throw new ApiError('not_found', `kind: must be ${droppable.join(', ')}`)
    await dropCapture(deps, session, kind)
    ctx.status = 204
  })
}

const endRoutes = (router: Router, door: FrontDoor): void => {
  const deps = door.transactions

  router.post(`${session_prefix}/complete`, async ctx => {
    ctx.body = await completeSession(deps, await sessionOf(door, ctx))
    ctx.status = 202
  })
  router.get(`${session_prefix}/result`, async ctx => {
    const session = await sessionOf(door, ctx)
    const wait_ms = waitOf(ctx)
    const gone = new AbortController()
    ctx.res.once('close', () => gone.abort())
    const signal = AbortSignal.any([gone.signal, door.draining])
    ctx.body = await withoutPermit(ctx, () => awaitResult(deps, session, wait_ms, signal))
  })
  router.post(`${session_prefix}/cancel`, async ctx => {
    const session = await sessionOf(door, ctx)
    const { final } = await readFields(ctx, cancel_body, readOptionalJson)
    ctx.body = await cancelSession(deps, session, final ?? false)
  })
}

/** decisions.md, "Device side": what the holder of an `sdk_token` can do with its one transaction. */
export const sessionRoutes = (router: Router, door: FrontDoor): void => {
  stateRoutes(router, door)
  captureRoutes(router, door)
  endRoutes(router, door)
}
