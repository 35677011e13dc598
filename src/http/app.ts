import Router, { type RouterContext } from '@koa/router'
import Koa, { type Context } from 'koa'
import { ApiError } from '../base/api_error.ts'
import { pageAssets } from './assets.ts'
import { publishCapturePages } from './capture_pages.ts'
import { publishCharts } from './charts.ts'
import { limitConcurrency, limitPipelining } from './concurrency.ts'
import type { HttpDeps } from './deps.ts'
import type { CallState, Endpoint, EndpointDeps } from './endpoint.ts'
import { apiEndpoints, nodeEndpoints } from './endpoints/table.ts'
import { catchErrors, logBrokenResponse } from './errors.ts'
import { createFailureLimit } from './failure_limit.ts'
import {
  allowOrigins,
  boundLists,
  endConnections,
  logCalls,
  requireHost,
  requirePlainPath,
  requireSingleHeaders,
  restoreFragment,
  setStrictHeaders,
} from './guards.ts'
import { createApiDocuments } from './openapi/documents.ts'
import { createPageLimit } from './page_limit.ts'
import { setRequestId } from './request_id.ts'
import { limitResponseMemory } from './response_memory.ts'
import { createSteps } from './steps.ts'
import { dropUnreadBodies } from './unread_bodies.ts'

type Layers = Router<CallState>['stack']

/** More than any route has: all longer paths are treated in the same way. */
const maxSegments = 32

/** Ignores slashes at the end: the library ignores one, and of the path that is nothing else two. */
function countSegments(path: string): number {
  let end = path.length
  while (path[end - 1] === '/') end--
  return Math.min(path.slice(0, end).split('/').length, maxSegments)
}

function hasWildcard(path: string): boolean {
  return path.includes('*')
}

/**
 * A router would try each of some hundred routes at every call. This makes it try only those with as many segments as
 * the path, in the same order. All routes must have been added.
 */
export function matchByShape(router: Router<CallState>): Router<CallState> {
  const layersByCount = new Map<number, Layers>()
  const findLayers = (count: number): Layers => {
    const known = layersByCount.get(count)
    if (known !== undefined) return known
    const layers = router.stack.filter(({ path }) => hasWildcard(String(path)) || countSegments(String(path)) === count)
    layersByCount.set(count, layers)
    return layers
  }
  router.match = (path, method) => {
    const matched = findLayers(countSegments(path)).filter(layer => layer.match(path))
    const withMethod = matched.filter(layer => layer.methods.includes(method))
    return { path: matched, pathAndMethod: withMethod, route: withMethod.length > 0 }
  }
  return router
}

/**
 * No endpoint matched: no such path, or none with this method. The router's own `allowedMethods` would answer OPTIONS
 * with 200 and an unknown method with 501: it is 405 for both.
 */
function rejectUnmatched(ctx: Context): never {
  const { matched = [] } = ctx as Partial<RouterContext>
  const methods = [...new Set(matched.flatMap(layer => layer.methods))].sort()
  if (methods.length === 0) throw new ApiError('not_found', 'path: not found')
  throw new ApiError('method_not_allowed', `method: must be ${methods.join(' or ')}`, { Allow: methods.join(', ') })
}

/** `{*path}` is the rest of a path. */
export function toRouterPath(path: string): string {
  return path.replaceAll(/\{\*(\w+)\}/g, '*$1').replaceAll(/\{(\w+)\}/g, ':$1')
}

function mount(router: Router<CallState>, deps: EndpointDeps, endpoint: Endpoint): void {
  const paths = [endpoint.path, ...(endpoint.aliases?.(deps.baseUrl) ?? [])]
  router[endpoint.method](paths.map(toRouterPath), ...createSteps(deps, endpoint))
}

/** The endpoints that a node's roles and settings open; `more` are those of other modules, for the role `api`. */
export function createRouter(
  deps: HttpDeps,
  roles: readonly string[],
  more: readonly Endpoint[] = [],
): Router<CallState> {
  const router = new Router<CallState>({ sensitive: true })
  const documents = createApiDocuments(deps, [...nodeEndpoints, ...apiEndpoints, ...more], pageAssets)
  const charts = publishCharts(deps.baseUrl)
  const endpointDeps = {
    ...deps,
    documents,
    charts,
    assets: pageAssets,
    imageFailures: createFailureLimit('refused_images'),
    limitPages: createPageLimit(deps),
    capturePages: publishCapturePages(pageAssets, deps.branding),
  }
  const endpoints = [...nodeEndpoints, ...(roles.includes('api') ? [...apiEndpoints, ...more] : [])]
  for (const endpoint of endpoints)
    if (deps.metrics !== null || endpoint.authentication !== 'metrics_token') mount(router, endpointDeps, endpoint)
  return matchByShape(router)
}

/** The HTTP API: its guards in the order in which a call meets them, then its endpoints. */
export function createApp(deps: HttpDeps, roles: readonly string[] = ['api'], more: readonly Endpoint[] = []): Koa {
  const app = new Koa()
  app.on('error', logBrokenResponse(deps.log))
  app
    .use(limitPipelining)
    .use(dropUnreadBodies(deps))
    .use(endConnections(deps))
    .use(setRequestId)
    .use(logCalls(deps))
    .use(setStrictHeaders)
    .use(allowOrigins(deps.corsOrigins))
    .use(catchErrors(deps.log))
    .use(limitResponseMemory(deps.responseMemory))
    .use(limitConcurrency(deps.maxConcurrentRequests))
    .use(requireHost)
    .use(requireSingleHeaders)
    .use(boundLists)
    .use(restoreFragment)
    .use(requirePlainPath)
    .use(createRouter(deps, roles, more).routes())
    .use(rejectUnmatched)
  return app
}
