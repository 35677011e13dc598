import type { Assets } from '@attestor/page-files'
import type { RouterContext } from '@koa/router'
import type { Statement } from 'durable-xstate-sql'
import type { Context, Middleware } from 'koa'
import type { z } from 'zod'
import type { ApiErrorCode } from '../base/api_error.ts'
import type { Role } from '../database/words.ts'
import type { AuthenticatedClient } from '../identity/accounts/bearer.ts'
import type { OperatorCaller } from '../identity/operators/sessions.ts'
import { JsonText } from '../schemas/json_text.ts'
import type { Session } from '../verification/transactions/session.ts'
import type { JsonObject } from './body.ts'
import type { CapturePages } from './capture_pages.ts'
import type { PublishedCharts } from './charts.ts'
import type { BodyIn, BodyOut, RequestBody, Responses } from './content.ts'
import type { HttpDeps } from './deps.ts'
import type { FailureLimit } from './failure_limit.ts'
import type { TagName } from './openapi/tags.ts'
import type { Publication } from './publication.ts'

/** The callers, by the way in which an endpoint authenticates them. */
export interface Callers {
  /** An integrator's backend. */
  readonly access_token: AuthenticatedClient
  /** A device, for its one transaction. */
  readonly sdk_token: Session
  /** A person who is logged in to the console. */
  readonly operator: OperatorCaller
  /** The operator's Prometheus. */
  readonly metrics_token: null
  readonly none: null
}

export type Authentication = keyof Callers

/** The return value of a handler. */
export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** The media type of a body that is no plain JSON. */
  readonly type?: string
  readonly body?: unknown
}

/** A reply that an endpoint documents: one of its statuses, and a body of that status. */
type ReplyIn<R extends Responses> = {
  [S in keyof R]: Pick<Reply, 'headers'> & { readonly status: S } & BodyOut<R[S]>
}[keyof R]

/** The parts of a call, read and checked, for its handler. */
interface Call<C, P, Q, B> {
  readonly caller: C
  readonly path: P
  readonly query: Q
  readonly body: B
  /** Statements that store the reply under the call's `Idempotency-Key`: for the commit of the call. None without a key. */
  readonly keep: (subject_id: string, reply: Reply) => readonly Statement[]
  readonly ctx: RouterContext<CallState>
}

/** The results of the steps before the handler. */
export interface CallState {
  caller: Callers[Authentication]
  path: Readonly<Record<string, unknown>>
  query: Readonly<Record<string, unknown>>
  json: JsonObject
  idempotencyKey: string | null
  body: unknown
  keep: Call<unknown, unknown, unknown, unknown>['keep']
  /** The nonce of an upload's signature; null or absent without one. */
  signed?: string | null
  /** Members and parameters that the endpoint does not know. */
  ignored?: readonly string[]
  hasOAuthErrors?: true
}

/** The OpenAPI document, and the pages that show it. */
export interface ApiDocuments {
  readonly json: Publication
  /** A page, or the search's index, by its path; null where there is none. */
  find(path: string): Publication | null
  /** Returns the page for a path without a page, or for any other path of the same depth. */
  findNothing(path: string): Publication
}

export interface EndpointDeps extends HttpDeps {
  readonly documents: ApiDocuments
  readonly charts: PublishedCharts
  /** The files of the pages. */
  readonly assets: Assets
  readonly capturePages: CapturePages
  /** Limits uploads of images that can't be used. */
  readonly imageFailures: FailureLimit
  /** Limits the pages that one address is sent. */
  readonly limitPages: Middleware
}

/** The OpenAPI document's description of an endpoint. */
interface Documentation<R extends Responses> {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  /** The group in which the reference shows it. */
  readonly tag: TagName
  readonly responses: R
  /** Statuses of errors, beside those that its authentication, its body or any call can have. */
  readonly errors?: readonly number[]
  /** Codes that few endpoints answer with, of one of its statuses. */
  readonly own_codes?: readonly ApiErrorCode[]
}

interface Spec<A extends Authentication, P extends z.ZodRawShape, Q extends z.ZodRawShape, B> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** The path in OpenAPI's notation: `/customer/{customer_id}`. */
  readonly path: string
  /** Further paths, which depend on the service's URL. */
  readonly aliases?: (baseUrl: string) => readonly string[]
  /**
   * Whether it is part of the console, which is off without operators. Its changes are accepted from the console's page
   * only.
   */
  readonly isForOperators?: true
  readonly authentication: A
  /** A page for people, who are distinguished by their address alone. */
  readonly isPage?: true
  /** The role that an `operator` needs. */
  readonly role?: Role | undefined
  /** Whether errors have the form of RFC 6749 §5.2. */
  readonly errorFormat?: 'oauth'
  /** Whether the first reply to an `Idempotency-Key` is replayed. */
  readonly isIdempotent?: true
  readonly request?: { readonly path?: P; readonly query?: Q; readonly body?: B }
}

type Handler<C, P extends z.ZodRawShape, Q extends z.ZodRawShape, B, T> = (
  call: Call<C, z.output<z.ZodObject<P>>, z.output<z.ZodObject<Q>>, BodyIn<B>>,
  deps: EndpointDeps,
) => Promise<T> | T

/** One endpoint, as the router mounts it. */
export interface Endpoint extends Spec<Authentication, z.ZodRawShape, z.ZodRawShape, RequestBody> {
  handler(call: Call<unknown, unknown, unknown, unknown>, deps: EndpointDeps): Promise<Reply> | Reply
}

/** One that the OpenAPI document has too. */
export interface DocumentedEndpoint extends Endpoint, Documentation<Responses> {}

export function isDocumented(endpoint: Endpoint): endpoint is DocumentedEndpoint {
  return 'responses' in endpoint
}

/** An endpoint that the document does not have: its type gives its reply. */
export interface UndocumentedEndpoint<T extends Reply> extends Endpoint {
  handler(call: Call<unknown, unknown, unknown, unknown>, deps: EndpointDeps): Promise<T> | T
}

/** An object without members. */
type None = Readonly<Record<never, never>>

/** Checks an endpoint's handler against its request and its responses. */
export function defineEndpoint<
  A extends Authentication,
  R extends Responses,
  const T extends ReplyIn<R>,
  P extends z.ZodRawShape = None,
  Q extends z.ZodRawShape = None,
  B extends RequestBody | undefined = undefined,
>(
  endpoint: Spec<A, P, Q, B> & Documentation<R> & { readonly handler: Handler<Callers[A], P, Q, B, T> },
): DocumentedEndpoint {
  return endpoint as unknown as DocumentedEndpoint
}

/** Checks an undocumented endpoint's handler against its request. */
export function defineUndocumented<
  A extends Authentication,
  const T extends Reply,
  P extends z.ZodRawShape = None,
  Q extends z.ZodRawShape = None,
  B extends RequestBody | undefined = undefined,
>(endpoint: Spec<A, P, Q, B> & { readonly handler: Handler<Callers[A], P, Q, B, T> }): UndocumentedEndpoint<T> {
  return endpoint as unknown as UndocumentedEndpoint<T>
}

export function sendReply(ctx: Context, { status, headers = {}, type, body }: Reply): void {
  ctx.status = status
  ctx.set({ ...headers })
  if (type !== undefined) ctx.type = type
  if (body instanceof JsonText) {
    ctx.type = 'json'
    ctx.body = body.text
  } else if (body !== undefined) ctx.body = body
}
