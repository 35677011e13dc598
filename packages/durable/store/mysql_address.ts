import { readFileSync } from 'node:fs'

export interface DatabaseHost {
  readonly host: string
  readonly port: number
}

/** The TLS options of a connection. Files are in PEM. */
export interface MysqlTls {
  /** Authorities that its certificate may come from; null: those of Node. */
  readonly caFile: string | null
  /** The certificate and the key of this client, where the server asks for one. */
  readonly certFile: string | null
  readonly keyFile: string | null
  /** Whether the certificate must name the host. */
  readonly verifiesName: boolean
}

/** The server's address, and the user's credentials. */
export interface MysqlAddress extends DatabaseHost {
  readonly user: string
  readonly password: string
  readonly database: string
  /** Without it nothing is encrypted. */
  readonly tls?: MysqlTls
  /** Further hosts of the same cluster. The first that works is used, in this order after `host`. */
  readonly standbys?: readonly DatabaseHost[]
  /** The time limit to connect and to respond; without it, that of a running service. */
  readonly timeoutMs?: number
}

const connectTimeoutMs = 8_000

function toSecureOptions({ caFile, certFile, keyFile, verifiesName }: MysqlTls) {
  const read = (file: string | null): Buffer | undefined => (file === null ? undefined : readFileSync(file))
  const [ca, cert, key] = [read(caFile), read(certFile), read(keyFile)]
  return {
    rejectUnauthorized: true,
    verifyIdentity: verifiesName,
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
  }
}

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
    ...(address.tls && { ssl: toSecureOptions(address.tls) }),
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
