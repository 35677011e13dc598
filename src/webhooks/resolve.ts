import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'

/** The first of two questions to a name server that does not answer; c-ares doubles the wait for the second. */
const first_wait_ms = 800

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)))

const addresses = (settled: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] =>
  settled.status === 'fulfilled' ? settled.value.map(address => ({ address, family })) : []

/** Of two failures the one that tells more: a name without AAAA is no failure of the name. */
const failureOf = (...settled: PromiseSettledResult<string[]>[]): Error => {
  const errors = settled.flatMap(one => (one.status === 'rejected' ? [asError(one.reason)] : []))
  const telling = errors.find(error => 'code' in error && error.code !== 'ENODATA') ?? errors[0]
  return telling ?? Object.assign(new Error('the name has no address'), { code: 'ENODATA' })
}

/**
 * Asks the name servers themselves, and stops asking when `signal` is aborted. The system's own `getaddrinfo` can't be
 * called off and holds a thread of libuv's four while it waits: a few names whose servers are silent would stop every
 * other receiver's, and signing with them. Host files are not read: what stands in them is not public.
 */
export const cancellableLookup = (signal: AbortSignal, servers: readonly string[] = []): LookupFunction => {
  return (hostname, _options, callback) => {
    const resolver = new Resolver({ timeout: first_wait_ms, tries: 2 })
    if (servers.length > 0) resolver.setServers(servers)
    const cancel = (): void => resolver.cancel()
    signal.addEventListener('abort', cancel)
    void Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]).then(([four, six]) => {
      signal.removeEventListener('abort', cancel)
      const found = [...addresses(four, 4), ...addresses(six, 6)]
      if (found.length === 0) callback(failureOf(four, six), [])
      else callback(null, found)
    })
    if (signal.aborted) cancel()
  }
}
