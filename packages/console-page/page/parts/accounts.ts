import { get } from '../api.ts'
import type { Account } from '../shapes.ts'
import { any, type Option, select } from './form.ts'

/** A choice of the accounts by name; `none` stands for no choice. */
export async function accountSelect(
  chosen: string | null,
  signal: AbortSignal,
  none = any,
): Promise<HTMLSelectElement> {
  const { data } = await get<{ data: readonly Account[] }>('/account', {}, signal)
  const accounts = data.toSorted((a, b) => a.name.localeCompare(b.name))
  const options = accounts.map(({ account_id, name }): Option => [account_id, name])
  return select('account_id', [none, ...options], chosen ?? '')
}
