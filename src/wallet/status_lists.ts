import { readStatusExpiry } from '@attestor/credentials/wallet'
import { fetchDocument, type Guard } from '@attestor/outbound'
import { asError } from '../base/api_error.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'

/** An analysis waits for it. */
const attemptMs = 5000

/** A list of a million credentials, deflated, is smaller. */
const maxBytes = 240 * 1024

const maxKept = 64
const maxKeptMs = 24 * 3_600_000

export interface StatusListDeps {
  readonly guard: Guard
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}

/** Fetches a list; null where it can't be had. Redirects are not followed. */
function fetchList({ log, ...deps }: StatusListDeps, url: string): Promise<Buffer | null> {
  const accept = 'application/statuslist+jwt, application/statuslist+cwt;q=0.9'
  return fetchDocument({ ...deps, url, accept, max_bytes: maxBytes, total_ms: attemptMs }).catch((error: unknown) => {
    log.warn({ error: asError(error).message }, 'a status list of a wallet’s issuer can’t be had')
    return null
  })
}

export type FetchStatusList = (uri: string, now: number) => Promise<Buffer | null>

/** Keeps lists for as long as they say, at most a day. Nobody fetches one twice at the same time. */
export function createStatusLists(deps: StatusListDeps): FetchStatusList {
  const kept = new Map<string, { readonly bytes: Buffer; readonly until: number }>()
  const underway = new Map<string, Promise<Buffer | null>>()
  const fetchAnew = async (uri: string, now: number): Promise<Buffer | null> => {
    const bytes = await fetchList(deps, uri)
    const until = bytes === null ? null : readStatusExpiry(bytes, uri, now)
    if (bytes === null || until === null) return bytes
    kept.delete(uri)
    kept.set(uri, { bytes, until: Math.min(until, now + maxKeptMs) })
    const [oldest] = kept.keys()
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
    return bytes
  }
  return async (uri, now) => {
    const known = kept.get(uri)
    if (known !== undefined && now < known.until) return known.bytes
    const running = underway.get(uri) ?? fetchAnew(uri, now).finally(() => underway.delete(uri))
    underway.set(uri, running)
    return running
  }
}
