import { z } from 'zod'
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiRequestBodyObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi'
import { tokenScope } from '../../accounts/access_token.ts'
import { imageMediaTypes } from '../../images/media_type.ts'
import { version } from '../../version.ts'
import type { Responses } from '../content.ts'
import type { DocumentDeps } from '../deps.ts'
import type { ApiDocuments, Endpoint } from '../endpoint.ts'
import { createSharedContent } from '../response_memory.ts'
import { getSchema } from '../steps.ts'
import { describeDocument } from './describe.ts'
import { errorResponses } from './errors.ts'
import { renderApiPage } from './page.ts'
import { notification } from './webhook.ts'

const security = {
  access_token: [{ access_token: [tokenScope] }],
  sdk_token: [{ sdk_token: [] }],
  operator: [],
  metrics_token: [],
  none: [],
} satisfies Record<Endpoint['authentication'], object[]>

const keyHeader = z.object({
  'Idempotency-Key': z.string().optional().meta({ description: 'Kept 24 h: the same key replays the first response.' }),
})

const replayHeaders = z.object({
  Location: z.string().meta({ description: 'Where to read it.' }),
  'Idempotent-Replayed': z.string().optional().meta({ description: '`true` where the first response is replayed.' }),
  'X-Ignored-Fields': z.string().optional().meta({ description: 'Members that mean nothing here.' }),
})

const requestBody = (deps: DocumentDeps, { request }: Endpoint): { requestBody?: ZodOpenApiRequestBodyObject } => {
  const body = request?.body
  if (body === undefined) return {}
  if (body.media === 'form')
    return {
      requestBody: { required: true, content: { 'application/x-www-form-urlencoded': { schema: body.schema } } },
    }
  if (body.media === 'json')
    return {
      requestBody: { required: body.isRequired, content: { 'application/json': { schema: getSchema(body, deps) } } },
    }
  const images = imageMediaTypes.map(type => [type, { schema: { type: 'string', contentMediaType: type } as const }])
  return { requestBody: { required: true, content: Object.fromEntries(images) } }
}

const response = (
  { description, schema, content }: Responses[number],
  isIdempotent: boolean,
): ZodOpenApiResponseObject => {
  if (content !== undefined) return { description, content }
  if (schema === undefined) return { description }
  const headers = isIdempotent ? { headers: replayHeaders } : {}
  return { description, content: { 'application/json': { schema } }, ...headers }
}

const operation = (deps: DocumentDeps, endpoint: Endpoint): ZodOpenApiOperationObject => {
  const { operationId, summary, description, tag, authentication, request = {}, responses } = endpoint
  const isIdempotent = endpoint.isIdempotent === true
  const requestParams = {
    ...(request.path === undefined ? {} : { path: z.object(request.path) }),
    ...(request.query === undefined ? {} : { query: z.object(request.query) }),
    ...(isIdempotent ? { header: keyHeader } : {}),
  }
  const own = Object.entries(responses).map(([status, one]) => [status, response(one, isIdempotent)])
  return {
    ...{ operationId, summary, description, tags: [tag], security: security[authentication] },
    ...(Object.keys(requestParams).length === 0 ? {} : { requestParams }),
    ...requestBody(deps, endpoint),
    responses: { ...errorResponses(endpoint), ...Object.fromEntries(own) },
  }
}

const createPaths = (deps: DocumentDeps, endpoints: readonly Endpoint[]): NonNullable<ZodOpenApiObject['paths']> => {
  const byPath = Map.groupBy(endpoints, ({ path }) => path)
  const entries = [...byPath].map(([path, ofPath]) => [
    path,
    Object.fromEntries(ofPath.map(endpoint => [endpoint.method, operation(deps, endpoint)])),
  ])
  return Object.fromEntries(entries)
}

/** The API as an OpenAPI 3.1 document, made of the endpoints that calls are routed to. */
export const createApiDocument = (deps: DocumentDeps, endpoints: readonly Endpoint[]): object => {
  const { baseUrl } = deps
  const document = createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Attestor',
      version,
      description: 'Identity verification that you run yourself.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    paths: createPaths(
      deps,
      endpoints.filter(({ isDocumented }) => isDocumented !== false),
    ),
    webhooks: { status: { post: notification } },
    components: {
      securitySchemes: {
        access_token: {
          type: 'oauth2',
          description: 'For a backend; it acts for the whole account.',
          flows: {
            clientCredentials: {
              tokenUrl: `${baseUrl}/oauth2/token`,
              scopes: { [tokenScope]: 'All of an account’s customers and transactions.' },
            },
          },
        },
        sdk_token: { type: 'http', scheme: 'bearer', description: 'Of one transaction, for a device.' },
      },
    },
  })
  return describeDocument(document)
}

/** The largest bodies that need no token: made once, and the same bytes for every caller. */
export const createApiDocuments = (deps: DocumentDeps, endpoints: readonly Endpoint[]): ApiDocuments => {
  const document = createApiDocument(deps, endpoints)
  const { html, policy } = renderApiPage(document)
  return { json: createSharedContent(JSON.stringify(document)), html: createSharedContent(html), policy }
}
