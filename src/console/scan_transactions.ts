import { readAll, type Statement, type Store } from 'durable-xstate-sql'
import { type Dialect, listColumns, type RowOf, toPlaceholders, type Value } from 'durable-xstate-sql/sql'
import { columnsOf } from '../database/schema.ts'
import { type Order, selectListed } from '../verification/transactions/list_transactions.ts'
import type { SearchPlan, Target, TransactionSearch } from './find_transactions.ts'

/** The last row of a page: `at` is when it was created, or since when it awaits review. */
export interface Position {
  readonly at: number
  readonly id: string
}

/** `order` is by creation; transactions that await review always come the oldest first. */
export interface SearchPage {
  readonly after: Position | null
  readonly limit: number
  readonly order: Order
}

const columns = columnsOf(
  'transactions',
  ...(['id', 'account_id', 'status', 'decision', 'created_at', 'initiated_at', 'finished_at'] as const),
  'awaiting_review_since',
)

const scannedColumns = { ...columns, is_match: 'count' } as const

type ScannedRow = RowOf<typeof scannedColumns>

type Condition = readonly [sql: string, ...values: readonly Value[]]

function join(conditions: readonly Condition[]): Statement {
  return {
    sql: conditions.map(([sql]) => sql).join(' AND '),
    values: conditions.flatMap(([, ...values]) => values),
  }
}

/** Creates the search's further conditions on each row. Ids find erased transactions too. */
function createMatch(search: TransactionSearch, plan: SearchPlan): Statement {
  const { account_id, customer_id, transaction_type, status, decision, created_from, created_to } = search
  const equal = { account_id, customer_id, transaction_type }
  const among = { status, decision }
  return join([
    ['1 = 1'],
    ...(plan.by === 'prefix' ? [] : [['t.erasure_id IS NULL'] as const]),
    ...Object.entries(equal).flatMap(([column, value]) =>
      value === null ? [] : [[`t.${column} = ?`, value] as const],
    ),
    ...Object.entries(among).flatMap(([column, values]) =>
      values === null ? [] : [[`t.${column} IN (${toPlaceholders(values)})`, ...values] as const],
    ),
    ...(created_from === null ? [] : [['t.created_at >= ?', created_from] as const]),
    ...(created_to === null ? [] : [['t.created_at < ?', created_to] as const]),
  ])
}

/** Rows that are adjacent in an index: of a table `t` of transactions. */
interface Scan {
  readonly from: string
  readonly conditions: readonly Condition[]
  readonly orderBy: string
}

type ScanPlan = Exclude<SearchPlan, { by: 'lists' }>

function toScan({ account_id }: TransactionSearch, plan: ScanPlan, { after, order }: SearchPage): Scan {
  if (plan.by === 'review')
    return {
      from: 'transactions t',
      conditions: [
        after === null
          ? ['t.awaiting_review_since > 0']
          : // In this form both database engines seek directly in the index.
            [
              't.awaiting_review_since >= ? AND (t.awaiting_review_since > ? OR t.id > ?)',
              after.at,
              after.at,
              after.id,
            ],
      ],
      orderBy: 't.awaiting_review_since, t.id',
    }
  // Ids are in the order of creation.
  const [beyond, direction] = order === 'newest' ? ['<', 'DESC'] : ['>', 'ASC']
  const id = plan.by === 'issue' ? 'i.transaction_id' : 't.id'
  const further: readonly Condition[] = after === null ? [] : [[`${id} ${beyond} ?`, after.id]]
  const orderBy = `${id} ${direction}`
  if (plan.by === 'prefix')
    // All characters of an id are before `g`.
    return {
      from: 'transactions t',
      conditions: [['t.id >= ?', plan.prefix], ['t.id < ?', `${plan.prefix}g`], ...further],
      orderBy,
    }
  if (plan.by === 'ids')
    return {
      from: 'transactions t',
      conditions: [[`t.id IN (${toPlaceholders(plan.ids)})`, ...plan.ids], ...further],
      orderBy,
    }
  const ofAccount: readonly Condition[] = account_id === null ? [] : [['i.account_id = ?', account_id]]
  return {
    from: 'transaction_issues i JOIN transactions t ON t.id = i.transaction_id',
    conditions: [...ofAccount, ['i.code = ?', plan.issue], ...further],
    orderBy,
  }
}

function selectScan(search: TransactionSearch, plan: ScanPlan, page: SearchPage): Statement {
  const { from, conditions, orderBy } = toScan(search, plan, page)
  const match = createMatch(search, plan)
  const where = join(conditions)
  return {
    sql: `SELECT ${listColumns(columns, 't')}, CASE WHEN ${match.sql} THEN 1 ELSE 0 END AS is_match
      FROM ${from} WHERE ${where.sql} ORDER BY ${orderBy} LIMIT ${page.limit}`,
    values: [...match.values, ...where.values],
  }
}

/** So many rows of each list, which all match. Null without a list. */
function selectLists(dialect: Dialect, targets: readonly Target[], { after, ...page }: SearchPage): Statement | null {
  if (targets.length === 0) return null
  const from = after && { created_at: after.at, id: after.id }
  const lists = targets.map(({ account_id, filter }) =>
    selectListed(dialect, account_id, { filter, after: from, ...page }, listColumns(columns)),
  )
  // Without ALL: a customer's transaction may also be found by its reference.
  const union = lists.map(({ sql }, index) => `SELECT * FROM (${sql}) l${index}`).join(' UNION ')
  return {
    sql: `SELECT u.*, 1 AS is_match FROM (${union}) u`,
    values: lists.flatMap(({ values }) => [...values]),
  }
}

/** Selects the rows of a search, and which of them match; null where it can match none. Those of lists are in no order. */
export function selectRows(
  { dialect }: Store,
  search: TransactionSearch,
  plan: SearchPlan,
  page: SearchPage,
): Statement | null {
  return plan.by === 'lists' ? selectLists(dialect, plan.targets, page) : selectScan(search, plan, page)
}

export interface IdPage<P> {
  readonly ids: readonly string[]
  readonly next: P | null
}

/** Rows that one page looks at, so that none is slow. A page may hold few ids, or none, and still have a next one. */
const scannedRows = 2000

function compareCreation(one: ScannedRow, other: ScannedRow): number {
  return one.created_at - other.created_at || (one.id < other.id ? -1 : 1)
}

/** Finds a page of a search's results. */
export async function findPage(
  store: Store,
  search: TransactionSearch,
  plan: SearchPlan,
  page: SearchPage,
): Promise<IdPage<Position>> {
  const isListed = plan.by === 'lists'
  const limit = isListed ? page.limit + 1 : scannedRows
  const statement = selectRows(store, search, plan, { ...page, limit })
  if (statement === null) return { ids: [], next: null }
  const rows = await readAll(store, { ...statement, columns: scannedColumns })
  const matching = rows.filter(({ is_match }) => is_match === 1)
  if (isListed) matching.sort((one, other) => (page.order === 'oldest' ? 1 : -1) * compareCreation(one, other))
  const shown = matching.slice(0, page.limit)
  const last = matching.length > page.limit ? shown.at(-1) : rows[limit - 1]
  const at = plan.by === 'review' ? last?.awaiting_review_since : last?.created_at
  return {
    ids: shown.map(({ id }) => id),
    next: last === undefined ? null : { at: Number(at), id: last.id },
  }
}
