import type { DatabaseAddress } from '../index.ts'

const { ORDERS_MYSQL: server, ORDERS_SQLITE: file = 'orders.sqlite' } = process.env

function readServer(url: string): DatabaseAddress {
  const { hostname, port, username, password, pathname } = new URL(url)
  const user = decodeURIComponent(username)
  return {
    dialect: 'mysql',
    host: hostname,
    port: Number(port || 3306),
    user,
    password: decodeURIComponent(password),
    database: pathname.slice(1),
  }
}

/** A file, or a server: `ORDERS_MYSQL=mysql://user:password@127.0.0.1:3306/orders`. */
export const address: DatabaseAddress = server === undefined ? { dialect: 'sqlite', file } : readServer(server)
