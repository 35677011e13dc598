import { asError, readErrorCode, unavailable } from '../errors.ts'

/** A server says the same of a user who may not come in without TLS, or without a certificate. */
const denied = 'it refuses the user or the password, or the user must connect by TLS, or with a certificate'

/**
 * Sentences for faults that only the server's operator can fix. They name neither a user nor a host: callers read them.
 */
const refusals: Readonly<Record<string, string>> = {
  ER_ACCESS_DENIED_ERROR: denied,
  ER_ACCESS_DENIED_NO_PASSWORD_ERROR: denied,
  ER_DBACCESS_DENIED_ERROR: 'its user may not use the database of this name',
  ER_BAD_DB_ERROR: 'it has no database of this name',
  ER_TABLEACCESS_DENIED_ERROR: 'its user lacks a right on the tables',
  ER_COLUMNACCESS_DENIED_ERROR: 'its user lacks a right on the tables',
  ER_ACCOUNT_HAS_BEEN_LOCKED: 'its user is locked',
  ER_MUST_CHANGE_PASSWORD: 'its user has an expired password',
  ER_MUST_CHANGE_PASSWORD_LOGIN: 'its user has an expired password',
  ER_SECURE_TRANSPORT_REQUIRED: 'it takes no connection without TLS',
  HANDSHAKE_NO_SSL_SUPPORT: 'it takes no connection with TLS',
  AUTH_SWITCH_PLUGIN_ERROR:
    'its user has an authentication plugin that the driver lacks: use a password plugin of MySQL',
  ER_HOST_IS_BLOCKED: 'it has blocked this machine',
  ER_HOST_NOT_PRIVILEGED: 'it takes no connection from this machine',
  ER_TOO_MANY_USER_CONNECTIONS: 'its user has no connection left',
  ER_USER_LIMIT_REACHED: 'its user has no connection left',
  ER_CON_COUNT_ERROR: 'it has no connection left',
  ER_BINLOG_STMT_MODE_AND_ROW_ENGINE: 'its binlog_format is STATEMENT: set it to MIXED or ROW',
  ER_OPTION_PREVENTS_STATEMENT: 'it is read-only',
  ER_OPEN_AS_READONLY: 'it is read-only',
  ER_READ_ONLY_MODE: 'it is read-only',
  ER_INNODB_READ_ONLY: 'it is read-only',
  ER_INDEX_COLUMN_TOO_LONG: 'its innodb_default_row_format allows short indexes only: set it to dynamic',
  ER_TOO_LONG_KEY: 'its innodb_default_row_format allows short indexes only: set it to dynamic',
}

/** MariaDB's own numbers, for which the driver has the names of MySQL's. */
const numbers: Readonly<Record<number, string>> = { 4151: 'its user is locked' }

/** MariaDB's words where `innodb_read_only` keeps a table from being made, which have no code of their own. */
const readOnlyTable = /errno: 165\b/

/** Why the server refuses, in words for its operator; null for every other error. */
export function describeRefusal(error: unknown): string | null {
  if (readErrorCode(error) === 'ER_CANT_CREATE_TABLE' && readOnlyTable.test(asError(error).message))
    return 'it is read-only'
  const limit = /'(max_\w+)' resource/.exec(
    readErrorCode(error) === 'ER_USER_LIMIT_REACHED' ? asError(error).message : '',
  )
  if (limit !== null) return `its user has reached its ${limit[1]}`
  const { errno = 0 } = error instanceof Error ? (error as { errno?: number }) : {}
  return refusals[readErrorCode(error)] ?? numbers[errno] ?? null
}

const serverCodes =
  /^(PROTOCOL_|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|ER_CON_COUNT|ER_ERROR_DURING_COMMIT|ER_SERVER_SHUTDOWN|ER_DISK_FULL|ER_RECORD_FILE_FULL|ER_OPTION_PREVENTS|ER_READ_ONLY|ER_UNKNOWN_COM|ER_QUERY_INTERR|ER_CONNECTION_KILLED)/

/** Errors of the pool itself, which has no connection left. */
const poolMessage = /closed state|Pool is closed|Queue limit/i

/** The server or the way to it is to blame, not the statement. */
export function isServerFault(error: Error): boolean {
  return (
    ('fatal' in error && error.fatal === true) ||
    describeRefusal(error) !== null ||
    serverCodes.test(readErrorCode(error)) ||
    poolMessage.test(error.message) ||
    /Connection lost/i.test(error.message)
  )
}

/** Whether another host may succeed where this one failed. */
export function isHostFault(error: Error): boolean {
  return isServerFault(error) && !poolMessage.test(error.message)
}

/** The host responds but can't write, which its own status does not show. */
export function isFullDisk(error: unknown): boolean {
  return /^ER_(DISK_FULL|RECORD_FILE_FULL)/.test(readErrorCode(error))
}

/** Turns the driver's error into one that a caller can act on. */
export function toDurableError(thrown: unknown): Error {
  const error = asError(thrown)
  const refusal = describeRefusal(error)
  if (refusal !== null) return unavailable(`the database is unavailable: ${refusal}`)
  return isServerFault(error) ? unavailable('the database is unavailable') : error
}
