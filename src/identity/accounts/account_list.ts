import { readAll, readFirst, type Store } from 'durable-xstate-sql'
import type { RowOf } from 'durable-xstate-sql/sql'
import { ApiError } from '../../base/api_error.ts'
import { isoTimestamp, toTimestamp } from '../../base/clock.ts'
import { mapValues } from '../../base/collections.ts'
import { readApps } from '../../database/apps.ts'
import { columnsOf } from '../../database/schema.ts'
import { featureSwitches, selectSwitches, switchColumns } from '../../features.ts'
import { toMode } from './accounts.ts'

const accountColumns = {
  ...columnsOf('accounts', 'id', 'name', 'mode', 'review', 'resubmission', 'signed_captures', 'apps', 'created_at'),
  ...switchColumns,
} as const

const selectAccounts = `SELECT id, name, mode, review, resubmission, signed_captures, apps, created_at
  ${selectSwitches('accounts.id')} FROM accounts`

const clientColumns = columnsOf('clients', 'id', 'created_at', 'revoked_at')

/** An account as its operator sees it. */
function toAccountEntry(row: RowOf<typeof accountColumns>) {
  return {
    account_id: row.id,
    name: row.name,
    mode: toMode(row.mode),
    review: row.review === 'on',
    resubmission: row.resubmission === 'on',
    signed_captures: row.signed_captures === 'on',
    apps: readApps(row.apps),
    ...mapValues(featureSwitches, (_, name) => row[name] === 1),
    created_at: isoTimestamp(row.created_at),
  }
}

/** A client as its operator sees it; `revoked_at` is null while it may get tokens. Its secret is stored nowhere. */
function toClientEntry({ id, created_at, revoked_at }: RowOf<typeof clientColumns>) {
  return {
    client_id: id,
    created_at: isoTimestamp(created_at),
    revoked_at: toTimestamp(revoked_at),
  }
}

/** All accounts, the oldest first. */
export async function listAccounts(store: Store) {
  const sql = `${selectAccounts} ORDER BY id`
  return (await readAll(store, { sql, values: [], columns: accountColumns })).map(toAccountEntry)
}

/** @throws {ApiError} `not_found` */
export async function readAccount(store: Store, account_id: string) {
  const row = await readFirst(store, {
    sql: `${selectAccounts} WHERE id = ?`,
    values: [account_id],
    columns: accountColumns,
  })
  if (row === null) throw new ApiError('not_found', 'account_id: not found')
  return toAccountEntry(row)
}

/** The clients of an account, the oldest first, revoked ones too. @throws {ApiError} `not_found` */
export async function listClients(store: Store, account_id: string) {
  await readAccount(store, account_id)
  const sql = 'SELECT id, created_at, revoked_at FROM clients WHERE account_id = ? ORDER BY id'
  return (await readAll(store, { sql, values: [account_id], columns: clientColumns })).map(toClientEntry)
}
