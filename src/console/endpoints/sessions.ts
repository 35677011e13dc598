import { isoTimestamp } from '../../base/clock.ts'
import { jsonBody, unusedBody } from '../../http/content.ts'
import { defineUndocumented } from '../../http/endpoint.ts'
import { createFailureLimit } from '../../http/failure_limit.ts'
import {
  createDeviceCookie,
  createEndedCookie,
  createSessionCookie,
  readAddress,
  readDeviceCookie,
} from '../../http/operators.ts'
import { toNetwork } from '../../http/rate_limits.ts'
import { createLoginError, logIn as openSession } from '../../identity/operators/login.ts'
import { createDeviceMark, deviceMs, readDeviceMark } from '../../identity/operators/login_lines.ts'
import { endSession, idleMs, listSessions as listOpen, type OperatorCaller } from '../../identity/operators/sessions.ts'
import { id } from '../../schemas/common.ts'
import { closedObjectField, textField } from '../../schemas/fields.ts'
import { consoleApi, forOperators } from '../endpoint.ts'

function viewMe({ operator_id, name, role, session_id, expires_at }: OperatorCaller) {
  return {
    operator_id,
    name,
    role,
    session_id,
    expires_at: isoTimestamp(expires_at),
    // Without a call in this time the session ends.
    idle_ms: idleMs,
  }
}

const failures = createFailureLimit('login_failures')

/** A password may be as long as a sentence. Its rules are checked where it is set. */
const login = closedObjectField({ name: textField(1, 64), password: textField(1, 256), code: textField(6, 6) })

/**
 * Failures count by the address that they come from, for all names together. Counting by name would let anyone lock an
 * operator out; counting only known names would reveal which names exist.
 */
export const logIn = defineUndocumented({
  ...forOperators('viewer'),
  authentication: 'none',
  role: undefined,
  method: 'post',
  path: `${consoleApi}/login`,
  request: { body: jsonBody(login) },
  async handler({ body, ctx }, deps) {
    const { limits, operators, baseUrl, clock, refusals } = deps
    const device = readDeviceCookie(ctx, baseUrl)
    const known = readDeviceMark(operators.serviceKeys, device, clock.now())
    const address = readAddress(ctx, deps)
    const user_agent = ctx.get('user-agent')
    // An operator's own device is no stranger, even if others fail at the same address.
    const subject = known === null ? toNetwork(address) : `device/${known}`
    const opened = await failures(limits, ctx, subject, async () => {
      const value = await openSession({ ...operators, refusals }, { ...body, address, user_agent, device })
      return { hasFailed: value === null, value }
    })
    if (opened === null) throw createLoginError()
    const { operator_id } = opened.caller
    const mark = createDeviceMark(operators.serviceKeys, operator_id, clock.now() + deviceMs)
    ctx.append('Set-Cookie', createDeviceCookie(baseUrl, mark))
    ctx.append('Set-Cookie', createSessionCookie(baseUrl, opened.token))
    return { status: 200, body: viewMe(opened.caller) }
  },
})

export const getMe = defineUndocumented({
  ...forOperators('viewer'),
  method: 'get',
  path: `${consoleApi}/me`,
  handler: ({ caller }) => ({ status: 200, body: viewMe(caller) }),
})

/** Log out. */
export const logOut = defineUndocumented({
  ...forOperators('viewer'),
  method: 'post',
  path: `${consoleApi}/logout`,
  request: { body: unusedBody },
  async handler({ caller }, { operators, baseUrl }) {
    await endSession(operators, caller, caller.session_id)
    return { status: 204, headers: { 'Set-Cookie': createEndedCookie(baseUrl) } }
  },
})

/** Open sessions, the newest first: one’s own, an admin’s of all. */
export const listSessions = defineUndocumented({
  ...forOperators('viewer'),
  method: 'get',
  path: `${consoleApi}/session`,
  async handler({ caller }, { operators }) {
    const sessions = await listOpen(operators, caller)
    const data = sessions.map(one => ({ ...one, is_current: one.session_id === caller.session_id }))
    return { status: 200, body: { data } }
  },
})

/** Revoke a session: one’s own, an admin any. */
export const revokeSession = defineUndocumented({
  ...forOperators('viewer'),
  method: 'post',
  path: `${consoleApi}/session/{session_id}/revoke`,
  request: { path: { session_id: id }, body: unusedBody },
  async handler({ caller, path }, { operators }) {
    await endSession(operators, caller, path.session_id)
    return { status: 204 }
  },
})
