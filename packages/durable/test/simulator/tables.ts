import Database from 'better-sqlite3'
import { getColumnType, type Tables } from '../../store/columns.ts'
import { actorColumns, defineSchema, durableTables, journalColumns } from '../../store/tables.ts'

const tables = {
  ...durableTables,
  parcels: {
    columns: { ...actorColumns, ...journalColumns, ended_at: 'instant?' },
    indices: [['held_until']],
  },
  notices: {
    columns: { ...actorColumns, ...journalColumns, parcel_id: 'id' },
    indices: [['held_until']],
  },
  /** The writes of a parcel's actions. */
  notes: { columns: { id: 'id key', parcel_id: 'id', token: 'word' }, indices: [] },
} as const satisfies Tables

export const schema = defineSchema(tables, '')

/** The columns of the primary key and of each unique index, by table: the rows of two commits can conflict in these. */
export const uniqueKeys: Readonly<Record<string, readonly (readonly string[])[]>> = Object.fromEntries(
  Object.entries<Tables[string]>(tables).map(([name, { columns, indices }]) => [
    name,
    [
      Object.keys(columns).filter(column => columns[column]?.endsWith(' key')),
      ...indices.filter(([, unique]) => unique !== undefined).map(([list]) => list.split(', ')),
    ],
  ]),
)

function describe(columns: Tables[string]['columns']): string {
  return Object.entries(columns)
    .map(([name, column]) => {
      const type = ['instant', 'count'].includes(getColumnType(column)) ? 'INTEGER' : 'TEXT'
      return `${name} ${type}${column.endsWith('?') ? '' : ' NOT NULL'}`
    })
    .join(', ')
}

/** A database in memory that outlives the nodes of its world. */
export function createDatabase(): Database.Database {
  const database = new Database(':memory:')
  const prepare = database.prepare.bind(database)
  const prepared = new Map<string, Database.Statement>()
  // A world has thousands of stores on the same file, and each would prepare the same statements.
  database.prepare = ((sql: string) => {
    // Hides values from the planner, like the store's `hideFromPlanner`: otherwise plans take most of a world's time.
    const statement = prepared.get(sql) ?? prepare(sql.replaceAll(/\+?\?/g, '+?'))
    prepared.set(sql, statement)
    return statement
  }) as typeof database.prepare
  for (const [name, { columns, indices }] of Object.entries<Tables[string]>(tables)) {
    const [primary = [], ...unique] = uniqueKeys[name] ?? []
    database.exec(`CREATE TABLE ${name} (${describe(columns)}, PRIMARY KEY (${primary.join()}))`)
    for (const list of unique)
      database.exec(`CREATE UNIQUE INDEX ${name}_${list.join('_')} ON ${name} (${list.join()})`)
    for (const [list, isUnique] of indices)
      if (isUnique === undefined)
        database.exec(`CREATE INDEX ${name}_${list.replaceAll(', ', '_')} ON ${name} (${list})`)
  }
  return database
}

/** Removes every row: a database that is used again costs a tenth of a new one. */
export function emptyDatabase(database: Database.Database): void {
  if (database.inTransaction) database.exec('ROLLBACK')
  for (const name of Object.keys(tables)) database.exec(`DELETE FROM ${name}`)
}
