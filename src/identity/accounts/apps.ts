import { run, type Store, selectFirst, type Unit } from 'durable-xstate-sql'
import { type CommitRecord, listColumns, recordNothing } from 'durable-xstate-sql/sql'
import { ApiError } from '../../base/api_error.ts'
import type { ServiceKeys } from '../../base/encryption.ts'
import type { AccountApps } from '../../database/apps.ts'
import { deriveRowKey } from '../../database/row_mac.ts'
import { columnsOf } from '../../database/schema.ts'
import { accountMacNames, computeAccountMac } from '../row_macs.ts'

const maxApps = 50

/**
 * One Android app as `package=SHA-256`: in hex, with colons or without, as `keytool` and `apksigner` print it.
 * @throws {ApiError} `invalid_field`
 */
export function parseAndroidApp(text: string): AccountApps['android'][number] {
  const [, name, digits] = /^([A-Za-z]\w*(?:\.[A-Za-z]\w*)+)=([0-9A-Fa-f:]+)$/.exec(text) ?? []
  const signer = digits?.replaceAll(':', '').toLowerCase()
  if (name === undefined || signer?.length !== 64)
    throw new ApiError('invalid_field', 'android: must be PACKAGE=SHA-256 of the signing certificate, in hex')
  return { package: name, signer }
}

/** @throws {ApiError} `invalid_field` */
export function parseAppleApp(text: string): string {
  if (!/^[A-Z0-9]{10}\.[A-Za-z0-9.-]{1,155}$/.test(text))
    throw new ApiError('invalid_field', 'ios: must be TEAM.bundle, such as ABCDE12345.org.example.app')
  return text
}

const columns = columnsOf('accounts', ...accountMacNames, 'mac')

/** Names the apps of an account, in place of those that it named. Without any, no app is another's. @throws {ApiError} `not_found`, `invalid_field` */
export async function setApps(
  { store, serviceKeys }: { readonly store: Store; readonly serviceKeys: ServiceKeys },
  account_id: string,
  apps: AccountApps,
  record: CommitRecord = recordNothing,
): Promise<void> {
  if (apps.android.length + apps.ios.length > maxApps)
    throw new ApiError('invalid_field', `apps: must be at most ${maxApps}`)
  const isEmpty = apps.android.length + apps.ios.length === 0
  const rowKey = deriveRowKey(serviceKeys)
  const select = `SELECT ${listColumns(columns)} FROM accounts WHERE id = ?${store.dialect.forUpdate}`
  await store.commit(function* (): Unit<void> {
    const row = yield* selectFirst({ sql: select, values: [account_id], columns })
    if (row === null) throw new ApiError('not_found', 'account_id: not found')
    const changed = { ...row, apps: isEmpty ? null : JSON.stringify(apps) }
    // A row that something else has changed before stays noticed.
    const mac = row.mac === computeAccountMac(rowKey, row) ? computeAccountMac(rowKey, changed) : row.mac
    yield* run({ sql: 'UPDATE accounts SET apps = ?, mac = ? WHERE id = ?', values: [changed.apps, mac, account_id] })
    yield* record()
  })
}
