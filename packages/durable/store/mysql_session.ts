import type mysql from 'mysql2/promise'

/**
 * Settings that a server's own configuration must not decide: the driver escapes with backslashes, which
 * NO_BACKSLASH_ESCAPES would take for text, and values that don't fit must fail, not be cut.
 */
const settings = `SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED;
  SET SESSION sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', autocommit = 1`

/** Makes a read or a unit see everything that was committed on any member before it began. */
const memberSettings = 'SET SESSION wsrep_sync_wait = 1'

/** Keyed by the driver's own connection, because the pool wraps it again each time. */
const members = new WeakMap<object, boolean>()

/** What `isMember` found; undefined for a connection that has no settings yet. */
export function isKnownMember(connection: mysql.PoolConnection): boolean | undefined {
  return members.get(connection.connection)
}

/**
 * Applies a connection's settings, once; resolves with whether it leads to a member of a Galera cluster. On one,
 * statements must be sent one by one. A transaction that loses against another member's between two statements of one
 * text is rolled back, and the server runs the rest of the text outside of any transaction (seen on MariaDB 10.11: rows
 * of a failed unit were kept, and a unit was acknowledged of which nothing was kept). Sent alone, the next statement,
 * COMMIT included, fails with 1213.
 */
export async function isMember(connection: mysql.PoolConnection): Promise<boolean> {
  const [results] = await connection.query(`${settings}; SHOW VARIABLES LIKE 'wsrep_on'`)
  const [variable] = (results as unknown[]).at(-1) as mysql.RowDataPacket[]
  const isMemberOfCluster = variable?.Value === 'ON'
  if (isMemberOfCluster) await connection.query(memberSettings)
  members.set(connection.connection, isMemberOfCluster)
  return isMemberOfCluster
}
