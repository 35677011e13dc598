import type Router from '@koa/router'
import type { CallState } from './endpoint.ts'

type Layers = Router<CallState>['stack']

/** More than any route has: all longer paths are treated in the same way. */
const maxSegments = 32

/** As the library does, this ignores a slash at the end. */
function countSegments(path: string): number {
  const plain = path.endsWith('/') ? path.slice(0, -1) : path
  return Math.min(plain.split('/').length, maxSegments)
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
