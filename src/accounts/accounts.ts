import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { isId, newId, newSecret } from '../base/ids.ts'
import { Refusal } from '../base/refusal.ts'
import { deriveKey } from '../base/seal.ts'
import { insert, runAll, text } from '../store/statement.ts'
import { readFirst, type Store } from '../store/store.ts'

/** What account and token functions work with. */
export interface AccountRoom {
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

const longest_name = 255

/** Makes an account with its first client. @throws {Refusal} `invalid_field` */
export const createAccount = async (
  { store, clock, master }: AccountRoom,
  { name, mode = 'live' }: { readonly name: string; readonly mode?: AccountMode },
): Promise<NewAccount> => {
  const trimmed = name.trim()
  const length = [...trimmed].length
  if (length === 0 || length > longest_name || !trimmed.isWellFormed())
    throw new Refusal('invalid_field', 'name: must be 1 to 255 characters')
  const created_at = clock.now()
  const account_id = newId()
  const client_id = newId()
  const client_secret = newSecret()
  const secret_hmac = secretHmac(master, client_secret).toString('base64url')
  await store.commit(() =>
    runAll([
      insert('accounts', { id: account_id, name: trimmed, mode: mode === 'test' ? mode : null, created_at }),
      insert('clients', { id: client_id, account_id, secret_hmac, created_at, revoked_at: null }),
    ]),
  )
  return { account_id, client_id, client_secret }
}

/** The client of an id, or null: unknown, revoked or no id at all. */
export const findClient = async (store: Store, client_id: string): Promise<Client | null> => {
  if (!isId(client_id)) return null
  const sql = `SELECT c.account_id, c.secret_hmac FROM clients c JOIN accounts a ON a.id = c.account_id
    WHERE c.id = ? AND c.revoked_at IS NULL`
  const row = await readFirst(store, { sql, values: [client_id] })
  return row === null ? null : { client_id, account_id: text(row, 'account_id'), secret_hmac: text(row, 'secret_hmac') }
}
