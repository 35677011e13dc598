import type { DurableClock } from '../clock.ts'
import { unavailable } from '../errors.ts'
import type { HostProbe } from './host_health.ts'
import { type HostTime, readHostTime } from './host_time.ts'
import type { MysqlServer } from './mysql_server.ts'

/** The interval of the checks of each host. */
const lookMs = 1000
/** An earlier host is used again once this many checks in a row found it healthy. */
const steadyLooks = 30

/** A move from one host of the database to another. */
export interface HostChange {
  readonly from: string
  readonly to: string
  readonly reason: string
}

export interface HostWatch {
  readonly server: MysqlServer
  readonly probe: HostProbe
}

/**
 * The hosts of a database, of which one is used. All nodes have the same order, and use the first host that works: on a
 * cluster, writes of the same rows then rarely meet on different members.
 */
export interface Hosts {
  /** The host to use now. */
  current(): Promise<MysqlServer>
  /** The name of the host in use. */
  name(): string
  /** The times of all hosts that can be used. @throws where none of them answers */
  readTimes(monotonic: () => number): Promise<readonly HostTime[]>
  /** Whether the database has only one host. */
  readonly isSingle: boolean
  /**
   * Must be called when a statement failed at `server`. Checks the host at once, and moves on if it can't be used or
   * its fault is `known`.
   */
  report(server: MysqlServer, known: string | null): Promise<void>
  close(): Promise<void>
}

interface WatchedHost extends HostWatch {
  /** Healthy checks in a row; 0 is not healthy. */
  looks: number
  /** Why it was left, or not taken at the start. */
  fault: string
  /** The check under way. */
  looking: Promise<void> | null
}

type Listener = (change: HostChange) => void

/** Chooses the host again whenever something is learnt about one of them. */
function createChoice(hosts: readonly [WatchedHost, ...WatchedHost[]], onChange: Listener) {
  let current: WatchedHost = hosts[0]
  const choose = (): void => {
    const isHealthy = current.looks > 0
    const earlier = hosts.slice(0, hosts.indexOf(current))
    const next = isHealthy ? earlier.find(({ looks }) => looks >= steadyLooks) : hosts.find(({ looks }) => looks > 0)
    if (next === undefined || next === current) return
    const reason = isHealthy ? 'an earlier host works again' : current.fault
    const change = { from: current.server.name, to: next.server.name, reason }
    current = next
    onChange(change)
  }
  const leave = (host: WatchedHost, fault: string): void => {
    host.looks = 0
    host.fault = fault
    host.server.abandon()
  }
  return { current: () => current, choose, leave }
}

/** Watches the hosts until it is closed. */
export function watchHosts(
  watches: readonly [HostWatch, ...HostWatch[]],
  clock: DurableClock,
  onChange: Listener,
): Hosts {
  const watched = (watch: HostWatch): WatchedHost => ({ ...watch, looks: 0, fault: '', looking: null })
  const [first, ...others] = watches
  const hosts = [watched(first), ...others.map(watched)] as const
  const { current, choose, leave } = createChoice(hosts, onChange)
  let isClosed = false
  const lookOnce = async (host: WatchedHost): Promise<void> => {
    const fault = await host.probe.look()
    if (fault === null) host.looks += 1
    else leave(host, fault)
    host.looking = null
  }
  const look = (host: WatchedHost): Promise<void> => {
    host.looking ??= lookOnce(host)
    return host.looking
  }
  // The first choice waits for all checks: otherwise the quickest host would be taken, not the first one.
  const started = Promise.all(hosts.map(look)).then(choose)
  const keepLooking = async (host: WatchedHost): Promise<void> => {
    await started
    while (!isClosed) {
      await new Promise<void>(resolve => clock.setTimer(lookMs, resolve))
      if (isClosed) return
      await look(host)
      choose()
    }
  }
  for (const host of hosts) void keepLooking(host)
  return {
    async current() {
      await started
      return current().server
    },
    name: () => current().server.name,
    async readTimes(monotonic) {
      await started
      const usable = hosts.filter(({ looks }) => looks > 0)
      const asked = await Promise.allSettled(usable.map(({ server }) => readHostTime(server, monotonic)))
      const times = asked.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
      if (times.length === 0) throw unavailable('no host of the database answers')
      return times
    },
    isSingle: false,
    async report(server, known) {
      const host = hosts.find(one => one.server === server)
      // A host that was left is checked by the clock only: nobody waits for it.
      if (host === undefined || host.looks === 0) return
      if (known === null) await look(host)
      else leave(host, known)
      choose()
    },
    async close() {
      isClosed = true
      await Promise.all(hosts.map(({ looking }) => looking))
      for (const { probe } of hosts) probe.close()
      const others = hosts.filter(host => host !== current())
      for (const { server } of others) {
        server.abandon()
        // Connections that were just cut off can't be closed properly, and need not be.
        await server.close().catch(() => {})
      }
      await current().server.close()
    },
  }
}

/** A database with one host: there is nothing to choose or to watch. */
export function singleHost(server: MysqlServer): Hosts {
  return {
    current: async () => server,
    name: () => server.name,
    readTimes: async monotonic => [await readHostTime(server, monotonic)],
    isSingle: true,
    report: async () => {},
    close: () => server.close(),
  }
}
