import { type Role, roles } from '../../src/database/words.ts'
import type { HttpDeps } from '../../src/http/deps.ts'
import { commandLine } from '../../src/identity/operators/audit.ts'
import { createOperator, type OperatorCredentials } from '../../src/identity/operators/operators.ts'
import type { Answer, CallOptions } from '../calls.ts'
import type { TestEngine } from '../database.ts'
import { type Door, openDoor, type Special } from '../http/door.ts'
import { codeAt } from '../identity/operators/rig.ts'

export const api = '/console/api'

/** Calls as the page does: with the session's cookie, the header and the origin. */
export type OperatorCall = (method: string, path: string, call?: CallOptions) => Promise<Answer>

export interface ConsoleRig {
  readonly door: Door
  readonly operators: Readonly<Record<Role, OperatorCredentials>>
  /** Calls as the operator of each role. */
  readonly as: Readonly<Record<Role, OperatorCall>>
  /** The headers of an operator's calls. */
  readonly headersOf: Readonly<Record<Role, Readonly<Record<string, string>>>>
  login(credentials: OperatorCredentials, changes?: object): Promise<Answer>
}

export function pageHeaders(door: Door): Record<string, string> {
  return { 'X-Attestor-Console': '1', Origin: door.url }
}

/** Returns the header that sets the session's cookie; a log-in also sets one of the device. */
export function setCookieOf(answer: Pick<Answer, 'headers'>): string {
  return answer.headers.getSetCookie().find(one => one.includes('attestor_console=')) ?? ''
}

export function cookieOf(answer: Answer): string {
  return setCookieOf(answer).split(';')[0] ?? ''
}

export function loginAt(door: Door): ConsoleRig['login'] {
  return (credentials, changes = {}) => {
    const { name, password, totp } = credentials
    const json = { name, password, code: codeAt(door.clock.now(), totp.secret), ...changes }
    return door.call('POST', `${api}/login`, { json, headers: pageHeaders(door) })
  }
}

/** A front door with an operator of each role, logged in. */
export async function openConsole(
  engine: TestEngine,
  changes: Partial<HttpDeps> = {},
  special: Special = {},
): Promise<ConsoleRig> {
  return openConsoleAt(await openDoor(engine, changes, special))
}

/** The same at a door that is open. */
export async function openConsoleAt(door: Door): Promise<ConsoleRig> {
  const login = loginAt(door)
  const open = async (role: Role) => {
    const credentials = await createOperator(door.service, { name: `the.${role}`, role }, commandLine)
    const answer = await login(credentials)
    if (answer.status !== 200) throw new Error(answer.text)
    const headers = { ...pageHeaders(door), Cookie: cookieOf(answer) }
    const as: OperatorCall = (method, path, call = {}) =>
      door.call(method, `${api}${path}`, { ...call, headers: { ...headers, ...call.headers } })
    return [role, { credentials, headers, as }] as const
  }
  const opened = new Map(await Promise.all(roles.map(open)))
  const pick = <K extends 'credentials' | 'headers' | 'as'>(name: K) =>
    Object.fromEntries([...opened].map(([role, one]) => [role, one[name]])) as never
  return { door, login, operators: pick('credentials'), headersOf: pick('headers'), as: pick('as') }
}
