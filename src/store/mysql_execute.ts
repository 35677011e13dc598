import type mysql from 'mysql2/promise'
import type { Outcome, Row, Statement } from './statement.ts'

const outcomeOf = (result: unknown): Outcome => {
  if (Array.isArray(result)) return { rows: result as Row[], changed: 0 }
  const header = result as mysql.ResultSetHeader
  return { rows: [], changed: header.affectedRows }
}

/** As text a byte takes two: an image of the largest size would not fit into the packet that a server takes (16 MiB). */
const large_bytes = 1024 * 1024

const isLarge = ({ values }: Statement): boolean =>
  values.some(value => value instanceof Uint8Array && value.length > large_bytes)

/**
 * One statement goes prepared (binary values travel as they are); several go as one text of many, one round trip, where
 * they need not go `one_by_one`.
 */
export const execute = async (
  connection: mysql.PoolConnection,
  statements: readonly Statement[],
  one_by_one: boolean,
): Promise<Outcome[]> => {
  const [only] = statements
  if (only !== undefined && statements.length === 1) {
    const { sql, values } = only
    // MySQL prepares no START TRANSACTION.
    const [result] = values.length === 0 ? await connection.query(sql) : await connection.execute(sql, [...values])
    return [outcomeOf(result)]
  }
  if (one_by_one || statements.some(isLarge)) {
    const outcomes: Outcome[] = []
    for (const statement of statements) outcomes.push(...(await execute(connection, [statement], one_by_one)))
    return outcomes
  }
  const sql = statements.map(statement => statement.sql).join(';')
  const values = statements.flatMap(statement => [...statement.values])
  const [results] = await connection.query(sql, values)
  return (results as unknown[]).map(outcomeOf)
}
