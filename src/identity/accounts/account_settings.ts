import type { AccountLook } from '@attestor/capture-page'
import type { FraudPolicy } from '@attestor/rules'
import { readFirst, run, type Store, selectFirst, type Unit } from 'durable-xstate-sql'
import { type CommitRecord, listColumns, recordNothing } from 'durable-xstate-sql/sql'
import { ApiError } from '../../base/api_error.ts'
import { deriveRowKey } from '../../database/row_mac.ts'
import { columnsOf, insert } from '../../database/schema.ts'
import { computeSettingsMac } from '../row_macs.ts'
import type { AccountDeps } from './accounts.ts'

/** An operator's settings for an account, as they are stored. */
export interface AccountSettings {
  /** Null: the pages look as the operator's. */
  readonly branding: AccountLook | null
  /** The policy of transactions without one of their own; null: the service's defaults. */
  readonly fraud_policy: FraudPolicy | null
  /** The origins to which webhooks of transactions may go; null: any. */
  readonly webhook_origins: readonly string[] | null
}

const noSettings: AccountSettings = { branding: null, fraud_policy: null, webhook_origins: null }

/** The `settings` column; null without a row. */
export function parseSettings(stored: string | null): AccountSettings {
  return stored === null ? noSettings : (JSON.parse(stored) as AccountSettings)
}

const columns = columnsOf('account_settings', 'id', 'version', 'settings', 'logo', 'mac')
const selectSettings = `SELECT ${listColumns(columns)} FROM account_settings WHERE id = ?`

/** Version 0 where nothing was set. */
export async function readAccountSettings(store: Store, account_id: string) {
  const row = await readFirst(store, { sql: selectSettings, values: [account_id], columns })
  const logo = row?.logo ?? null
  return {
    ...parseSettings(row?.settings ?? null),
    version: row?.version ?? 0,
    logo: logo === null ? null : Buffer.from(logo),
  }
}

/** Members that stay as they are are absent; null removes a logo. */
export interface SettingsChange extends Partial<AccountSettings> {
  readonly logo?: Uint8Array | null
}

/** Changes settings, for transactions and pages from then on. @throws {ApiError} `not_found` */
export async function changeAccountSettings(
  { store, serviceKeys }: Pick<AccountDeps, 'store' | 'serviceKeys'>,
  account_id: string,
  change: SettingsChange,
  record: CommitRecord = recordNothing,
): Promise<void> {
  const rowKey = deriveRowKey(serviceKeys)
  const lock = `SELECT id FROM accounts WHERE id = ?${store.dialect.forUpdate}`
  await store.commit(function* (): Unit<void> {
    // The lock on the account's row makes the second of two concurrent calls keep the changes of the first.
    const account = yield* selectFirst({ sql: lock, values: [account_id], columns: columnsOf('accounts', 'id') })
    if (account === null) throw new ApiError('not_found', 'account_id: not found')
    const before = yield* selectFirst({ sql: selectSettings, values: [account_id], columns })
    const { logo = before?.logo ?? null, ...settings } = change
    const row = {
      id: account_id,
      version: (before?.version ?? 0) + 1,
      settings: JSON.stringify({ ...parseSettings(before?.settings ?? null), ...settings }),
      logo,
    }
    // A row that something else has changed before stays noticed.
    const isSound = before === null || before.mac === computeSettingsMac(rowKey, before)
    const mac = isSound ? computeSettingsMac(rowKey, row) : before.mac
    yield* run(
      before === null
        ? insert('account_settings', { ...row, mac })
        : {
            sql: 'UPDATE account_settings SET version = ?, settings = ?, logo = ?, mac = ? WHERE id = ?',
            values: [row.version, row.settings, row.logo, mac, account_id],
          },
    )
    yield* record()
  })
}
