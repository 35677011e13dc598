import Router, { type RouterContext } from '@koa/router'
import Koa, { type Context } from 'koa'
import { ApiError, asError } from '../base/api_error.ts'
import { boundCalls, boundPipelines } from './calls.ts'
import { chartRoutes } from './charts.ts'
import { allowOrigins } from './cors.ts'
import { customerRoutes } from './customer.ts'
import { deliveryRoutes } from './deliveries.ts'
import { erasureRoutes } from './erasure.ts'
import { catchErrors } from './errors.ts'
import { evidenceRoutes } from './evidence.ts'
import type { FrontDoor } from './front_door.ts'
import {
  endConnections,
  forbidCaching,
  logCalls,
  requireHost,
  requirePlainPath,
  requireSingleHeaders,
  secureHeaders,
} from './guards.ts'
import { operationsRoutes } from './operations.ts'
import { boundAnswers } from './outgoing.ts'
import { giveRequestId } from './request_id.ts'
import { sessionRoutes } from './session.ts'
import { testModeRoutes } from './test_mode.ts'
import { tokenRoutes } from './token.ts'
import { transactionRoutes } from './transaction.ts'
import { transactionListRoutes } from './transaction_list.ts'

/** Nothing answered: no such path, or one that doesn't do this (decisions.md, "HTTP": 405 with `Allow`). */
const refuseUnknown = (ctx: Context): never => {
  const { matched = [] } = ctx as Partial<RouterContext>
  const methods = [...new Set(matched.flatMap(layer => layer.methods))].sort()
  if (methods.length === 0) throw new ApiError('not_found', 'path: not found')
  throw new ApiError('method_not_allowed', `method: must be ${methods.join(' or ')}`, { Allow: methods.join(', ') })
}

/** The routes that a node's roles open. */
export const createRouter = (door: FrontDoor, roles: readonly string[]): Router => {
  const router = new Router({ sensitive: true })
  operationsRoutes(router, door)
  chartRoutes(router, door.base_url)
  if (roles.includes('api')) {
    tokenRoutes(router, door)
    customerRoutes(router, door)
    transactionRoutes(router, door)
    transactionListRoutes(router, door)
    erasureRoutes(router, door)
    deliveryRoutes(router, door)
    evidenceRoutes(router, door)
    sessionRoutes(router, door)
    testModeRoutes(router, door)
  }
  return router
}

/** The front door: the guards in the order in which a call meets them, then the routes that the node's roles open. */
export const createApp = (door: FrontDoor, roles: readonly string[] = ['api']): Koa => {
  const router = createRouter(door, roles)
  const app = new Koa()
  // What fails after the answer has begun, such as a caller that hangs up.
  app.on('error', error => door.log.info({ name: asError(error).name, code: error.code }, 'a connection broke'))
  app
    .use(boundPipelines)
    .use(endConnections(door))
    .use(giveRequestId)
    .use(logCalls(door))
    .use(secureHeaders)
    .use(forbidCaching)
    .use(allowOrigins(door.cors_origins))
    .use(catchErrors(door.log))
    .use(boundAnswers(door.outgoing))
    .use(boundCalls(door.most_calls))
    .use(requireHost)
    .use(requireSingleHeaders)
    .use(requirePlainPath)
    .use(router.routes())
    .use(refuseUnknown)
  return app
}
