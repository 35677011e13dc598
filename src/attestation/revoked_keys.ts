import { maxStatusBytes, type RevocationStatus, readRevocationStatus } from '@attestor/credentials/attestation'
import { fetchDocument, type Guard } from '@attestor/outbound'
import { asError, unavailable } from '../base/api_error.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'

/** Reads the present list; null where it is off. @throws {ApiError} `unavailable` where there was none yet */
export type ReadRevoked = () => Promise<RevocationStatus | null>

interface RevokedKeysDeps {
  /** Setting `ATTESTATION_STATUS_URL`. */
  readonly url: string | null
  readonly guard: Guard | null
  readonly clock: Clock
  readonly log: Log
}

interface Kept {
  readonly list: RevocationStatus
  readonly at: number
}

/** Google asks for a day at most. */
const freshMs = 6 * 3_600_000
/** Pause after a failure, until the next try. */
const pauseMs = 60_000
/** Age at which a list no longer counts: an attacker could keep a new one from us. */
const usableMs = 7 * 86_400_000

/** The list is fetched when the first attestation needs it, and kept: an old one is used while a new one cannot be had. */
export function createRevokedKeys({ url, guard, clock, log }: RevokedKeysDeps): ReadRevoked {
  let kept: Kept | null = null
  let failedAt = Number.NEGATIVE_INFINITY
  let running: Promise<void> | null = null
  const fetchOnce = async (address: string, by: Guard): Promise<void> => {
    try {
      const limits = { max_bytes: maxStatusBytes, total_ms: 10_000 }
      const bytes = await fetchDocument({ url: address, guard: by, clock, ...limits })
      kept = { list: readRevocationStatus(bytes.toString('utf8')), at: clock.monotonic() }
    } catch (error) {
      failedAt = clock.monotonic()
      log.warn({ error: asError(error).message }, 'the list of revoked attestation keys could not be fetched')
    }
  }
  return async () => {
    if (url === null || guard === null) return null
    const age = clock.monotonic() - (kept?.at ?? Number.NEGATIVE_INFINITY)
    if (age > freshMs && clock.monotonic() - failedAt > pauseMs) {
      running ??= fetchOnce(url, guard).finally(() => {
        running = null
      })
      await running
    }
    const found = kept as Kept | null
    if (found === null || clock.monotonic() - found.at > usableMs)
      throw unavailable('the list of revoked keys cannot be fetched', 60)
    return found.list
  }
}
