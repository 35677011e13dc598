import mysql from 'mysql2/promise'
import { machineClock } from '../clock.ts'
import { asError } from '../errors.ts'
import { connectionOptions, listHosts, type MysqlAddress } from './mysql_address.ts'
import { inTime, type Patience } from './mysql_server.ts'

/** A server's variables and status, by lower-case names. */
type Report = ReadonlyMap<string, string>

const question = `SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only', 'super_read_only', 'wsrep_on');
  SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_ready', 'wsrep_cluster_status', 'wsrep_local_state')`

/** `wsrep_local_state` of a member that is up to date. A donor (2) may be blocked. */
const synced = '4'

/** Why a server that answers must not be used, or null. */
export function findHostFault(report: Report): string | null {
  if (report.get('read_only') === 'ON' || report.get('super_read_only') === 'ON') return 'it is read-only'
  if (report.get('wsrep_on') !== 'ON') return null
  if (report.get('wsrep_cluster_status') !== 'Primary') return 'it is not with the majority'
  if (report.get('wsrep_ready') !== 'ON') return 'it is not ready'
  return report.get('wsrep_local_state') === synced ? null : 'it is not in sync'
}

/** Checks one host, over a connection of its own that it keeps. */
export interface HostProbe {
  /** Why the host can't be used, or null. */
  look(): Promise<string | null>
  close(): void
}

export function createHostProbe(address: MysqlAddress, patience: Patience): HostProbe {
  let kept: mysql.Connection | null = null
  const connect = async (): Promise<mysql.Connection> => {
    const options = { ...connectionOptions(address), connectTimeout: patience.limitMs, multipleStatements: true }
    const connecting = mysql.createConnection(options)
    return inTime(connecting, patience).catch(error => {
      connecting.then(unused => unused.destroy()).catch(() => {})
      throw error
    })
  }
  const close = (): void => {
    kept?.destroy()
    kept = null
  }
  return {
    async look() {
      try {
        kept ??= await connect()
        const [sets] = await inTime(kept.query<mysql.RowDataPacket[][]>(question), patience)
        return findHostFault(new Map(sets.flat().map(row => [String(row.Variable_name).toLowerCase(), row.Value])))
      } catch (error) {
        close()
        return asError(error).message
      }
    },
    close,
  }
}

const patientOnce: Patience = { clock: machineClock, limitMs: 5_000 }

/** The first usable host; if none is usable, the first of all. For work that is done once. */
export async function findUsableHost(address: MysqlAddress): Promise<MysqlAddress> {
  const hosts = listHosts(address)
  if (hosts.length === 1) return address
  const faults = await Promise.all(
    hosts.map(async host => {
      const probe = createHostProbe(host, patientOnce)
      const fault = await probe.look()
      probe.close()
      return fault
    }),
  )
  return hosts[faults.indexOf(null)] ?? address
}
