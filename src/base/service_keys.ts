import { DecryptionError, decrypt, deriveKey, encrypt } from './encryption.ts'

/** The keys of the service. The operator's master key opens them. */
export interface ServiceKeys {
  /** Root keys. The first one encrypts, each decrypts: there are two while one replaces the other. */
  readonly roots: readonly Uint8Array[]
  /** Makes the HMACs by which rows are found. It encrypts nothing, so it stays when the root key is replaced. */
  readonly lookup: Uint8Array
}

/** Encrypts with the root key. Ciphertext for a column goes through `encryptColumn`, so that it is encrypted again. */
export function encryptWithRoot(
  { roots: [root] }: ServiceKeys,
  purpose: string,
  aad: string,
  plain: Uint8Array | string,
): Buffer {
  if (root === undefined) throw new TypeError('there is no root key')
  return encrypt(deriveKey(root, purpose), aad, plain)
}

/** Decrypts what `encryptWithRoot` made. @throws {DecryptionError} */
export function decryptWithRoot({ roots }: ServiceKeys, purpose: string, aad: string, encrypted: Uint8Array): Buffer {
  let failure = new DecryptionError(`${aad} does not decrypt: there is no root key`)
  for (const root of roots)
    try {
      return decrypt(deriveKey(root, purpose), aad, encrypted)
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error
      failure = error
    }
  throw failure
}
