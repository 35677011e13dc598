import type { MysqlServer } from './mysql_server.ts'
import type { Statement } from './statement.ts'

/** A host's time, and when by the monotonic clock it was asked for and had arrived. In milliseconds. */
export interface HostTime {
  /** Such as `db1:3306`. */
  readonly host: string
  /** Since the Unix epoch. */
  readonly time: number
  readonly sent: number
  readonly received: number
}

/** SYSDATE is the time of its execution; NOW would be that of the statement or the transaction. */
const selectTime: Statement = { sql: 'SELECT CAST(UNIX_TIMESTAMP(SYSDATE(3)) * 1000 AS SIGNED) AS time', values: [] }

export async function readHostTime(server: MysqlServer, monotonic: () => number): Promise<HostTime> {
  const sent = monotonic()
  const [answer] = await server.use(({ ask }) => ask([selectTime]))
  return { host: server.name, time: Number(answer?.rows[0]?.time), sent, received: monotonic() }
}
