import { readFirst, run, runAll, type Unit } from 'durable-xstate-sql'
import type { RowOf } from 'durable-xstate-sql/sql'
import { ApiError } from '../../base/api_error.ts'
import { columnsOf } from '../../database/schema.ts'
import { appendAudit } from './audit.ts'
import { inLine, readDeviceMark } from './login_lines.ts'
import { decryptTotpSecret, normalizeName, type OperatorDeps } from './operators.ts'
import { isPassword, nobodysHash } from './passwords.ts'
import type { Refusals } from './refusals.ts'
import { maxSessionMs, type OperatorCaller, prepareSession, removeOverSessions } from './sessions.ts'
import { findTotpStep } from './totp.ts'

export interface LoginAttempt {
  readonly name: string
  readonly password: string
  readonly code: string
  readonly address: string
  readonly user_agent: string
  /** The mark of the device, from the cookie of an earlier log-in; empty without one. */
  readonly device: string
}

/** The token is the cookie's value. */
export interface LoggedIn {
  readonly token: string
  readonly caller: OperatorCaller
}

export interface LoginDeps extends OperatorDeps {
  readonly refusals: Refusals
}

const columns = columnsOf('operators', 'id', 'name', 'role', 'password', 'totp_secret', 'totp_step', 'disabled_at')

type OperatorRow = RowOf<typeof columns>

/** The time step of the one-time code if name, password and code are right; otherwise null, after the same work. */
async function checkCredentials(
  { serviceKeys, clock }: OperatorDeps,
  row: OperatorRow | null,
  { password, code, device }: LoginAttempt,
): Promise<number | null> {
  const isKnown = row !== null && readDeviceMark(serviceKeys, device, clock.now()) === row.id
  const isRight = await inLine(isKnown ? 'known' : 'strangers', () =>
    isPassword(password, row?.password ?? nobodysHash),
  )
  if (row === null) return null
  const secret = decryptTotpSecret(serviceKeys, row.id, row.totp_secret)
  const step = findTotpStep(row.name, secret, code, clock.now())
  const isNew = step !== null && (row.totp_step === null || step > row.totp_step)
  return isRight && isNew && row.disabled_at === null ? step : null
}

/** If several log-ins use the same code at once, the first succeeds: the others find the step used. */
function useStep(id: string, step: number, now: number) {
  return {
    sql: 'UPDATE operators SET totp_step = ?, last_login_at = ? WHERE id = ? AND (totp_step IS NULL OR totp_step < ?)',
    values: [step, now, id, step],
  }
}

async function refuse({ refusals }: LoginDeps, row: OperatorRow | null, address: string): Promise<null> {
  await refusals.record({ operator_id: row?.id ?? null, address }, 'login_refused')
  return null
}

/**
 * Opens a session for a name, its password and a one-time code that was not used before. Null otherwise: neither the
 * response nor its time reveals which of the three was wrong.
 */
export async function logIn(deps: LoginDeps, attempt: LoginAttempt): Promise<LoggedIn | null> {
  const { store, clock } = deps
  const sql = 'SELECT id, name, role, password, totp_secret, totp_step, disabled_at FROM operators WHERE name = ?'
  const row = await readFirst(store, { sql, values: [normalizeName(attempt.name)], columns })
  const step = await checkCredentials(deps, row, attempt)
  if (row === null || step === null) return refuse(deps, row, attempt.address)
  const now = clock.now()
  const { session_id, token, insertion } = prepareSession(row.id, now, attempt)
  const caller: OperatorCaller = {
    operator_id: row.id,
    name: row.name,
    role: row.role,
    session_id,
    expires_at: now + maxSessionMs,
    address: attempt.address,
  }
  const isOpen = await store.commit(function* (): Unit<boolean> {
    if ((yield* run(useStep(row.id, step, now))).changed === 0) return false
    yield* runAll([removeOverSessions(now), insertion])
    yield* appendAudit(store, now, caller, { action: 'login', subject: { type: 'session', id: session_id } })
    return true
  })
  return isOpen ? { token, caller } : refuse(deps, row, attempt.address)
}

/** The one message of every refused log-in. */
export function createLoginError(): ApiError {
  return new ApiError('invalid_client', 'login: name, password or code is wrong', { 'WWW-Authenticate': 'Cookie' })
}
