import type Router from '@koa/router'
import type { Context } from 'koa'
import { ApiError } from '../base/api_error.ts'
import { readForm } from './bodies.ts'
import type { FrontDoor } from './front_door.ts'
import { observedAddress } from './observed_address.ts'
import { networkOf, takePermit } from './rate_limits.ts'

/**
 * Every secret is judged, and a right one is never refused for the mistakes of others: behind one address there may be
 * many clients, and anyone may know an id. What a limit of failures refuses is the failure itself. It is no bound on
 * guessing, of which 256 random bits need none, but on what a client without its secret, in a loop, keeps on asking.
 */
const answerToken = async (door: FrontDoor, ctx: Context): Promise<void> => {
  const form = await readForm(ctx)
  const answer = await door.token({ authorization: ctx.req.headers.authorization, form })
  if (answer.status === 401) {
    const network = networkOf(observedAddress(ctx.req, door.trusted_proxy_hops))
    // Ids that nobody has are counted together: whoever makes them up would else have a limit for each.
    await takePermit(door.limits, ctx, 'token_failures', `${answer.client_id ?? ''}/${network}`)
  } else if (answer.client_id !== null) await takePermit(door.limits, ctx, 'tokens', answer.client_id)
  ctx.status = answer.status
  ctx.body = answer.body
  // RFC 6749 §5.2 asks for it where the header was used, RFC 9110 §15.5.2 on every 401.
  if (answer.status === 401) ctx.set('WWW-Authenticate', 'Basic realm="attestor"')
  if (answer.error_code !== null) ctx.set('X-Error-Code', answer.error_code)
}

/**
 * spec, "Request an access token". Errors are RFC 6749 §5.2's: 400, but `invalid_client` 401, and 429,
 * for which it has no code of its own.
 */
export const tokenRoutes = (router: Router, door: FrontDoor): void => {
  router.post('/oauth2/token', async ctx => {
    ctx.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' })
    try {
      await answerToken(door, ctx)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      ctx.status = error.code === 'rate_limited' ? error.status : 400
      ctx.set({ ...error.headers, 'X-Error-Code': error.code })
      ctx.body = { error: 'invalid_request', error_description: error.message }
    }
  })
}
