import { timingSafeEqual } from 'node:crypto'
import type { RouterContext, RouterMiddleware } from '@koa/router'
import { z } from 'zod'
import { ApiError } from '../base/api_error.ts'
import { sha256 } from '../base/ids.ts'
import { addLogFields } from '../base/log.ts'
import { createInvalidTokenError, readBearer } from '../identity/accounts/bearer.ts'
import { checkFields, createIgnoredHeader, findIgnoredMembers } from '../schemas/fields.ts'
import { openSession, type Session } from '../verification/transactions/session.ts'
import type { JsonObject } from './body.ts'
import { hasBody, maxFormBytes, maxJsonBytes, parseJsonObject, readForm, readJsonBytes, readLargeForm } from './body.ts'
import type { FormBody, JsonBody } from './content.ts'
import type { DocumentDeps, HttpDeps } from './deps.ts'
import {
  type Authentication,
  type Callers,
  type CallState,
  type Endpoint,
  type EndpointDeps,
  sendReply,
} from './endpoint.ts'
import { readIdempotencyKey, replayFirstReply } from './idempotency.ts'
import { beginUpload, readFiles, readImage } from './images.ts'
import { authenticateOperator, guardConsole, requireRole } from './operators.ts'
import { takePermit } from './rate_limits.ts'
import type { UploadReservation } from './upload_memory.ts'

/** Koa middleware that reads or checks one part of a call, or makes its response. */
export type CallStep = RouterMiddleware<CallState>

type CallContext = RouterContext<CallState>

function authenticateScraper({ metrics }: HttpDeps, authorization = ''): null {
  const expected = sha256(`Bearer ${metrics?.token ?? ''}`)
  if (metrics === null || !timingSafeEqual(Buffer.from(sha256(authorization)), Buffer.from(expected)))
    throw createInvalidTokenError('authorization: must be the token of METRICS_TOKEN')
  return null
}

/** Finds the caller, by the credential that an endpoint requires. */
const authenticators: {
  readonly [A in Authentication]: (deps: HttpDeps, ctx: CallContext) => Callers[A] | Promise<Callers[A]>
} = {
  access_token: (deps, ctx) => deps.authenticate(ctx.req.headers.authorization),
  sdk_token: (deps, ctx) => openSession(deps.transactions, readBearer(ctx.req.headers.authorization)),
  operator: authenticateOperator,
  metrics_token: (deps, ctx) => authenticateScraper(deps, ctx.req.headers.authorization),
  none: () => null,
}

/** @throws {ApiError} `invalid_token`, `insufficient_scope`, `gone` */
function authenticate(deps: HttpDeps, authentication: Authentication): CallStep {
  return async (ctx, next) => {
    const caller = await authenticators[authentication](deps, ctx)
    if (authentication === 'sdk_token') addLogFields({ transaction_id: (caller as Session).transaction_id })
    ctx.state.caller = caller
    return next()
  }
}

/** Refreshes the keys before a call begins, and again before it is handled: its body may have taken minutes to come. */
function refreshKeys(deps: HttpDeps, { authentication, method }: Endpoint): readonly CallStep[] {
  const usesKeys = method !== 'get' || !['none', 'metrics_token'].includes(authentication)
  const refresh: CallStep = async (_ctx, next) => {
    await deps.refreshKeys()
    return next()
  }
  return usesKeys ? [refresh] : []
}

/** Counts the call of an account, or of a transaction's device. @throws {ApiError} `rate_limited` */
function limitRate(deps: EndpointDeps, { authentication, method, isPage }: Endpoint): readonly CallStep[] {
  const { limits } = deps
  if (isPage) return [deps.limitPages]
  if (authentication !== 'access_token' && authentication !== 'sdk_token') return []
  const name = authentication === 'sdk_token' ? 'device' : method === 'get' ? 'reads' : 'writes'
  const count: CallStep = async (ctx, next) => {
    const { caller } = ctx.state
    const device = name === 'device' ? (caller as Session).transaction_id : null
    await takePermit(limits, ctx, name, device ?? (caller as Callers['access_token']).account_id)
    return next()
  }
  return [count]
}

/** A malformed id is treated like an unknown one. @throws {ApiError} `not_found` */
function readPath(shape: z.ZodRawShape): CallStep {
  const schema = z.object(shape)
  return (ctx, next) => {
    const path = checkFields(schema, ctx.params, 'not_found')
    if ('transaction_id' in path) addLogFields({ transaction_id: path.transaction_id })
    ctx.state.path = path
    return next()
  }
}

/** Lists unknown members of the query and the body in `X-Ignored-Fields`. */
function nameIgnored(ctx: CallContext, names: readonly string[]): void {
  ctx.state.ignored = [...(ctx.state.ignored ?? []), ...names]
  ctx.set(createIgnoredHeader(ctx.state.ignored))
}

/** Koa parses a query in the square of its parameters. No list has a fifth of these, its words repeated. */
const maxParameters = 100

/** @throws {ApiError} `malformed_request`, `invalid_field` */
function readQuery(shape: z.ZodRawShape): CallStep {
  const schema = z.object(shape)
  return (ctx, next) => {
    if (ctx.querystring.split('&', maxParameters + 1).length > maxParameters)
      throw new ApiError('malformed_request', `query: must have at most ${maxParameters} parameters`)
    const query = { ...ctx.query }
    nameIgnored(ctx, findIgnoredMembers(schema, query))
    ctx.state.query = checkFields(schema, query)
    return next()
  }
}

/** A small body of any caller. What is parsed is bounded by the calls that run at once. */
function beginSmallUpload(deps: EndpointDeps, ctx: CallContext): UploadReservation {
  const { account_id = null } = (ctx.state.caller ?? {}) as { readonly account_id?: string | null }
  return beginUpload(deps, ctx, { transaction_id: null, account_id })
}

async function readSmallJson(deps: EndpointDeps, ctx: CallContext): Promise<JsonObject> {
  const upload = beginSmallUpload(deps, ctx)
  try {
    const { hold: onChunk, signal } = upload
    return parseJsonObject(await readJsonBytes(ctx, maxJsonBytes, { onChunk, signal }))
  } finally {
    upload.end()
  }
}

/** @throws {ApiError} 400, 413, 415 */
function readJsonBody(deps: EndpointDeps, { isRequired, large }: JsonBody<unknown>): CallStep {
  if (large !== undefined) return readFiles(deps, large)
  return async (ctx, next) => {
    ctx.state.json = isRequired || hasBody(ctx) ? await readSmallJson(deps, ctx) : {}
    return next()
  }
}

/** @throws {ApiError} `invalid_field` */
function checkJsonBody(schema: z.ZodType): CallStep {
  return (ctx, next) => {
    nameIgnored(ctx, findIgnoredMembers(schema, ctx.state.json))
    ctx.state.body = checkFields(schema, ctx.state.json)
    return next()
  }
}

/** @throws {ApiError} 400, 413, 415 */
function readFormBody(deps: EndpointDeps, { max_bytes, admit }: FormBody): CallStep {
  return async (ctx, next) => {
    await admit?.(deps, ctx)
    const upload = beginSmallUpload(deps, ctx)
    try {
      if (max_bytes === undefined) {
        // Its parser reads on its own.
        upload.hold(maxFormBytes)
        ctx.state.body = await readForm(ctx)
      } else {
        const { hold: onChunk, signal } = upload
        ctx.state.body = await readLargeForm(ctx, max_bytes, { onChunk, signal })
      }
    } finally {
      upload.end()
    }
    return next()
  }
}

/** The schema that the document shows and calls are checked by. */
export function getSchema({ schema }: JsonBody<unknown>, deps: DocumentDeps): z.ZodType {
  return typeof schema === 'function' ? schema(deps) : schema
}

function readBody(deps: EndpointDeps, { request, isIdempotent }: Endpoint): readonly CallStep[] {
  const body = request?.body
  if (body === undefined) return []
  if (body.media === 'form') return [readFormBody(deps, body)]
  if (body.media === 'image') return [readImage(deps, body.subject)]
  const read = [readJsonBody(deps, body)]
  const check = [checkJsonBody(getSchema(body, deps))]
  return isIdempotent
    ? [readIdempotencyKey, ...read, replayFirstReply(deps.idempotency), ...check]
    : [...read, ...check]
}

/** All errors in the form of RFC 6749 §5.2 instead of `{error}`. */
const useOAuthErrors: CallStep = (ctx, next) => {
  ctx.state.hasOAuthErrors = true
  ctx.set('Pragma', 'no-cache')
  return next()
}

function handle(deps: EndpointDeps, endpoint: Endpoint): CallStep {
  return async ctx => {
    const { caller, path, query, body, keep = () => [] } = ctx.state
    sendReply(ctx, await endpoint.handler({ caller, path, query, body, keep, ctx }, deps))
  }
}

/** The steps of a call of an endpoint, in this order. */
export function createSteps(deps: EndpointDeps, endpoint: Endpoint): readonly CallStep[] {
  const { authentication, errorFormat, isForOperators, role, request = {} } = endpoint
  return [
    ...(errorFormat === 'oauth' ? [useOAuthErrors] : []),
    ...(isForOperators ? [guardConsole(deps)] : []),
    ...refreshKeys(deps, endpoint),
    authenticate(deps, authentication),
    ...(role === undefined ? [] : [requireRole(role)]),
    ...limitRate(deps, endpoint),
    ...(request.path === undefined ? [] : [readPath(request.path)]),
    ...(request.query === undefined ? [] : [readQuery(request.query)]),
    ...readBody(deps, endpoint),
    ...refreshKeys(deps, endpoint),
    handle(deps, endpoint),
  ]
}
