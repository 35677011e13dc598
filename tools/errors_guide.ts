import { errorCodes } from '../src/http/openapi/error_codes.ts'
import { code, table } from './tables.ts'

/** Every code with its status, the lowest first, what it means, what to do, and whether the call may be repeated. */
export function errorsTable(): string {
  return table(
    ['Status', '`X-Error-Code`', 'Means', 'Do', 'Retry'],
    errorCodes
      .toSorted((one, other) => one.status - other.status)
      .map(({ code: name, status, meaning, advice, retry }) => [String(status), code(name), meaning, advice, retry]),
  )
}
