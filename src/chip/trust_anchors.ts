import { countryCodes } from '@attestor/rules'
import { readAll, type Store } from 'durable-xstate-sql'
import { columnsOf, type TableRow } from '../database/schema.ts'
import type { TrustAnchorKind } from '../database/words.ts'

/** Chips are verified by these; certificates for other uses stand beside them. */
const chipAnchorKinds = ['ROOT', 'LINK', 'SIGNER', 'REVOCATION_LIST'] as const

export type ChipAnchorKind = (typeof chipAnchorKinds)[number]

export function isForChips(kind: TrustAnchorKind): kind is ChipAnchorKind {
  return chipAnchorKinds.some(one => one === kind)
}

const shownColumns = columnsOf(
  'trust_anchors',
  'fingerprint',
  'kind',
  'country',
  'subject',
  'valid_until',
  'imported_at',
  'may_sign',
)

/** A certificate or revocation list as operators see it. */
export type TrustAnchorView = Omit<TableRow<'trust_anchors'>, 'der' | 'mac'>

export function listTrustAnchors(store: Store): Promise<readonly TrustAnchorView[]> {
  const sql = `SELECT ${Object.keys(shownColumns).join(', ')} FROM trust_anchors ORDER BY country, kind, subject, fingerprint`
  return readAll(store, { sql, values: [], columns: shownColumns })
}

const counted = {
  ...columnsOf('trust_anchors', 'country', 'kind', 'valid_until', 'imported_at'),
  many: 'count',
} as const

const summarise = `SELECT country, kind, MAX(valid_until) AS valid_until, MAX(imported_at) AS imported_at, COUNT(*) AS many
  FROM trust_anchors GROUP BY country, kind ORDER BY country, kind`

/**
 * Counts the imports by country. `valid_until` is the end of its last root, null without one; `imported_at` is the
 * newest import.
 */
export async function summariseTrustAnchors(store: Store) {
  const rows = await readAll(store, { sql: summarise, values: [], columns: counted })
  return [...Map.groupBy(rows, ({ country }) => country)].map(([country, of]) => ({
    country,
    counts: {
      ROOT: 0,
      LINK: 0,
      SIGNER: 0,
      REVOCATION_LIST: 0,
      ...Object.fromEntries(of.map(({ kind, many }) => [kind, many])),
    },
    valid_until: of.find(({ kind }) => kind === 'ROOT')?.valid_until ?? null,
    imported_at: Math.max(...of.map(({ imported_at }) => imported_at)),
  }))
}

/** The countries whose chips cannot pass. */
export function listStatesWithoutRoot(countriesWithRoot: readonly string[]): readonly string[] {
  return countryCodes.filter(code => !countriesWithRoot.includes(code))
}
