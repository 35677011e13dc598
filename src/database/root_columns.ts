import { decryptWithRoot, encryptWithRoot, type ServiceKeys } from '../base/encryption.ts'

/** The columns that are encrypted with the root key, by their tables: a new root key encrypts all of them again. */
export const rootColumns = {
  customers: 'data_key',
  capture_keys: 'data_key',
  face_searches: 'data_key',
  idempotency_keys: 'answer',
  operators: 'totp_secret',
  signing_keys: 'private_jwk',
} as const

export type RootTable = keyof typeof rootColumns

export const rootTables = Object.keys(rootColumns) as RootTable[]

/** It decrypts in no other row or column. */
function createAad(table: RootTable, id: string): string {
  return `${table}/${id}/${rootColumns[table]}`
}

/** Encrypts the column of row `id` of `table`. */
export function encryptColumn(keys: ServiceKeys, table: RootTable, id: string, plain: Uint8Array | string): Buffer {
  return encryptWithRoot(keys, table, createAad(table, id), plain)
}

/** Decrypts the column of row `id` of `table`. @throws {DecryptionError} under another key, or for another row */
export function decryptColumn(keys: ServiceKeys, table: RootTable, id: string, encrypted: Uint8Array): Buffer {
  return decryptWithRoot(keys, table, createAad(table, id), encrypted)
}
