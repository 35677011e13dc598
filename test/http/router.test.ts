import Router from '@koa/router'
import test from 'ava'
import fc from 'fast-check'
import { matchByShape, toRouterPath } from '../../src/http/app.ts'
import type { CallState } from '../../src/http/endpoint.ts'
import { apiEndpoints, nodeEndpoints } from '../../src/http/endpoints/table.ts'

const endpoints = [...nodeEndpoints, ...apiEndpoints]

function createRouter(): Router<CallState> {
  const router = new Router<CallState>({ sensitive: true })
  for (const { method, path } of endpoints) router[method](toRouterPath(path), (_, next) => next())
  return router
}

test('A path matches the same routes as when the library tries every route', t => {
  const library = createRouter()
  const shaped = matchByShape(createRouter())
  const words = fc.constantFrom(...new Set(endpoints.flatMap(({ path }) => path.split('/'))), 'x.svg', '0193-ab', '*')
  const madeUp = fc.array(words, { maxLength: 40 }).map(segments => `/${segments.join('/')}`)
  const known = fc.constantFrom(...endpoints.map(({ path }) => path.replaceAll(/\{\*?\w+\}/g, '0193-ab')))
  const path = fc.oneof(
    known,
    madeUp,
    fc.tuple(known, words).map(parts => parts.join('/')),
  )
  const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'MKCOL')
  const describe = ({ path: any, pathAndMethod, route }: ReturnType<typeof library.match>) => ({
    any: any.map(layer => [layer.path, layer.methods]),
    withMethod: pathAndMethod.map(layer => [layer.path, layer.methods]),
    route,
  })
  const check = (at: string, verb: string): unknown =>
    t.deepEqual(describe(shaped.match(at, verb)), describe(library.match(at, verb)), `${verb} ${at}`)
  fc.assert(fc.property(path, method, fc.boolean(), (at, verb, slash) => void check(slash ? `${at}/` : at, verb)))
  for (const { path: at } of endpoints) check(at.replaceAll(/\{\*?\w+\}/g, '0193-ab'), 'GET')
  check('/', 'GET')
})
