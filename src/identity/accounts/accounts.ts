import { timingSafeEqual } from 'node:crypto'
import { readFirst, run, runAll, type Statement, type Store, selectFirst, type Unit } from 'durable-xstate-sql'
import { type CommitRecord, listColumns, recordNothing, rowExists } from 'durable-xstate-sql/sql'
import { ApiError } from '../../base/api_error.ts'
import type { Clock } from '../../base/clock.ts'
import { deriveKey, hmac, type ServiceKeys } from '../../base/encryption.ts'
import { newId, newSecret, parseId } from '../../base/ids.ts'
import { deriveRowKey } from '../../database/row_mac.ts'
import { columnsOf, insert, type TableRow } from '../../database/schema.ts'
import { type FeatureSwitch, featureSwitches, featureSwitchNames } from '../../features.ts'
import { accountMacNames, computeAccountMac, computeClientMac } from '../row_macs.ts'

export interface AccountDeps {
  readonly store: Store
  readonly clock: Clock
  readonly serviceKeys: ServiceKeys
}

/** A `test` account's transactions may be scripted and its clock advanced: its results are about no real person. */
export type AccountMode = 'live' | 'test'

export function toMode(stored: TableRow<'accounts'>['mode']): AccountMode {
  return stored ?? 'live'
}

/** The secret is shown once: only its HMAC is stored. */
export interface NewAccount {
  readonly account_id: string
  readonly client_id: string
  readonly client_secret: string
}

/** An OAuth client as it is stored. */
export interface Client {
  readonly client_id: string
  readonly account_id: string
  readonly secret_hmac: string
}

function computeSecretHmac(serviceKeys: ServiceKeys, secret: string): Buffer {
  return hmac(deriveKey(serviceKeys.lookup, 'client_secret'), secret).digest()
}

/** Compares in constant time. */
export function isClientSecret(serviceKeys: ServiceKeys, secret: string, stored: string): boolean {
  const expected = Buffer.from(stored, 'base64url')
  const given = computeSecretHmac(serviceKeys, secret)
  return expected.length === given.length && timingSafeEqual(expected, given)
}

function prepareClient(
  { clock, serviceKeys }: AccountDeps,
  account_id: string,
): { readonly credentials: NewAccount; readonly insertion: Statement } {
  const client_id = newId()
  const client_secret = newSecret()
  const secret_hmac = computeSecretHmac(serviceKeys, client_secret).toString('base64url')
  const client = { id: client_id, account_id, secret_hmac, created_at: clock.now(), revoked_at: null }
  const mac = computeClientMac(deriveRowKey(serviceKeys), client)
  return { credentials: { account_id, client_id, client_secret }, insertion: insert('clients', { ...client, mac }) }
}

const maxNameLength = 255

/** Creates an account with its first client, and `record` in the same commit. @throws {ApiError} `invalid_field` */
export async function createAccount(
  { store, clock, serviceKeys }: AccountDeps,
  { name, mode = 'live', review = false }: { name: string; mode?: AccountMode; review?: boolean },
  record: CommitRecord<NewAccount> = recordNothing,
): Promise<NewAccount> {
  const trimmed = name.trim()
  const length = [...trimmed].length
  if (length === 0 || length > maxNameLength || !trimmed.isWellFormed())
    throw new ApiError('invalid_field', 'name: must be 1 to 255 characters')
  const account_id = newId()
  const { credentials, insertion } = prepareClient({ store, clock, serviceKeys }, account_id)
  const row = {
    id: account_id,
    name: trimmed,
    mode: mode === 'test' ? mode : null,
    review: review ? ('on' as const) : null,
    resubmission: null,
    signed_captures: null,
    apps: null,
    created_at: clock.now(),
  }
  const account = insert('accounts', { ...row, mac: computeAccountMac(deriveRowKey(serviceKeys), row) })
  await store.commit(function* (): Unit<void> {
    yield* runAll([account, insertion])
    yield* record(credentials)
  })
  return credentials
}

/** @throws {ApiError} `not_found` */
async function requireAccount(store: Store, account_id: string): Promise<void> {
  if (!(await rowExists(store, { sql: 'SELECT id FROM accounts WHERE id = ?', values: [account_id] })))
    throw new ApiError('not_found', 'account_id: not found')
}

const ownSwitches = ['review', 'resubmission', 'signed_captures'] as const

/** The switches of an account, for transactions opened from then on. */
export const accountSwitches = [...ownSwitches, ...featureSwitchNames] as const

export type AccountSwitch = (typeof accountSwitches)[number]

function isOfFeature(name: AccountSwitch): name is FeatureSwitch {
  return name in featureSwitches
}

const switchedColumns = columnsOf('accounts', ...accountMacNames, 'mac')

/** @throws {ApiError} `not_found` */
export async function switchAccount(
  { store, serviceKeys }: Pick<AccountDeps, 'store' | 'serviceKeys'>,
  account_id: string,
  name: AccountSwitch,
  on: boolean,
  record: CommitRecord = recordNothing,
): Promise<void> {
  if (isOfFeature(name)) {
    await requireAccount(store, account_id)
    return featureSwitches[name].set({ store, serviceKeys }, account_id, on, record)
  }
  const select = `SELECT ${listColumns(switchedColumns)} FROM accounts WHERE id = ?${store.dialect.forUpdate}`
  const update = `UPDATE accounts SET ${name} = ?, mac = ? WHERE id = ?`
  const rowKey = deriveRowKey(serviceKeys)
  await store.commit(function* (): Unit<void> {
    const row = yield* selectFirst({ sql: select, values: [account_id], columns: switchedColumns })
    if (row === null) throw new ApiError('not_found', 'account_id: not found')
    const changed = { ...row, [name]: on ? 'on' : null }
    // A row that something else has changed before stays noticed.
    const mac = row.mac === computeAccountMac(rowKey, row) ? computeAccountMac(rowKey, changed) : row.mac
    yield* run({ sql: update, values: [changed[name], mac, account_id] })
    yield* record()
  })
}

/** Creates a further client, so that a secret can be changed without a gap. @throws {ApiError} `not_found` */
export async function createClient(
  deps: AccountDeps,
  account_id: string,
  record: CommitRecord<NewAccount> = recordNothing,
): Promise<NewAccount> {
  await requireAccount(deps.store, account_id)
  const { credentials, insertion } = prepareClient(deps, account_id)
  await deps.store.commit(function* (): Unit<void> {
    yield* run(insertion)
    yield* record(credentials)
  })
  return credentials
}

/**
 * A revoked client gets no token, and those that it has are good for a minute at most. Repeating it changes nothing.
 * @throws {ApiError} `not_found`
 */
export async function revokeClient(
  { store, clock, serviceKeys }: AccountDeps,
  client_id: string,
  record: CommitRecord<Pick<Client, 'client_id' | 'account_id'>> = recordNothing,
): Promise<Pick<Client, 'account_id'>> {
  const query = {
    sql: 'SELECT id, account_id, secret_hmac, created_at FROM clients WHERE id = ?',
    values: [client_id],
    columns: columnsOf('clients', 'id', 'account_id', 'secret_hmac', 'created_at'),
  }
  const found = await readFirst(store, query)
  if (found === null) throw new ApiError('not_found', 'client_id: not found')
  const revoked_at = clock.now()
  const mac = computeClientMac(deriveRowKey(serviceKeys), { ...found, revoked_at })
  const sql = 'UPDATE clients SET revoked_at = ?, mac = ? WHERE id = ? AND revoked_at IS NULL'
  await store.commit(function* (): Unit<void> {
    const { changed } = yield* run({ sql, values: [revoked_at, mac, client_id] })
    if (changed === 1) yield* record({ client_id, account_id: found.account_id })
  })
  return { account_id: found.account_id }
}

/** Null where the id is unknown, revoked or malformed. */
export async function findClient(store: Store, givenId: string): Promise<Client | null> {
  const client_id = parseId(givenId)
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
