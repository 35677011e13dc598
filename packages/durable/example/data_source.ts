import { createDataSource, type DatabaseAddress } from 'durable-xstate-sql/database'
import { schema } from './orders.ts'

const { ORDERS_MYSQL: server, ORDERS_SQLITE: file = 'orders.sqlite' } = process.env

function readServer(url: string): DatabaseAddress {
  const { hostname, port, username, password, pathname } = new URL(url)
  return { dialect: 'mysql', host: hostname, port: Number(port), user: username, password, database: pathname.slice(1) }
}

/** For TypeORM's command line, which writes the migrations. */
export default createDataSource(server === undefined ? { dialect: 'sqlite', file } : readServer(server), schema)
