import { UnreadableFileError } from '../chip/unreadable_file_error.ts'

/** Serial numbers of certificates that are not to be trusted, in hex without leading zeros. */
export type RevocationStatus = ReadonlySet<string>

/** Google's has some 300 KiB. */
export const maxStatusBytes = 8 * 1024 * 1024

/** Both are to be distrusted: a suspended one may come back. */
const statuses: readonly unknown[] = ['REVOKED', 'SUSPENDED']

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new UnreadableFileError('the list of revoked keys is no JSON', { cause })
  }
}

/**
 * Reads Google's list, as https://android.googleapis.com/attestation/status has it. One entry that is not understood
 * makes all of it unreadable, as the keys that it revokes would be trusted. @throws {UnreadableFileError}
 */
export function readRevocationStatus(text: string): RevocationStatus {
  if (text.length > maxStatusBytes) throw new UnreadableFileError('the list of revoked keys is too large')
  const list = parse(text)
  const entries = typeof list === 'object' && list !== null && 'entries' in list ? list.entries : null
  if (typeof entries !== 'object' || entries === null || Array.isArray(entries))
    throw new UnreadableFileError('the list of revoked keys has no entries')
  return new Set(
    Object.entries(entries).map(([serial, entry]: [string, unknown]) => {
      const status = typeof entry === 'object' && entry !== null && 'status' in entry ? entry.status : null
      if (!/^[0-9a-f]{1,64}$/i.test(serial) || !statuses.includes(status))
        throw new UnreadableFileError('an entry of the list of revoked keys is not understood')
      return BigInt(`0x${serial}`).toString(16)
    }),
  )
}
