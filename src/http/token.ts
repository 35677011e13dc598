import type Router from '@koa/router'
import { Refusal } from '../base/refusal.ts'
import { readForm } from './bodies.ts'
import type { FrontDoor } from './front_door.ts'

/** spec, "Request an access token". Every error of a request is RFC 6749 §5.2's: 400, but `invalid_client` 401. */
export const tokenRoutes = (router: Router, door: FrontDoor): void => {
  router.post('/oauth2/token', async ctx => {
    ctx.set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' })
    try {
      const form = await readForm(ctx)
      const answer = await door.token({ request: ctx.req, response: ctx.res, form })
      ctx.status = answer.status
      ctx.body = answer.body
      // RFC 6749 §5.2 asks for it where the header was used, RFC 9110 §15.5.2 on every 401.
      if (answer.status === 401) ctx.set('WWW-Authenticate', 'Basic realm="attestor"')
      if (answer.error_code !== null) ctx.set('X-Error-Code', answer.error_code)
    } catch (error) {
      if (!(error instanceof Refusal) || error.status >= 500) throw error
      ctx.status = 400
      ctx.set('X-Error-Code', error.code)
      ctx.body = { error: 'invalid_request', error_description: error.message }
    }
  })
}
