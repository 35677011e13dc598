import { asError, readErrorCode, unavailable } from '../errors.ts'

const serverCodes =
  /^(PROTOCOL_|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|ER_CON_COUNT|ER_ERROR_DURING_COMMIT|ER_SERVER_SHUTDOWN|ER_DISK_FULL|ER_RECORD_FILE_FULL|ER_OPTION_PREVENTS|ER_READ_ONLY|ER_UNKNOWN_COM|ER_QUERY_INTERR|ER_CONNECTION_KILLED)/

/** Errors of the pool itself, which has no connection left. */
const poolMessage = /closed state|Pool is closed|Queue limit/i

/** The server or the way to it is to blame, not the statement. */
export function isServerFault(error: Error): boolean {
  return (
    ('fatal' in error && error.fatal === true) ||
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
  return isServerFault(error) ? unavailable('the database is unavailable') : error
}
