import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'

/** The time-out of the first of two queries to a name server; c-ares doubles it for the second. */
const initialTimeoutMs = 800

function toAddresses(settled: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return settled.status === 'fulfilled' ? settled.value.map(address => ({ address, family })) : []
}

/** The more specific of two failures: a name without AAAA records is no failure. */
function pickFailure(...settled: PromiseSettledResult<string[]>[]): Error {
  const errors = settled.flatMap(one => (one.status === 'rejected' ? [one.reason as Error] : []))
  const specific = errors.find(error => 'code' in error && error.code !== 'ENODATA') ?? errors[0]
  return specific ?? Object.assign(new Error('the name has no address'), { code: 'ENODATA' })
}

/**
 * Queries the name servers directly, and stops when `signal` is aborted. The system's `getaddrinfo` can't be aborted, and
 * libuv runs two at a time: two silent name servers would block every other lookup, the database's hosts among them.
 * Host files are not read: their entries are not public.
 */
export function cancellableLookup(signal: AbortSignal, servers: readonly string[] = []): LookupFunction {
  return (hostname, _options, callback) => {
    const resolver = new Resolver({ timeout: initialTimeoutMs, tries: 2 })
    if (servers.length > 0) resolver.setServers(servers)
    const cancel = (): void => resolver.cancel()
    signal.addEventListener('abort', cancel)
    void Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]).then(([four, six]) => {
      signal.removeEventListener('abort', cancel)
      const found = [...toAddresses(four, 4), ...toAddresses(six, 6)]
      if (found.length === 0) callback(pickFailure(four, six), [])
      else callback(null, found)
    })
    if (signal.aborted) cancel()
  }
}

/**
 * One lookup at a time: of the two that libuv runs, the other is left to the database, the object store and engines,
 * however long a receiver's name hangs. A waiting lookup stops when its signal is aborted.
 */
export function queueLookups(lookup: LookupFunction) {
  const waiting = new Set<() => void>()
  let isRunning = false
  const next = (): void => {
    const [begin] = waiting
    if (isRunning || begin === undefined) return
    waiting.delete(begin)
    begin()
  }
  return (signal: AbortSignal): LookupFunction =>
    (hostname, options, callback) => {
      const begin = (): void => {
        signal.removeEventListener('abort', leave)
        isRunning = true
        lookup(hostname, options, (...found) => {
          isRunning = false
          next()
          callback(...found)
        })
      }
      const leave = (): void => {
        if (waiting.delete(begin)) callback(Object.assign(new Error('aborted'), { code: 'ECANCELLED' }), [])
      }
      waiting.add(begin)
      signal.addEventListener('abort', leave, { once: true })
      if (signal.aborted) leave()
      else next()
    }
}

/** The system's own resolution, with its host file. A started lookup can't be aborted, a waiting one can. */
export const queuedSystemLookup = queueLookups(systemLookup as LookupFunction)
