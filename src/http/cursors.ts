import { ApiError } from '../base/api_error.ts'
import { DecryptionError, decryptWithRoot, encryptWithRoot, type ServiceKeys } from '../base/encryption.ts'

/** The cursors of lists. A cursor is encrypted: opaque, and valid only for its own list, account and filters included. */
export interface Cursors {
  /** Null for null, at the end of a list. */
  write(list: readonly unknown[], position: unknown): string | null
  /** Null without a cursor. @throws {ApiError} `invalid_field` */
  read<T>(list: readonly unknown[], cursor: string | undefined): T | null
}

const purpose = 'cursor'

/** The key is derived from the root key, so that each node reads the others' cursors. */
export function createCursors(serviceKeys: ServiceKeys): Cursors {
  const toAad = (list: readonly unknown[]): string => `cursors/${JSON.stringify(list)}`
  return {
    write: (list, position) =>
      position === null
        ? null
        : encryptWithRoot(serviceKeys, purpose, toAad(list), JSON.stringify(position)).toString('base64url'),
    read<T>(list: readonly unknown[], cursor: string | undefined): T | null {
      if (cursor === undefined) return null
      try {
        const bytes = Buffer.from(cursor, 'base64url')
        return JSON.parse(decryptWithRoot(serviceKeys, purpose, toAad(list), bytes).toString('utf8')) as T
      } catch (error) {
        if (!(error instanceof DecryptionError)) throw error
        throw new ApiError('invalid_field', 'cursor: is not one of this list')
      }
    },
  }
}
