import { readAll, readFirst, run, runAll, type Statement, type Store, selectFirst, type Unit } from 'durable-xstate-sql'
import { listColumns, type RowOf, rowExists } from 'durable-xstate-sql/sql'
import { ApiError } from '../../base/api_error.ts'
import { type Clock, isoTimestamp, toTimestamp } from '../../base/clock.ts'
import type { ServiceKeys } from '../../base/encryption.ts'
import { newId } from '../../base/ids.ts'
import { decryptColumn, encryptColumn } from '../../database/root_columns.ts'
import { deriveRowKey } from '../../database/row_mac.ts'
import { columnsOf, insert } from '../../database/schema.ts'
import type { Role } from '../../database/words.ts'
import { computeOperatorMac } from '../row_macs.ts'
import { type Actor, appendAudit } from './audit.ts'
import { generatePassword, hashPassword, requireStrongPassword } from './passwords.ts'
import { describeTotp, newTotpSecret, type TotpSetup } from './totp.ts'

export interface OperatorDeps {
  readonly store: Store
  readonly clock: Clock
  readonly serviceKeys: ServiceKeys
}

const viewColumns = columnsOf('operators', 'id', 'name', 'role', 'created_at', 'disabled_at', 'last_login_at')

/** An operator as others see them; `disabled_at` is null while they may log in. */
function toView(row: RowOf<typeof viewColumns>) {
  return {
    operator_id: row.id,
    name: row.name,
    role: row.role,
    created_at: isoTimestamp(row.created_at),
    disabled_at: toTimestamp(row.disabled_at),
    last_login_at: toTimestamp(row.last_login_at),
  }
}

type OperatorView = ReturnType<typeof toView>

/** The credentials of a new operator. Shown once. */
export interface OperatorCredentials extends Pick<OperatorView, 'operator_id' | 'name' | 'role'> {
  readonly password: string
  readonly totp: TotpSetup
}

export function decryptTotpSecret(serviceKeys: ServiceKeys, operator_id: string, encrypted: Uint8Array): Buffer {
  return decryptColumn(serviceKeys, 'operators', operator_id, encrypted)
}

/** A password of the operator's own choice, or a generated one. */
async function prepareSecrets(serviceKeys: ServiceKeys, operator: { id: string; name: string }, chosen: string | null) {
  if (chosen !== null) requireStrongPassword(chosen)
  const password = chosen ?? generatePassword()
  const secret = newTotpSecret()
  return {
    password,
    totp: describeTotp(operator.name, secret),
    columns: {
      password: await hashPassword(password),
      totp_secret: encryptColumn(serviceKeys, 'operators', operator.id, secret),
      totp_step: null,
    },
  }
}

const namePattern = /^[a-z0-9][a-z0-9._@-]{0,63}$/

/** Names are compared in lower case: nobody remembers how theirs was written. */
export function normalizeName(name: string): string {
  return name.trim().toLowerCase()
}

/** Converts a name from another system to one that an operator may have. */
export function toOperatorName(given: string): string {
  return normalizeName(given)
    .replaceAll(/[^a-z0-9._@-]/g, '-')
    .replace(/^[._@-]+/, '')
    .slice(0, 64)
}

/**
 * Creates an operator, and writes the statements of `more` in the same commit. @throws {ApiError} `invalid_field`,
 * `conflict`
 */
export async function createOperator(
  { store, clock, serviceKeys }: OperatorDeps,
  { name: given, role, password: chosen = null }: { name: string; role: Role; password?: string | null },
  by: Actor,
  more: (operator_id: string) => Statement | null = () => null,
): Promise<OperatorCredentials> {
  const name = normalizeName(given)
  if (!namePattern.test(name))
    throw new ApiError('invalid_field', 'name: must be 1 to 64 letters a to z, digits, dots, dashes, underscores or @')
  const id = newId()
  const { password, totp, columns } = await prepareSecrets(serviceKeys, { id, name }, chosen)
  const now = clock.now()
  const plain = { id, name, role, ...columns, created_at: now, disabled_at: null, last_login_at: null }
  const row = { ...plain, mac: computeOperatorMac(deriveRowKey(serviceKeys), plain) }
  try {
    await store.commit(function* (): Unit<void> {
      yield* run(insert('operators', row))
      const statement = more(id)
      if (statement !== null) yield* run(statement)
      const subject = { type: 'operator', id } as const
      yield* appendAudit(store, now, by, { action: 'operator_created', subject, details: { role } })
    })
  } catch (error) {
    throw store.dialect.isDuplicate(error) ? new ApiError('conflict', 'name: is taken') : error
  }
  return { operator_id: id, name, role, password, totp }
}

/** Whether there is any operator, disabled ones too. Operators are never removed, so finding one is enough. */
export function createOperatorCheck(store: Store): () => Promise<boolean> {
  let found = false
  return async () => {
    found ||= await rowExists(store, { sql: 'SELECT id FROM operators LIMIT 1', values: [] })
    return found
  }
}

/** All operators, the oldest first. */
export async function listOperators(store: Store): Promise<readonly OperatorView[]> {
  const sql = `SELECT ${listColumns(viewColumns)} FROM operators ORDER BY id`
  return (await readAll(store, { sql, values: [], columns: viewColumns })).map(toView)
}

/** Finds an operator by id or by name. @throws {ApiError} `not_found` */
export async function readOperator(store: Store, idOrName: string): Promise<OperatorView> {
  const sql = `SELECT ${listColumns(viewColumns)} FROM operators WHERE id = ? OR name = ?`
  const values = [idOrName.toLowerCase(), normalizeName(idOrName)]
  const row = await readFirst(store, { sql, values, columns: viewColumns })
  if (row === null) throw new ApiError('not_found', 'operator: not found')
  return toView(row)
}

function endSessions(operator_id: string) {
  return {
    sql: 'DELETE FROM operator_sessions WHERE operator_id = ?',
    values: [operator_id],
  }
}

/**
 * Creates new secrets for an operator who lost theirs, also for a disabled one; their sessions end. @throws {ApiError}
 * `not_found`
 */
export async function resetOperator(
  { store, clock, serviceKeys }: OperatorDeps,
  { operator, password: chosen = null }: { readonly operator: string; readonly password?: string | null },
  by: Actor,
): Promise<OperatorCredentials> {
  const { operator_id: id, name, role } = await readOperator(store, operator)
  const { password, totp, columns } = await prepareSecrets(serviceKeys, { id, name }, chosen)
  const kept = { id, name, role, password: columns.password, disabled_at: null }
  const mac = computeOperatorMac(deriveRowKey(serviceKeys), kept)
  const sql =
    'UPDATE operators SET password = ?, totp_secret = ?, totp_step = NULL, disabled_at = NULL, mac = ? WHERE id = ?'
  await store.commit(function* (): Unit<void> {
    yield* runAll([{ sql, values: [columns.password, columns.totp_secret, mac, id] }, endSessions(id)])
    yield* appendAudit(store, clock.now(), by, { action: 'operator_reset', subject: { type: 'operator', id } })
  })
  return { operator_id: id, name, role, password, totp }
}

/** Ends an operator's sessions, and prevents log-ins until the operator is reset. @throws {ApiError} `not_found` */
export async function disableOperator(
  { store, clock, serviceKeys }: OperatorDeps,
  operator: string,
  by: Actor,
): Promise<OperatorView> {
  const { operator_id: id, name, role } = await readOperator(store, operator)
  const now = clock.now()
  const sql = 'UPDATE operators SET disabled_at = ?, mac = ? WHERE id = ? AND disabled_at IS NULL'
  await store.commit(function* (): Unit<void> {
    const columns = columnsOf('operators', 'password')
    const found = yield* selectFirst({ sql: 'SELECT password FROM operators WHERE id = ?', values: [id], columns })
    const disabled = { id, name, role, password: found?.password ?? '', disabled_at: now }
    const mac = computeOperatorMac(deriveRowKey(serviceKeys), disabled)
    yield* runAll([{ sql, values: [now, mac, id] }, endSessions(id)])
    yield* appendAudit(store, now, by, { action: 'operator_disabled', subject: { type: 'operator', id } })
  })
  return readOperator(store, id)
}
