import { z } from 'zod'
import { isoTimestamp } from '../../base/clock.ts'
import { json, jsonBody, unusedBody } from '../../http/content.ts'
import { defineEndpoint } from '../../http/endpoint.ts'
import { createFailureLimit } from '../../http/failure_limit.ts'
import { createEndedCookie, createSessionCookie, readAddress } from '../../http/operators.ts'
import { toNetwork } from '../../http/rate_limits.ts'
import { id } from '../../http/shapes/common.ts'
import { createLoginError, logIn as openSession } from '../../identity/operators/login.ts'
import { endSession, idleMs, listSessions as listOpen, type OperatorCaller } from '../../identity/operators/sessions.ts'
import { consoleApi, forOperators } from '../endpoint.ts'
import * as shapes from '../shapes/operator.ts'

function viewMe({ operator_id, name, role, session_id, expires_at }: OperatorCaller) {
  return {
    operator_id,
    name,
    role,
    session_id,
    expires_at: isoTimestamp(expires_at),
    idle_ms: idleMs,
  }
}

const failures = createFailureLimit('login_failures')

/**
 * Failures count by the address that they come from, whatever the name: by name, anybody who knows it would keep its
 * operator out, and by known names alone anybody would learn which exist.
 */
export const logIn = defineEndpoint({
  ...forOperators('viewer', 'logIn', 'Log in'),
  authentication: 'none',
  role: undefined,
  method: 'post',
  path: `${consoleApi}/login`,
  request: { body: jsonBody(shapes.login) },
  responses: { 200: json('Who is logged in.', shapes.me) },
  errors: [401],
  async handler({ body, ctx }, deps) {
    const { limits, operators, baseUrl } = deps
    const address = readAddress(ctx, deps)
    const user_agent = ctx.get('user-agent')
    const opened = await failures(limits, ctx, toNetwork(address), async () => {
      const value = await openSession(operators, { ...body, address, user_agent })
      return { hasFailed: value === null, value }
    })
    if (opened === null) throw createLoginError()
    const headers = { 'Set-Cookie': createSessionCookie(baseUrl, opened.token) }
    return { status: 200, headers, body: viewMe(opened.caller) }
  },
})

export const getMe = defineEndpoint({
  ...forOperators('viewer', 'getMe', 'Who is logged in'),
  method: 'get',
  path: `${consoleApi}/me`,
  responses: { 200: json('The operator.', shapes.me) },
  handler: ({ caller }) => ({ status: 200, body: viewMe(caller) }),
})

export const logOut = defineEndpoint({
  ...forOperators('viewer', 'logOut', 'Log out'),
  method: 'post',
  path: `${consoleApi}/logout`,
  request: { body: unusedBody },
  responses: { 204: { description: 'The session has ended.' } },
  async handler({ caller }, { operators, baseUrl }) {
    await endSession(operators, caller, caller.session_id)
    return { status: 204, headers: { 'Set-Cookie': createEndedCookie(baseUrl) } }
  },
})

export const listSessions = defineEndpoint({
  ...forOperators('viewer', 'listOperatorSessions', 'Open sessions: one’s own, an admin’s of all'),
  method: 'get',
  path: `${consoleApi}/session`,
  responses: { 200: json('The newest first.', z.object({ data: z.array(shapes.session) })) },
  async handler({ caller }, { operators }) {
    const sessions = await listOpen(operators, caller)
    const data = sessions.map(one => ({ ...one, is_current: one.session_id === caller.session_id }))
    return { status: 200, body: { data } }
  },
})

export const revokeSession = defineEndpoint({
  ...forOperators('viewer', 'revokeOperatorSession', 'Revoke a session: one’s own, an admin any'),
  method: 'post',
  path: `${consoleApi}/session/{session_id}/revoke`,
  request: { path: { session_id: id }, body: unusedBody },
  responses: { 204: { description: 'It has ended.' } },
  errors: [404],
  async handler({ caller, path }, { operators }) {
    await endSession(operators, caller, path.session_id)
    return { status: 204 }
  },
})
