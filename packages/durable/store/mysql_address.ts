/** One host of a database. */
export interface DatabaseHost {
  readonly host: string
  readonly port: number
}

/** Where the server is. */
export interface MysqlAddress extends DatabaseHost {
  readonly user: string
  readonly password: string
  readonly database: string
  /** Further hosts of the same cluster. The first that works is used, in this order after `host`. */
  readonly standbys?: readonly DatabaseHost[]
  /** The time limit to connect and to respond; without it, that of a running service. */
  readonly timeoutMs?: number
}

const connectTimeoutMs = 8_000

/** Settings of every connection, the migrations' included. */
export function connectionOptions(address: MysqlAddress) {
  return {
    host: address.host,
    port: address.port,
    user: address.user,
    password: address.password,
    database: address.database,
    charset: 'utf8mb4_bin',
    timezone: 'Z',
    supportBigNumbers: true,
    bigNumberStrings: false,
    connectTimeout: address.timeoutMs ?? connectTimeoutMs,
  }
}

/** The same database by each of its hosts, in order. */
export function listHosts(address: MysqlAddress): readonly MysqlAddress[] {
  const { standbys = [], ...first } = address
  return [first, ...standbys.map(({ host, port }) => ({ ...first, host, port }))]
}

/** `db1:3306`, as the settings name it. */
export function nameHost({ host, port }: DatabaseHost): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
