import { readAll, type Store } from 'durable-xstate-sql'
import type { RowOf, Value } from 'durable-xstate-sql/sql'
import { sha256 } from '../base/ids.ts'
import { computeRowMac } from './row_mac.ts'
import { columnsOf, type TableRow } from './schema.ts'

/** The columns that `mac` covers, of rows that decide something and that neither a journal nor a key of their own covers. */
const covered = {
  /** They decide which device may capture. */
  handoffs: ['code_hash', 'account_id', 'transaction_id', 'expires_at', 'token_hash', 'device'],
  /** They decide which receivers get nothing. The id is made from the account and the origin. */
  origins: ['id', 'paused_at', 'paused_by'],
  /** The keys that receivers verify by. The private key is encrypted for its row, and again when the root key is replaced. */
  signing_keys: ['id', 'purpose', 'algorithm', 'public_jwk', 'created_at', 'active_at', 'retired_at'],
  /** They decide which states' signatures count. */
  trust_anchors: ['fingerprint', 'kind', 'country', 'subject', 'valid_until', 'imported_at', 'der', 'may_sign'],
} as const satisfies {
  readonly [N in 'handoffs' | 'origins' | 'signing_keys' | 'trust_anchors']: readonly (keyof TableRow<N>)[]
}

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

/** Identifies an account's origin; sorts by account. 69 characters. */
export function makeOriginId({ account_id, origin }: Pick<TableRow<'origins'>, 'account_id' | 'origin'>): string {
  return `${account_id}/${sha256(origin).slice(0, 32)}`
}

const forged = 'was added or changed by something else'

const keyColumns = columnsOf('signing_keys', ...covered.signing_keys, 'mac')
const anchorColumns = columnsOf('trust_anchors', ...covered.trust_anchors, 'mac')
/** The columns that an origin's MAC is checked with. */
export const originMacColumns = columnsOf('origins', ...covered.origins, 'account_id', 'origin', 'mac')

/**
 * Returns in words whether something other than the service has paused the origin, ended its pause, or renamed it; null
 * for no.
 */
export function findForgedPause(rowKey: Uint8Array, row: RowOf<typeof originMacColumns>): string | null {
  const isSound = row.mac === computeCoveredMac(rowKey, 'origins', row) && row.id === makeOriginId(row)
  return isSound ? null : `origin ${row.id}: ${forged}`
}

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
