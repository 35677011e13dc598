import type Router from '@koa/router'
import type { Context } from 'koa'
import { Refusal } from '../base/refusal.ts'
import { readForm } from './bodies.ts'
import { createFailureLimit, type FailureLimit } from './failure_limit.ts'
import type { FrontDoor } from './front_door.ts'
import { observedAddress } from './observed_address.ts'
import { networkOf, takeTurn } from './rate_limits.ts'

/** Whoever fails too often from one address waits. */
const answerToken = async (door: FrontDoor, ctx: Context, failureLimit: FailureLimit): Promise<void> => {
  const form = await readForm(ctx)
  const network = networkOf(observedAddress(ctx.req, door.trusted_proxy_hops))
  const answer = await failureLimit(door.limits, ctx, network, async () => {
    const value = await door.token({ request: ctx.req, response: ctx.res, form })
    return { has_failed: value.status === 401, value }
  })
  // Counted once the secret was right: else anyone who knows an id could lock its owner out.
  if (answer.status !== 401 && answer.client_id !== null) await takeTurn(door.limits, ctx, 'tokens', answer.client_id)
  ctx.status = answer.status
  ctx.body = answer.body
  // RFC 6749 §5.2 asks for it where the header was used, RFC 9110 §15.5.2 on every 401.
  if (answer.status === 401) ctx.set('WWW-Authenticate', 'Basic realm="attestor"')
  if (answer.error_code !== null) ctx.set('X-Error-Code', answer.error_code)
}

/** RFC 6749 has no code for "too often": this is the one that tells a client to come again. */
const oauthCodeOf = ({ code }: Refusal): string =>
  code === 'rate_limited' ? 'temporarily_unavailable' : 'invalid_request'

/** spec, "Request an access token". Errors are RFC 6749 §5.2's: 400, but `invalid_client` 401, and 429. */
export const tokenRoutes = (router: Router, door: FrontDoor): void => {
  const failureLimit = createFailureLimit('token_failures')
  router.post('/oauth2/token', async ctx => {
    ctx.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' })
    try {
      await answerToken(door, ctx, failureLimit)
    } catch (error) {
      if (!(error instanceof Refusal) || error.status >= 500) throw error
      ctx.status = error.code === 'rate_limited' ? error.status : 400
      ctx.set({ ...error.headers, 'X-Error-Code': error.code })
      ctx.body = { error: oauthCodeOf(error), error_description: error.message }
    }
  })
}
