import { ApiError } from '../../base/api_error.ts'
import { defineUndocumented, type Endpoint } from '../../http/endpoint.ts'
import { createFailureLimit } from '../../http/failure_limit.ts'
import { createSessionCookie, createSignOnCookie, readAddress, readSignOnCookie } from '../../http/operators.ts'
import { toNetwork } from '../../http/rate_limits.ts'
import { logInByProvider, type SignOn } from '../../identity/operators/single_sign_on.ts'
import { consoleApi, forOperators } from '../endpoint.ts'

const path = `${consoleApi}/sign-on`

export const signOnCallback = `${path}/callback`

const failures = createFailureLimit('login_failures')

const open = { ...forOperators('viewer'), authentication: 'none', role: undefined, method: 'get' } as const

/** Sends the browser on to the console, which shows the outcome. */
function leadTo(ctx: { append(name: string, value: string): void }, baseUrl: string, outcome: string) {
  ctx.append('Set-Cookie', createSignOnCookie(baseUrl, null))
  const query = outcome === '' ? '' : `?sign_in=${outcome}`
  return { status: 303, headers: { Location: `${baseUrl}/console${query}`, 'Cache-Control': 'no-store' } } as const
}

/** The sign-in by a company's identity provider; `signOn` is null without one. */
export function createSignOnEndpoints(signOn: SignOn | null): readonly Endpoint[] {
  /** Whether the log-in offers it. */
  const getSignOn = defineUndocumented({
    ...open,
    path,
    handler: () => ({ status: 200, body: { is_offered: signOn !== null } }),
  })
  if (signOn === null) return [getSignOn]
  /** Sends the browser to the provider. */
  const begin = defineUndocumented({
    ...open,
    path: `${path}/begin`,
    async handler(_call, { baseUrl }) {
      const { url, kept } = await signOn.begin()
      const headers = { Location: url, 'Set-Cookie': createSignOnCookie(baseUrl, kept), 'Cache-Control': 'no-store' }
      return { status: 303, headers } as const
    },
  })
  /** The provider sends the browser back to it, with a code. */
  const finish = defineUndocumented({
    ...open,
    path: signOnCallback,
    async handler({ ctx }, deps) {
      const { limits, operators, baseUrl, refusals } = deps
      const address = readAddress(ctx, deps)
      const from = { address, user_agent: ctx.get('user-agent') }
      const kept = readSignOnCookie(ctx, baseUrl)
      try {
        const opened = await failures(limits, ctx, toNetwork(address), async () => {
          const identity = await signOn
            .finish(new URL(`${baseUrl}${signOnCallback}${ctx.search}`), kept)
            .catch((error: unknown) => {
              if (error instanceof ApiError && error.code === 'invalid_client') return null
              throw error
            })
          const value = identity && (await logInByProvider({ ...operators, refusals }, identity, from))
          return { hasFailed: value === null, value }
        })
        if (opened === null) return leadTo(ctx, baseUrl, 'refused')
        ctx.append('Set-Cookie', createSessionCookie(baseUrl, opened.token))
        return leadTo(ctx, baseUrl, '')
      } catch (error) {
        if (error instanceof ApiError && error.code === 'conflict') return leadTo(ctx, baseUrl, 'taken')
        throw error
      }
    },
  })
  return [getSignOn, begin, finish]
}
