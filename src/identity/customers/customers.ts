import { readFirst, runLater, type Statement, type Store, type Unit } from 'durable-xstate-sql'
import {
  type Dialect,
  listColumns,
  type Query,
  type RowOf,
  toNullableColumns,
  type WritesOf,
} from 'durable-xstate-sql/sql'
import { ApiError } from '../../base/api_error.ts'
import { type Clock, isoTimestamp } from '../../base/clock.ts'
import { decryptJson, deriveKey, encryptJson, hmac, type ServiceKeys } from '../../base/encryption.ts'
import { newId } from '../../base/ids.ts'
import { findPathRange, makePrefixPath } from '../../database/prefix_path.ts'
import { deriveRowKey } from '../../database/row_mac.ts'
import { columnsOf, insert } from '../../database/schema.ts'
import { computeCustomerMac, computeFaceMac } from '../row_macs.ts'
import { createCustomerKey, openCustomerKey } from './customer_key.ts'
import { touchCustomer } from './touch_customer.ts'

export interface CustomerDeps {
  readonly store: Store
  readonly clock: Clock
  readonly serviceKeys: ServiceKeys
}

/** The integrator's description of a person, validated. */
export interface CustomerProfile {
  readonly external_customer_id: string
  readonly email: string | null
  readonly phone_number: string | null
}

/** The response to Create customer, and whether this call created it. */
export interface CreatedCustomer {
  readonly customer: ReturnType<typeof toCustomer>
  readonly created: boolean
}

/** Additional data of an encrypted column, so that it decrypts nowhere else. */
export function customerAad(customer_id: string, column: 'profile' | 'face'): string {
  return `customers/${customer_id}/${column}`
}

/**
 * An external id may be personal data, so it is found by its HMAC, which is also independent of collations. Ids that differ
 * in how Unicode composes their letters only are one: two systems of an integrator may write them differently.
 */
function hashExternalId(serviceKeys: ServiceKeys, account_id: string, externalId: string): string {
  return hmac(deriveKey(serviceKeys.lookup, 'customer_lookup'), `${account_id}/${externalId.normalize('NFC')}`).digest(
    'base64url',
  )
}

function derivePathKey(serviceKeys: ServiceKeys): Uint8Array {
  return deriveKey(serviceKeys.lookup, 'customer_lookup_path')
}

/** The first and the last possible `lookup_path` of an account's external ids that begin so; null for too short ones. */
export function findExternalIdRange({ serviceKeys }: CustomerDeps, account_id: string, prefix: string) {
  return findPathRange(derivePathKey(serviceKeys), account_id, prefix)
}

export const customerColumns = columnsOf('customers', 'id', 'data_key', 'profile', 'created_at')

type CustomerRow = RowOf<typeof customerColumns>

export function decryptProfile(
  serviceKeys: ServiceKeys,
  row: Pick<CustomerRow, 'id' | 'data_key' | 'profile'>,
): CustomerProfile {
  const id = row.id
  const key = openCustomerKey(serviceKeys, id, row.data_key)
  return decryptJson<CustomerProfile>(key, customerAad(id, 'profile'), row.profile)
}

/** In practice, letter case does not matter in email addresses. */
function isSame(one: CustomerProfile, other: CustomerProfile): boolean {
  return one.email?.toLowerCase() === other.email?.toLowerCase() && one.phone_number === other.phone_number
}

function toCustomer(external_customer_id: string, customer_id: string, created_at: number) {
  return { external_customer_id, customer_id, created_at: isoTimestamp(created_at) }
}

function selectCustomer(account_id: string, customer_id: string): Query<typeof customerColumns> {
  return {
    sql: `SELECT ${listColumns(customerColumns)} FROM customers WHERE id = ? AND account_id = ?`,
    values: [customer_id, account_id],
    columns: customerColumns,
  }
}

function selectByExternalId(
  serviceKeys: ServiceKeys,
  account_id: string,
  external_customer_id: string,
): Query<typeof customerColumns> {
  return {
    sql: `SELECT ${listColumns(customerColumns)} FROM customers WHERE account_id = ? AND lookup = ?`,
    values: [account_id, hashExternalId(serviceKeys, account_id, external_customer_id)],
    columns: customerColumns,
  }
}

const existingColumns = {
  ...columnsOf('accounts', 'clock_offset_ms'),
  ...toNullableColumns({ customer_id: customerColumns.id }),
} as const

/**
 * Finds the customer of an external id, and the time of the account's own clock, which a test account may have advanced.
 * The same data is a retried call, other data a conflict.
 */
async function findExisting(
  { store, clock, serviceKeys }: CustomerDeps,
  account_id: string,
  profile: CustomerProfile,
): Promise<{ readonly existing: CreatedCustomer | null; readonly now: number }> {
  const { external_customer_id } = profile
  const sql = `SELECT (SELECT clock_offset_ms FROM accounts WHERE id = ?) AS clock_offset_ms,
    (SELECT id FROM customers WHERE account_id = ? AND lookup = ?) AS customer_id`
  const values = [account_id, account_id, hashExternalId(serviceKeys, account_id, external_customer_id)]
  const found = await readFirst(store, { sql, values, columns: existingColumns })
  const now = clock.now() + (found?.clock_offset_ms ?? 0)
  const customer_id = found?.customer_id ?? null
  const row = customer_id === null ? null : await readFirst(store, selectCustomer(account_id, customer_id))
  if (row === null) return { existing: null, now }
  if (!isSame(decryptProfile(serviceKeys, row), profile))
    throw new ApiError('conflict', `external_customer_id: already registered, with other data, as ${row.id}`)
  return { existing: { customer: toCustomer(external_customer_id, row.id, row.created_at), created: false }, now }
}

interface NewCustomer {
  readonly account_id: string
  readonly profile: CustomerProfile
  readonly created_at: number
}

async function insertCustomer(
  { store, serviceKeys }: CustomerDeps,
  { account_id, profile, created_at }: NewCustomer,
  writes: WritesOf<CreatedCustomer>,
): Promise<CreatedCustomer> {
  const id = newId()
  const { key, data_key } = createCustomerKey(serviceKeys, id)
  const row = {
    id,
    account_id,
    lookup: hashExternalId(serviceKeys, account_id, profile.external_customer_id),
    lookup_path: makePrefixPath(derivePathKey(serviceKeys), account_id, profile.external_customer_id),
    profile: encryptJson(key, customerAad(id, 'profile'), profile),
    data_key,
    face: null,
    face_transaction_id: null,
    created_at,
  }
  const rowKey = deriveRowKey(serviceKeys)
  const macs = { mac: computeCustomerMac(rowKey, row), face_mac: computeFaceMac(rowKey, row) }
  const created = { customer: toCustomer(profile.external_customer_id, id, created_at), created: true }
  await store.commit(() => runLater([...writes(created), insert('customers', { ...row, ...macs })]))
  return created
}

/** False if the customer is gone. */
function* writeForCustomer(
  dialect: Dialect,
  { customer }: CreatedCustomer,
  statements: readonly Statement[],
): Unit<boolean> {
  const isPresent = yield* touchCustomer(dialect, customer.customer_id)
  if (isPresent) yield* runLater(statements)
  return isPresent
}

/**
 * Registers a person once. Of concurrent calls with one external id, the unique index lets one create the customer, and
 * the others find it. `writes` are committed in either case.
 * @throws {ApiError} `conflict` for an external id with other data
 */
export async function createCustomer(
  deps: CustomerDeps,
  account_id: string,
  profile: CustomerProfile,
  writes: WritesOf<CreatedCustomer> = () => [],
): Promise<CreatedCustomer> {
  const commitWrites = async (existing: CreatedCustomer): Promise<CreatedCustomer> => {
    const statements = writes(existing)
    if (statements.length === 0) return existing
    const isPresent = await deps.store.commit(() => writeForCustomer(deps.store.dialect, existing, statements))
    // It was erased in between, so this call creates a new customer.
    return isPresent ? existing : createCustomer(deps, account_id, profile, writes)
  }
  const { existing, now } = await findExisting(deps, account_id, profile)
  if (existing !== null) return commitWrites(existing)
  try {
    return await insertCustomer(deps, { account_id, profile, created_at: now }, writes)
  } catch (error) {
    const winner = deps.store.dialect.isDuplicate(error) ? await findExisting(deps, account_id, profile) : null
    if (winner?.existing == null) throw error
    return commitWrites(winner.existing)
  }
}

export type CustomerView = CustomerProfile & CreatedCustomer['customer']

export function toCustomerView(serviceKeys: ServiceKeys, row: CustomerRow): CustomerView {
  const profile = decryptProfile(serviceKeys, row)
  return { ...profile, ...toCustomer(profile.external_customer_id, row.id, row.created_at) }
}

/** @throws {ApiError} `not_found` for an unknown id, and for another account's */
export async function readCustomer(
  { store, serviceKeys }: CustomerDeps,
  account_id: string,
  customer_id: string,
): Promise<CustomerView> {
  const row = await readFirst(store, selectCustomer(account_id, customer_id))
  if (row === null) throw new ApiError('not_found', 'customer_id: not found')
  return toCustomerView(serviceKeys, row)
}

/** Finds a customer by the integrator's own id. @throws {ApiError} `not_found` */
export async function findCustomer(
  { store, serviceKeys }: CustomerDeps,
  account_id: string,
  external_customer_id: string,
): Promise<CustomerView> {
  const row = await readFirst(store, selectByExternalId(serviceKeys, account_id, external_customer_id))
  if (row === null) throw new ApiError('not_found', 'external_customer_id: not found')
  return toCustomerView(serviceKeys, row)
}
