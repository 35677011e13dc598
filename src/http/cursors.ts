import { ApiError } from '../base/api_error.ts'
import { DecryptionError, decrypt, deriveKey, encrypt } from '../base/encryption.ts'

/** Where a list continues. A cursor is encrypted: opaque, and valid only for its own list, account and filters included. */
export interface Cursors {
  /** Null for null, at the end of a list. */
  write(list: readonly unknown[], position: unknown): string | null
  /** Null without a cursor. @throws {ApiError} `invalid_field` */
  read<T>(list: readonly unknown[], cursor: string | undefined): T | null
}

/** The key is derived from the root key, so that each node reads the others' cursors. */
export const createCursors = (rootKey: Uint8Array): Cursors => {
  const key = deriveKey(rootKey, 'cursor')
  const toAad = (list: readonly unknown[]): string => `cursors/${JSON.stringify(list)}`
  return {
    write: (list, position) =>
      position === null ? null : encrypt(key, toAad(list), JSON.stringify(position)).toString('base64url'),
    read<T>(list: readonly unknown[], cursor: string | undefined): T | null {
      if (cursor === undefined) return null
      try {
        return JSON.parse(decrypt(key, toAad(list), Buffer.from(cursor, 'base64url')).toString('utf8')) as T
      } catch (error) {
        if (!(error instanceof DecryptionError)) throw error
        throw new ApiError('invalid_field', 'cursor: is not one of this list')
      }
    },
  }
}
