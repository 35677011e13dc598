/** Routes that do nothing but pass one guard each: what the guard costs is the difference. */
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { systemClock } from '../src/base/clock.ts'
import { openLog } from '../src/base/log.ts'
import { readConfig } from '../src/config/settings.ts'
import { openRateLimits } from '../src/database/rate_limits.ts'
import { takePermit } from '../src/http/rate_limits.ts'
import { issueAccessToken, tokenScope } from '../src/identity/accounts/access_token.ts'
import { createAccount } from '../src/identity/accounts/accounts.ts'
import { createAuthenticator, createTokenVerifier, readBearer } from '../src/identity/accounts/bearer.ts'
import { openServiceContext } from '../src/node/open_service.ts'
import { answerQuestions, cpuMilliseconds } from './measure.ts'

const config = readConfig(process.env)
const service = await openServiceContext({ config, clock: systemClock, log: openLog({ level: 'error' }) })
const cached = createAuthenticator(service)
const verify = createTokenVerifier(service)
const most = 10_000_000
const limits = {
  counts: openRateLimits(service.store, systemClock, service.serviceKeys),
  perMinute: {
    reads: most,
    writes: most,
    tokens: 0,
    token_failures: 0,
    login_failures: 0,
    device: 0,
    handoff_failures: 0,
    refused_images: 0,
  },
}
/** Few turns a minute are leased few at a time: half of what an account has by default, and all of it used. */
const small = { ...limits, perMinute: { ...limits.perMinute, writes: 300 } }

const routes: Readonly<Record<string, (ctx: Koa.Context) => Promise<void>>> = {
  '/nothing': async () => {},
  '/bearer': async ctx => void (await cached(ctx.req.headers.authorization)),
  '/bearer_each_time': async ctx => void (await verify(readBearer(ctx.req.headers.authorization))),
  '/limit': async ctx => void (await takePermit(limits, ctx, 'reads', 'account')),
  '/limit_refusing': async ctx => {
    await takePermit(small, ctx, 'writes', 'account').catch(() => null)
  },
}
const { client_id } = await createAccount(service, { name: 'bench' })
const claims = { client_id, scope: tokenScope, expires_at: systemClock.now() + 3_600_000 }
const app = new Koa()
app.use(async ctx => {
  await routes[ctx.path]?.(ctx)
  ctx.body = { done: true }
})
const server = app.listen(0, '127.0.0.1')

answerQuestions({
  ready: async () => ({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    access_token: issueAccessToken(service.serviceKeys, claims),
    routes: Object.keys(routes),
  }),
  usage: () => ({ cpu_ms: cpuMilliseconds() }),
})
