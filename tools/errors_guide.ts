import { errorCodes } from '../src/http/openapi/error_codes.ts'
import { code, table } from './tables.ts'

/** Every code with its status, the lowest first, and whether the call may be repeated. */
export function errorsTable(): string {
  return table(
    ['Status', '`X-Error-Code`', 'Retry'],
    errorCodes
      .toSorted((one, other) => one.status - other.status)
      .map(({ code: name, status, retry }) => [String(status), `[${code(name)}](#${name})`, retry]),
  )
}

/** A heading for each code, so that other pages can link to it. */
export function errorSections(): string {
  return errorCodes
    .map(({ code: name, status, meaning, advice }) => `### ${code(name)}\n\n${status}. ${meaning} ${advice}`)
    .join('\n\n')
}
