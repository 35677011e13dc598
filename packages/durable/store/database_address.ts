import type { Tables } from './columns.ts'
import type { MysqlAddress } from './mysql_address.ts'

export type DatabaseAddress =
  | { readonly dialect: 'sqlite'; readonly file: string }
  | ({ readonly dialect: 'mysql' } & MysqlAddress)

/** The tables that a database should have, and the folder of the migrations that make them. */
export interface DatabaseSchema {
  readonly tables: Tables
  readonly migrations: string
}
