import { readFirst, type Store } from 'durable-xstate-sql'
import type { RowOf } from 'durable-xstate-sql/sql'
import { pieceBytes } from '../base/bytes.ts'

/** Something that a database server's own configuration gets wrong. */
export interface ServerFault {
  /** True: the service's promises do not hold with it; false: the operator decides. */
  readonly isFatal: boolean
  readonly message: string
  readonly remedy: string
}

/** Images are written in pieces, of which each byte takes up to two in a statement's text. */
export const minPacketBytes = 4 * pieceBytes

/** Some for migrations, commands and the operator beside the nodes. */
const spareConnections = 5

const columns = {
  max_allowed_packet: 'count',
  max_connections: 'count',
  user_connections: 'count',
  flush_at_commit: 'count',
} as const

const question = `SELECT @@max_allowed_packet AS max_allowed_packet, @@max_connections AS max_connections,
  @@max_user_connections AS user_connections, @@innodb_flush_log_at_trx_commit AS flush_at_commit`

/** Returns the faults of a server's settings for a node that may use so many connections. */
export function judgeServer(
  { max_allowed_packet, max_connections, user_connections, flush_at_commit }: RowOf<typeof columns>,
  connections: number,
): readonly ServerFault[] {
  // A user without a limit of its own has 0.
  const isUsersOwn = user_connections > 0 && user_connections < max_connections
  const [variable, allowed] = isUsersOwn
    ? ['max_user_connections', user_connections]
    : ['max_connections', max_connections]
  const faults: ServerFault[] = []
  if (max_allowed_packet < minPacketBytes)
    faults.push({
      isFatal: true,
      message: `max_allowed_packet of the database server is ${max_allowed_packet} bytes, and images need ${minPacketBytes}`,
      remedy: 'Raise it in the server’s configuration: 16M is MariaDB’s default.',
    })
  if (allowed < connections + spareConnections)
    faults.push({
      isFatal: false,
      message: `${variable} of the database server is ${allowed}, and this node alone may use ${connections}`,
      remedy: 'Raise it to DATABASE_CONNECTIONS of all nodes and some more, or lower DATABASE_CONNECTIONS.',
    })
  if (flush_at_commit !== 1)
    faults.push({
      isFatal: false,
      message: `innodb_flush_log_at_trx_commit of the database server is ${flush_at_commit}: a crash of it loses what was acknowledged, unless other members of a cluster have it`,
      remedy: 'Set it to 1 on a server that stands alone.',
    })
  return faults
}

/** Returns the faults in the settings of the database server that a node uses; none for an embedded database. */
export async function findServerFaults(store: Store, connections: number): Promise<readonly ServerFault[]> {
  if (store.hostName() === null) return []
  const found = await readFirst(store, { sql: question, values: [], columns })
  return found === null ? [] : judgeServer(found, connections)
}
