import type { Command } from 'commander'
import { readAll, readFirst, type Store } from 'durable-xstate-sql'
import { listColumns, type Value } from 'durable-xstate-sql/sql'
import { ApiError } from '../base/api_error.ts'
import { isoTimestamp } from '../base/clock.ts'
import { type ColumnName, columnsOf, type TableName } from '../database/schema.ts'
import { tables } from '../database/tables.ts'
import { parseIdArgument, type Shell } from './command.ts'

/** The columns of a table that are listed: nothing that is encrypted, and nothing secret. */
interface Listing {
  readonly table: TableName
  readonly columns: readonly string[]
  /** The name of the id in the API. */
  readonly id: string
  /** The columns that it can be filtered by, with the option of each. */
  readonly filters: Readonly<Record<string, string>>
}

function define<const T extends TableName>(
  table: T,
  id: string,
  columns: readonly ColumnName<T>[],
  filters: Readonly<Record<string, ColumnName<T>>>,
): Listing {
  return { table, id, columns, filters }
}

const stages = ['initiated_at', 'completed_at', 'processing_at', 'finished_at', 'expires_at'] as const

const listings = {
  customer: define('customers', 'customer_id', ['id', 'account_id', 'face_transaction_id', 'created_at'], {
    account: 'account_id',
  }),
  transaction: define(
    'transactions',
    'transaction_id',
    [
      ...(['id', 'account_id', 'customer_id', 'transaction_type', 'status', 'decision'] as const),
      ...(['chart_version', 'version', 'erasure_id', 'created_at'] as const),
      ...stages,
    ],
    { account: 'account_id', customer: 'customer_id', status: 'status' },
  ),
  capture: define(
    'captures',
    'capture_id',
    ['id', 'account_id', 'transaction_id', 'kind', 'media_type', 'byte_count', 'created_at'],
    { account: 'account_id', transaction: 'transaction_id' },
  ),
  erasure: define(
    'erasures',
    'erasure_id',
    ['id', 'account_id', 'subject', 'subject_id', 'erased_by', 'erased_at', 'completed_at'],
    { account: 'account_id' },
  ),
  session: define(
    'operator_sessions',
    'session_id',
    ['id', 'operator_id', 'created_at', 'last_seen_at', 'address', 'user_agent'],
    { operator: 'operator_id' },
  ),
} as const satisfies Readonly<Record<string, Listing>>

/** A row as a command prints it. */
type Listed = Readonly<Record<string, Value>>

function toListed({ table, id }: Listing, row: Readonly<Record<string, Value>>): Listed {
  const columns: Readonly<Record<string, string>> = tables[table].columns
  const isInstant = (name: string): boolean => columns[name]?.startsWith('instant') === true
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name === 'id' ? id : name,
      typeof value === 'number' && isInstant(name) ? isoTimestamp(value) : value,
    ]),
  )
}

function toColumns({ table, columns }: Listing) {
  return columnsOf(table, ...(columns as ColumnName<typeof table>[]))
}

const pageRows = 500

/** Rows by id, the oldest first, a page at a time; `given` has the values of the filters. */
async function* findRows(
  store: Store,
  listing: Listing,
  given: Readonly<Record<string, string>>,
): AsyncGenerator<Listed> {
  const columns = toColumns(listing)
  const filters = Object.entries(listing.filters).filter(([option]) => given[option] !== undefined)
  const where = ['id > ?', ...filters.map(([, column]) => `${column} = ?`)].join(' AND ')
  const sql = `SELECT ${listColumns(columns)} FROM ${listing.table} WHERE ${where} ORDER BY id LIMIT ${pageRows}`
  const wanted = filters.map(([option]) => given[option] ?? '')
  for (let after = ''; ; ) {
    const rows: readonly Listed[] = await readAll(store, { sql, values: [after, ...wanted], columns })
    for (const row of rows) yield toListed(listing, row)
    if (rows.length < pageRows) return
    after = String(rows.at(-1)?.id)
  }
}

async function readRow(store: Store, listing: Listing, id: string): Promise<Listed> {
  const columns = toColumns(listing)
  const sql = `SELECT ${listColumns(columns)} FROM ${listing.table} WHERE id = ?`
  const row: Listed | null = await readFirst(store, { sql, values: [id], columns })
  if (row === null) throw new ApiError('not_found', `${listing.id}: not found`)
  return toListed(listing, row)
}

function findGroup(program: Command, name: string, description: string): Command {
  return program.commands.find(command => command.name() === name) ?? program.command(name).description(description)
}

function addListing(program: Command, shell: Shell, name: keyof typeof listings): void {
  const { print, printJson, withDatabase } = shell
  const listing: Listing = listings[name]
  const group = findGroup(program, name, `list and show ${name}s`)
  const list = group.command('list').description(`list ${name}s, the oldest first, one JSON object a line`)
  for (const option of Object.keys(listing.filters))
    if (option === 'status') list.option('--status <status>', 'with this status')
    else list.option(`--${option} <id>`, `of this ${option}`, parseIdArgument)
  list.action((given: Readonly<Record<string, string>>) =>
    withDatabase(async ({ store }) => {
      for await (const row of findRows(store, listing, given)) print(JSON.stringify(row))
    }),
  )
  group
    .command('show')
    .description(`show one ${name} as JSON: what is neither personal nor secret`)
    .argument(`<${listing.id}>`, `id of the ${name}`, parseIdArgument)
    .action((id: string) => withDatabase(async ({ store }) => printJson(await readRow(store, listing, id))))
}

/** Adds the `list` and `show` commands. Personal data is shown only in the console, which logs each access. */
export function addListings(program: Command, shell: Shell): void {
  for (const name of Object.keys(listings) as (keyof typeof listings)[]) addListing(program, shell, name)
}
