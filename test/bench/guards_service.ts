/** Routes that do nothing but pass one guard each: what the guard costs is the difference. */
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { token_scope } from '../../src/accounts/access_token.ts'
import { createAccount } from '../../src/accounts/accounts.ts'
import { createAuthenticate, createVerify, readBearer } from '../../src/accounts/bearer.ts'
import { createTokenEndpoint } from '../../src/accounts/token_endpoint.ts'
import { systemClock } from '../../src/base/clock.ts'
import { jsonLog } from '../../src/base/log.ts'
import { openServiceContext } from '../../src/composition/service_context.ts'
import { readConfig } from '../../src/config.ts'
import { openRateLimits } from '../../src/database/rate_limits.ts'
import { takePermit } from '../../src/http/rate_limits.ts'
import { answerQuestions, cpuMilliseconds } from './measure.ts'

const config = readConfig(process.env)
const service = await openServiceContext({ config, clock: systemClock, log: jsonLog('error') })
const token = createTokenEndpoint(service)
const cached = createAuthenticate(service)
const verify = createVerify(service)
const most = 10_000_000
const limits = {
  counts: openRateLimits(service.store, systemClock, service.master),
  per_minute: { reads: most, writes: most, tokens: 0, token_failures: 0, device: 0, refused_images: 0 },
}
/** Few turns a minute are leased few at a time: half of what an account has by default, and all of it used. */
const small = { ...limits, per_minute: { ...limits.per_minute, writes: 300 } }

const routes: Readonly<Record<string, (ctx: Koa.Context) => Promise<void>>> = {
  '/nothing': async () => {},
  '/bearer': async ctx => void (await cached(ctx.req.headers.authorization)),
  '/bearer_each_time': async ctx => void (await verify(readBearer(ctx.req.headers.authorization))),
  '/limit': async ctx => void (await takePermit(limits, ctx, 'reads', 'account')),
  '/limit_refusing': async ctx => {
    await takePermit(small, ctx, 'writes', 'account').catch(() => null)
  },
}
const { client_id, client_secret } = await createAccount(service, { name: 'bench' })
const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, scope: token_scope })
const app = new Koa()
app.use(async ctx => {
  if (ctx.path === '/oauth2/token') {
    const { body } = await token({ authorization: undefined, form: Buffer.from(form.toString()) })
    ctx.status = 200
    ctx.body = body
    return
  }
  await routes[ctx.path]?.(ctx)
  ctx.body = { done: true }
})
const server = app.listen(0, '127.0.0.1')

answerQuestions({
  ready: async () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await fetch(`${url}/oauth2/token`, { method: 'POST', headers })
    const { access_token } = (await answer.json()) as { access_token: string }
    return { url, access_token, routes: Object.keys(routes) }
  },
  usage: () => ({ cpu_ms: cpuMilliseconds() }),
})
