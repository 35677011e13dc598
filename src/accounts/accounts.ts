import { createHmac, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../base/api_error.ts'
import type { Clock } from '../base/clock.ts'
import { deriveKey } from '../base/encryption.ts'
import { newId, newSecret, parseId } from '../base/ids.ts'
import { columnsOf, insert } from '../database/schema.ts'
import { run, runAll, type Statement } from '../durable/store/statement.ts'
import { isThere, readFirst, type Store } from '../durable/store/store.ts'

/** What account and token functions work with. */
export interface AccountDeps {
  readonly store: Store
  readonly clock: Clock
  readonly master: Uint8Array
}

/** A `test` account's transactions may be scripted, and its clock turned: nothing that it says of anyone is true. */
export type AccountMode = 'live' | 'test'

/** A new account's credentials. The secret is told here and never again. */
export interface NewAccount {
  readonly account_id: string
  readonly client_id: string
  readonly client_secret: string
}

/** An OAuth client as it is kept. */
export interface Client {
  readonly client_id: string
  readonly account_id: string
  readonly secret_hmac: string
}

/** decisions.md, "Tokens": only an HMAC of a client secret is stored. */
const secretHmac = (master: Uint8Array, secret: string): Buffer =>
  createHmac('sha256', deriveKey(master, 'client_secret')).update(secret).digest()

/** Compares in constant time. */
export const isClientSecret = (master: Uint8Array, secret: string, stored: string): boolean => {
  const expected = Buffer.from(stored, 'base64url')
  const given = secretHmac(master, secret)
  return expected.length === given.length && timingSafeEqual(expected, given)
}

const newClient = (
  { clock, master }: AccountDeps,
  account_id: string,
): { readonly made: NewAccount; readonly insertion: Statement } => {
  const client_id = newId()
  const client_secret = newSecret()
  const secret_hmac = secretHmac(master, client_secret).toString('base64url')
  const client = { id: client_id, account_id, secret_hmac, created_at: clock.now(), revoked_at: null }
  return { made: { account_id, client_id, client_secret }, insertion: insert('clients', client) }
}

const longest_name = 255

/** Makes an account with its first client. @throws {ApiError} `invalid_field` */
export const createAccount = async (
  { store, clock, master }: AccountDeps,
  { name, mode = 'live' }: { readonly name: string; readonly mode?: AccountMode },
): Promise<NewAccount> => {
  const trimmed = name.trim()
  const length = [...trimmed].length
  if (length === 0 || length > longest_name || !trimmed.isWellFormed())
    throw new ApiError('invalid_field', 'name: must be 1 to 255 characters')
  const account_id = newId()
  const { made, insertion } = newClient({ store, clock, master }, account_id)
  const account = { id: account_id, name: trimmed, mode: mode === 'test' ? mode : null, created_at: clock.now() }
  await store.commit(() => runAll([insert('accounts', account), insertion]))
  return made
}

/** Makes a further client of an account, so that a secret can be changed without a gap. @throws {ApiError} `not_found` */
export const createClient = async (deps: AccountDeps, account_id: string): Promise<NewAccount> => {
  if (!(await isThere(deps.store, { sql: 'SELECT id FROM accounts WHERE id = ?', values: [account_id] })))
    throw new ApiError('not_found', 'account_id: not found')
  const { made, insertion } = newClient(deps, account_id)
  await deps.store.commit(() => run(insertion))
  return made
}

/**
 * Lets a client in no more: it gets no token, and those that it has are good for a minute at most. Again changes nothing.
 * @throws {ApiError} `not_found`
 */
export const revokeClient = async ({ store, clock }: AccountDeps, client_id: string): Promise<void> => {
  if (!(await isThere(store, { sql: 'SELECT id FROM clients WHERE id = ?', values: [client_id] })))
    throw new ApiError('not_found', 'client_id: not found')
  const sql = 'UPDATE clients SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL'
  await store.commit(() => run({ sql, values: [clock.now(), client_id] }))
}

/** The client of an id, or null: unknown, revoked or no id at all. */
export const findClient = async (store: Store, named: string): Promise<Client | null> => {
  const client_id = parseId(named)
  if (client_id === null) return null
  const sql = `SELECT c.account_id, c.secret_hmac FROM clients c JOIN accounts a ON a.id = c.account_id
    WHERE c.id = ? AND c.revoked_at IS NULL`
  const row = await readFirst(store, {
    sql,
    values: [client_id],
    columns: columnsOf('clients', 'account_id', 'secret_hmac'),
  })
  return row === null ? null : { client_id, ...row }
}
