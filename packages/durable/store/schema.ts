import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm'
import { type Columns, type ColumnType, getColumnType, type Tables } from './columns.ts'
import type { DialectName } from './dialect.ts'

/** Each engine's names of the types of columns. */
const types: Readonly<Record<DialectName, Readonly<Record<ColumnType, EntitySchemaColumnOptions>>>> = {
  sqlite: {
    id: { type: 'text' },
    word: { type: 'text' },
    name: { type: 'text' },
    lane: { type: 'text', default: '' },
    document: { type: 'text' },
    bytes: { type: 'blob' },
    instant: { type: 'bigint' },
    count: { type: 'integer' },
  },
  mysql: {
    // Ids and words are ASCII: the index is a quarter of utf8mb4's, and they compare byte by byte.
    id: { type: 'char', length: 36, charset: 'ascii', collation: 'ascii_bin' },
    word: { type: 'varchar', length: 100, charset: 'ascii', collation: 'ascii_bin' },
    name: { type: 'varchar', length: 255, charset: 'utf8mb4', collation: 'utf8mb4_bin' },
    lane: { type: 'varchar', length: 100, charset: 'ascii', collation: 'ascii_bin', default: '' },
    document: { type: 'longtext', charset: 'utf8mb4', collation: 'utf8mb4_bin' },
    bytes: { type: 'longblob' },
    instant: { type: 'bigint' },
    count: { type: 'int' },
  },
}

function columnOptions(dialect: DialectName, columns: Columns): Record<string, EntitySchemaColumnOptions> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [
      name,
      {
        ...types[dialect][getColumnType(column)],
        nullable: column.endsWith('?'),
        primary: column.endsWith(' key'),
      } as EntitySchemaColumnOptions,
    ]),
  )
}

/** The longest name of an index in MySQL and MariaDB. */
const longestName = 64

/** The tables, as TypeORM reads them for migrations and for the drift test. */
export function createEntities(dialect: DialectName, tables: Tables): EntitySchema[] {
  return Object.entries(tables).map(
    ([name, { columns, indices }]) =>
      new EntitySchema({
        name,
        tableName: name,
        columns: columnOptions(dialect, columns),
        indices: indices.map(([list, unique]) => ({
          name: `${name}_${list.replaceAll(', ', '_')}`.slice(0, longestName),
          columns: list.split(', '),
          unique: unique !== undefined,
        })),
      }),
  )
}
