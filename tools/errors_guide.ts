import { errorCodes } from '../src/http/openapi/error_codes.ts'
import { code, table } from './tables.ts'

/**
 * Lists every code with its status, the lowest first, its meaning and the advice; those of the token endpoint are
 * elsewhere.
 */
export function errorsTable(): string {
  return table(
    ['Status', '`X-Error-Code`', 'Means', 'Do'],
    errorCodes
      .filter(({ meaning }) => !meaning.startsWith('Token endpoint only'))
      .toSorted((one, other) => one.status - other.status)
      .map(({ code: name, status, meaning, advice, retry }) => [
        String(status),
        code(name),
        meaning,
        retry === 'No.' ? advice : `${advice} Retry: ${retry.charAt(0).toLowerCase()}${retry.slice(1)}`,
      ]),
  )
}
