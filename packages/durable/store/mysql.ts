import { machineClock } from '../clock.ts'
import { type CrashHook, noCrash } from '../crash_points.ts'
import { asError, unavailable } from '../errors.ts'
import { type CommitFences, createCommitFences, settleFence } from './commit_fences.ts'
import { dialects } from './dialect.ts'
import { createHostProbe } from './host_health.ts'
import { type HostChange, type Hosts, singleHost, watchHosts } from './hosts.ts'
import { listHosts, type MysqlAddress } from './mysql_address.ts'
import { isServerFault } from './mysql_errors.ts'
import { machinePause, type Pause, untilDone } from './mysql_retry.ts'
import { type MysqlServer, openMysqlServer, type Patience } from './mysql_server.ts'
import { type Attempt, drive, newAttempt } from './mysql_unit.ts'
import { runAll, type Unit } from './statement.ts'
import type { Store } from './store.ts'

/** A server that does not respond within this time counts as unavailable. A COMMIT on a busy disk may take 5 s. */
const answerTimeoutMs = 10_000
/** With several hosts, one whose check takes longer than this is left. */
const lookTimeoutMs = 2_000

/** The state that the units of one store share. `fences` is null for a database with one host. */
interface MysqlStore {
  readonly hosts: Hosts
  readonly fences: CommitFences | null
  readonly patience: Patience
  readonly crashHook: CrashHook
  readonly pause: Pause
}

function commitOn<T>(store: MysqlStore, server: MysqlServer, attempt: Attempt<T>): Promise<T> {
  const { fences, patience, crashHook } = store
  const release = (): void => {
    if (attempt.fence !== null) fences?.give(attempt.fence)
    attempt.fence = null
  }
  return server.use(async asking => {
    if (fences !== null) attempt.fence = await fences.take(asking, patience.clock.now())
    try {
      const value = await drive(asking, attempt, crashHook)
      release()
      return value
    } catch (error) {
      // If the COMMIT had no response, `settle` releases the fence, after it found the outcome.
      if (attempt.committing === null || !isServerFault(asError(error))) release()
      throw error
    }
  })
}

/** The outcome of a COMMIT without a response; null if the unit must run again. @throws if it can't be found out */
async function settle<T>(store: MysqlStore, { fence, committing }: Attempt<T>): Promise<{ value: T } | null> {
  if (fence === null || committing === null) return null
  const asking = { ...store, fences: null, crashHook: noCrash }
  const outcome = await untilDone(store, server =>
    commitOn(
      asking,
      server,
      newAttempt(() => settleFence(fence)),
    ),
  )
  if (outcome === 'unknown') throw unavailable('whether the database has committed is unknown')
  store.fences?.give(fence)
  return outcome === 'committed' ? committing : null
}

function commit<T>(store: MysqlStore, unit: () => Unit<T>): Promise<T> {
  const last: { attempt?: Attempt<T> } = {}
  const work = (server: MysqlServer): Promise<T> => {
    last.attempt = newAttempt(unit)
    return commitOn(store, server, last.attempt)
  }
  return untilDone(store, work, async () => (last.attempt === undefined ? null : settle(store, last.attempt)))
}

/** Options of a server's store. */
export interface MysqlOptions {
  readonly crashHook?: CrashHook
  readonly patience?: Patience
  readonly onHostChange?: (change: HostChange) => void
}

function openHosts(address: MysqlAddress, connections: number, options: Required<MysqlOptions>): Hosts {
  const { patience, onHostChange } = options
  const looking = { ...patience, limitMs: Math.min(lookTimeoutMs, patience.limitMs) }
  const [first, ...others] = listHosts(address).map(host => ({
    server: openMysqlServer(host, connections, patience),
    probe: createHostProbe(host, looking),
  }))
  if (first === undefined) throw new Error('a database has a host')
  return others.length === 0 ? singleHost(first.server) : watchHosts([first, ...others], patience.clock, onHostChange)
}

/** MariaDB or MySQL as a store: READ COMMITTED, row locks, and a unit that lost a race or its host runs again as a whole. */
export function openMysql(
  address: MysqlAddress,
  connections: number,
  {
    crashHook = noCrash,
    patience = { clock: machineClock, limitMs: address.timeoutMs ?? answerTimeoutMs },
    onHostChange = () => {},
  }: MysqlOptions = {},
): Store {
  return createServerStore(openHosts(address, connections, { crashHook, patience, onHostChange }), patience, crashHook)
}

/** A store on the hosts of a server. */
export function createServerStore(
  hosts: Hosts,
  patience: Patience,
  crashHook: CrashHook,
  pause: Pause = machinePause,
): Store {
  const store: MysqlStore = { hosts, fences: hosts.isSingle ? null : createCommitFences(), patience, crashHook, pause }
  return {
    dialect: dialects.mysql,
    commit: unit => commit(store, unit),
    writeBeside: async statements => void (await commit(store, () => runAll(statements))),
    read: statement =>
      untilDone(store, server => server.use(async ({ ask }) => (await ask([statement]))[0]?.rows ?? [])),
    hostName: hosts.name,
    readTimes: hosts.readTimes,
    scrub: async () => {},
    close: hosts.close,
  }
}
