import { join } from 'node:path'
import { type ApiDocument, openSite, type SiteFile } from '@attestor/api-reference'
import { openGuides } from '@attestor/guides'
import type { Assets } from '@attestor/page-files'
import { imageMediaTypes } from '@attestor/vision'
import { z } from 'zod'
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiRequestBodyObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi'
import { version } from '../../base/version.ts'
import { tokenScope } from '../../identity/accounts/access_token.ts'
import { getAssetPath } from '../assets.ts'
import type { Responses } from '../content.ts'
import type { DocumentDeps } from '../deps.ts'
import { type ApiDocuments, type DocumentedEndpoint, type Endpoint, isDocumented } from '../endpoint.ts'
import { type Publication, publish } from '../publication.ts'
import { getSchema } from '../steps.ts'
import { describeDocument } from './describe.ts'
import { errorCodes } from './error_codes.ts'
import { errorResponses } from './errors.ts'
import { describeTags } from './tags.ts'
import { notification } from './webhook.ts'

const security = {
  access_token: [{ access_token: [tokenScope] }],
  sdk_token: [{ sdk_token: [] }],
  operator: [],
  metrics_token: [],
  none: [],
} satisfies Record<Endpoint['authentication'], object[]>

const keyHeader = z.object({
  'Idempotency-Key': z.string().optional().meta({
    description:
      'A key of your own for this request, 1 to 255 visible ASCII characters. For 24 hours a repetition with the same key and body gets the first response, and does nothing.',
  }),
})

const replayHeaders = z.object({
  Location: z.string().meta({ description: 'The URL of what was created.' }),
  'Idempotent-Replayed': z.string().optional().meta({ description: '`true` where the first response is replayed.' }),
  'X-Ignored-Fields': z.string().optional().meta({ description: 'Members that mean nothing here.' }),
})

function requestBody(deps: DocumentDeps, { request }: Endpoint): { requestBody?: ZodOpenApiRequestBodyObject } {
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

function response(
  { description, schema, content }: Responses[number],
  isIdempotent: boolean,
): ZodOpenApiResponseObject {
  if (content !== undefined) return { description, content }
  if (schema === undefined) return { description }
  const headers = isIdempotent ? { headers: replayHeaders } : {}
  return { description, content: { 'application/json': { schema } }, ...headers }
}

function operation(deps: DocumentDeps, endpoint: DocumentedEndpoint): ZodOpenApiOperationObject {
  const { operationId, summary, description, tag, authentication, request = {}, responses } = endpoint
  const isIdempotent = endpoint.isIdempotent === true
  const requestParams = {
    ...(request.path === undefined ? {} : { path: z.object(request.path) }),
    ...(request.query === undefined ? {} : { query: z.object(request.query) }),
    ...(isIdempotent ? { header: keyHeader } : {}),
  }
  const own = Object.entries(responses).map(([status, one]) => [status, response(one, isIdempotent)])
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    security: security[authentication],
    ...(Object.keys(requestParams).length === 0 ? {} : { requestParams }),
    ...requestBody(deps, endpoint),
    responses: { ...errorResponses(endpoint), ...Object.fromEntries(own) },
  }
}

function createPaths(
  deps: DocumentDeps,
  endpoints: readonly DocumentedEndpoint[],
): NonNullable<ZodOpenApiObject['paths']> {
  const byPath = Map.groupBy(endpoints, ({ path }) => path)
  const entries = [...byPath].map(([path, ofPath]) => [
    path,
    Object.fromEntries(ofPath.map(endpoint => [endpoint.method, operation(deps, endpoint)])),
  ])
  return Object.fromEntries(entries)
}

/** The API as an OpenAPI 3.1 document, made from the same endpoints as the router. */
export function createApiDocument(deps: DocumentDeps, endpoints: readonly Endpoint[]): object {
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
    tags: describeTags(),
    'x-errors': errorCodes,
    paths: createPaths(deps, endpoints.filter(isDocumented)),
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

function makeDocuments(deps: DocumentDeps, endpoints: readonly Endpoint[], assets: Assets): ApiDocuments {
  const document = createApiDocument(deps, endpoints)
  const guides = openGuides(join(import.meta.dirname, '../../..'))
  const site = openSite(document as ApiDocument, path => getAssetPath(assets, path), guides)
  const published = new Map<string, Publication>()
  const publishOnce = (path: string, make: () => SiteFile): Publication => {
    const known = published.get(path)
    if (known !== undefined) return known
    const { type, text } = make()
    const publication = publish(type, text)
    published.set(path, publication)
    return publication
  }
  return {
    json: publish('application/json', JSON.stringify(document)),
    find(path) {
      const make = site.files.get(path)
      return make === undefined ? null : publishOnce(path, make)
    },
    findNothing: path => publishOnce(path, () => site.createNothing(path)),
  }
}

/**
 * The document as it is sent, and its pages, each made when it is first asked for. Few nodes are ever asked for it, and
 * making the schemas of all endpoints took most of a node's start.
 */
export function createApiDocuments(deps: DocumentDeps, endpoints: readonly Endpoint[], assets: Assets): ApiDocuments {
  let made: ApiDocuments | null = null
  const make = (): ApiDocuments => {
    made ??= makeDocuments(deps, endpoints, assets)
    return made
  }
  return {
    get json() {
      return make().json
    },
    find: path => make().find(path),
    findNothing: path => make().findNothing(path),
  }
}
