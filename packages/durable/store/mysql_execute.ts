import type mysql from 'mysql2/promise'
import type { Row, Statement, StatementResult } from './statement.ts'

function toResult(result: unknown): StatementResult {
  if (Array.isArray(result)) return { rows: result as Row[], changed: 0 }
  const header = result as mysql.ResultSetHeader
  return { rows: [], changed: header.affectedRows }
}

/**
 * In the text of a statement a byte takes two characters, so a large value might exceed the packet that a server
 * accepts (16 MiB). A small value is cheaper in one text with other statements than in a round trip of its own.
 */
const largeBytes = 128 * 1024

function isLarge({ values }: Statement): boolean {
  return values.some(value => value instanceof Uint8Array && value.length > largeBytes)
}

/** A single statement is sent prepared, with its binary values as they are. Several are sent as one text, in one round trip. */
async function together(
  connection: mysql.PoolConnection,
  [first, ...more]: readonly Statement[],
): Promise<readonly StatementResult[]> {
  if (first === undefined) return []
  const { sql, values } = first
  if (more.length > 0) {
    const texts = [sql, ...more.map(other => other.sql)]
    const [results] = await connection.query(texts.join(';'), [...values, ...more.flatMap(other => [...other.values])])
    return (results as unknown[]).map(toResult)
  }
  // MySQL can't prepare START TRANSACTION.
  const [result] = values.length === 0 ? await connection.query(sql) : await connection.execute(sql, [...values])
  return [toResult(result)]
}

/**
 * Runs statements in order, in as few round trips as their sizes allow, or `oneByOne`. Statements after one that fails
 * are not run.
 */
export async function execute(
  connection: mysql.PoolConnection,
  statements: readonly Statement[],
  oneByOne: boolean,
): Promise<readonly StatementResult[]> {
  const outcomes: StatementResult[] = []
  let small: Statement[] = []
  for (const statement of statements) {
    if (oneByOne || isLarge(statement)) {
      outcomes.push(...(await together(connection, small)), ...(await together(connection, [statement])))
      small = []
    } else small.push(statement)
  }
  return [...outcomes, ...(await together(connection, small))]
}
