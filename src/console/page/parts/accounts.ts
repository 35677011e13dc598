import { get } from '../api.ts'
import { el } from '../dom.ts'
import type { Account } from '../shapes.ts'

/** The accounts by name. */
export async function loadAccounts(signal: AbortSignal): Promise<readonly Account[]> {
  const { data } = await get<{ data: Account[] }>('/account', {}, signal)
  return data.sort((a, b) => a.name.localeCompare(b.name))
}

export function accountOptions(accounts: readonly Account[], chosen: string): readonly HTMLElement[] {
  return [
    el('option', { value: '' }, 'Any'),
    ...accounts.map(({ account_id, name }) =>
      el('option', { value: account_id, selected: account_id === chosen }, name),
    ),
  ]
}
