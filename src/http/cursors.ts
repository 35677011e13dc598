import { ApiError } from '../base/api_error.ts'
import { DecryptionError, decrypt, deriveKey, encrypt } from '../base/encryption.ts'

/** Where a list goes on. A cursor is sealed: opaque, and good only for the list that gave it, its account and filters included. */
export interface Cursors {
  give(list: readonly unknown[], position: unknown): string
  /** @throws {ApiError} `invalid_field` */
  open<T>(list: readonly unknown[], cursor: string): T
}

/** The cursors of a service: every node of it opens them. */
export const createCursors = (master: Uint8Array): Cursors => {
  const key = deriveKey(master, 'cursor')
  const place = (list: readonly unknown[]): string => `cursors/${JSON.stringify(list)}`
  return {
    give: (list, position) => encrypt(key, place(list), JSON.stringify(position)).toString('base64url'),
    open<T>(list: readonly unknown[], cursor: string): T {
      try {
        return JSON.parse(decrypt(key, place(list), Buffer.from(cursor, 'base64url')).toString('utf8')) as T
      } catch (error) {
        if (!(error instanceof DecryptionError)) throw error
        throw new ApiError('invalid_field', 'cursor: is not one of this list')
      }
    },
  }
}
