import type mysql from 'mysql2/promise'

/**
 * Settings that a server's own configuration must not decide: the driver escapes with backslashes, which
 * NO_BACKSLASH_ESCAPES would take for text, and values that don't fit must fail, not be cut.
 */
const settings = `SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;
  SET SESSION sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', autocommit = 1`

/** A read or a unit sees all that was committed on any member before it began. */
const memberSettings = 'SET SESSION wsrep_sync_wait = 1'

/** By the driver's own connection, as the pool wraps it again each time. */
const members = new WeakMap<object, boolean>()

/**
 * Makes a connection's settings, once; resolves with whether it leads to a member of a Galera cluster. There statements
 * must travel one by one: a transaction that loses to another member's between two statements of one text is rolled
 * back, and the server goes on with the rest of the text outside of any transaction (seen on MariaDB 10.11: rows of a
 * unit that failed were kept, and a unit was acknowledged of which nothing was). By itself every statement, COMMIT too,
 * answers 1213 then.
 */
export const isMember = async (connection: mysql.PoolConnection): Promise<boolean> => {
  const known = members.get(connection.connection)
  if (known !== undefined) return known
  const [results] = await connection.query(`${settings}; SHOW VARIABLES LIKE 'wsrep_on'`)
  const [variable] = (results as unknown[]).at(-1) as mysql.RowDataPacket[]
  const isMemberOfCluster = variable?.Value === 'ON'
  if (isMemberOfCluster) await connection.query(memberSettings)
  members.set(connection.connection, isMemberOfCluster)
  return isMemberOfCluster
}
