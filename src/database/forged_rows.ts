import { readAll, type Store } from 'durable-xstate-sql'
import type { Value } from 'durable-xstate-sql/sql'
import { computeRowMac } from './row_mac.ts'
import { columnsOf, type TableRow } from './schema.ts'

/** The columns that `mac` covers, of rows that decide something and that neither a journal nor a key of their own covers. */
const covered = {
  /** They decide which device may capture. */
  handoffs: ['code_hash', 'account_id', 'transaction_id', 'expires_at', 'token_hash', 'device'],
  /** The keys that receivers verify by. The private key is encrypted for its row, and again when the root key is replaced. */
  signing_keys: ['id', 'purpose', 'algorithm', 'public_jwk', 'created_at', 'active_at', 'retired_at'],
  /** They decide which states' signatures count. */
  trust_anchors: ['fingerprint', 'kind', 'country', 'subject', 'valid_until', 'imported_at', 'der', 'may_sign'],
} as const satisfies { readonly [N in 'handoffs' | 'signing_keys' | 'trust_anchors']: readonly (keyof TableRow<N>)[] }

type CoveredTable = keyof typeof covered

/** The columns that `mac` covers. Those that are absent are null. */
type Covered<N extends CoveredTable> = {
  readonly [C in keyof TableRow<N> & (typeof covered)[N][number]]: TableRow<N>[C]
}

/** `mac` of a row. */
export function computeCoveredMac<N extends CoveredTable>(rowKey: Uint8Array, table: N, row: Covered<N>): string {
  const values = row as unknown as Readonly<Record<string, Value>>
  return computeRowMac(
    rowKey,
    table,
    covered[table].map(name => values[name] ?? null),
  )
}

const forged = 'was added or changed by something else'

const keyColumns = columnsOf('signing_keys', ...covered.signing_keys, 'mac')
const anchorColumns = columnsOf('trust_anchors', ...covered.trust_anchors, 'mac')
const handoffColumns = columnsOf('handoffs', ...covered.handoffs, 'mac')

/** Lists, in words, the keys, certificates of states and hand-offs that something other than the service wrote. */
export async function findForgedRows(store: Store, rowKey: Uint8Array): Promise<readonly string[]> {
  const select = (table: CoveredTable) => ({
    sql: `SELECT ${[...covered[table], 'mac'].join(', ')} FROM ${table}`,
    values: [],
  })
  const keys = await readAll(store, { ...select('signing_keys'), columns: keyColumns })
  const anchors = await readAll(store, { ...select('trust_anchors'), columns: anchorColumns })
  const handoffs = await readAll(store, { ...select('handoffs'), columns: handoffColumns })
  return [
    ...keys
      .filter(row => row.mac !== computeCoveredMac(rowKey, 'signing_keys', row))
      .map(({ id }) => `signing key ${id}: ${forged}`),
    ...anchors
      .filter(row => row.mac !== computeCoveredMac(rowKey, 'trust_anchors', row))
      .map(({ fingerprint }) => `trust anchor ${fingerprint}: ${forged}`),
    ...handoffs
      .filter(row => row.mac !== computeCoveredMac(rowKey, 'handoffs', row))
      .map(({ transaction_id }) => `hand-off of transaction ${transaction_id}: ${forged}`),
  ]
}
