import { readAll, type Store } from 'durable-xstate-sql'
import { type RowOf, type Tables, toPlaceholders } from 'durable-xstate-sql/sql'

type Columns = Tables[string]['columns'] & { readonly id: 'id key' }

/** The next power of two: a database plans and keeps few texts then, whatever the number of rows. */
function roundUp(count: number): number {
  return 2 ** Math.ceil(Math.log2(count))
}

/**
 * Returns what finds a row by its id, or null. Rows that are asked for in one turn are read by one statement, as jobs
 * that are claimed together begin together: each statement costs SQLite two locks of its file, and a server a round
 * trip. `toSql` gets the marks of the ids.
 */
export function gatherReads<const C extends Columns>(
  store: Pick<Store, 'read'>,
  columns: C,
  toSql: (marks: string) => string,
): (id: string) => Promise<RowOf<C> | null> {
  let asked: string[] = []
  let reading: ReturnType<typeof readAsked> | null = null
  const readRows = (values: readonly string[]) =>
    readAll(store, { sql: toSql(toPlaceholders(values)), values, columns })
  const readAsked = async () => {
    // All others that go on in this turn have asked when this continues.
    await null
    const ids = asked
    asked = []
    reading = null
    const same = Array.from({ length: roundUp(ids.length) - ids.length }, () => ids[0] ?? '')
    return new Map<unknown, RowOf<C>>((await readRows([...ids, ...same])).map(row => [row.id, row]))
  }
  return async id => {
    asked.push(id)
    reading ??= readAsked()
    try {
      return (await reading).get(id) ?? null
    } catch {
      // One damaged row fails the statement for all others.
      const [row] = await readRows([id])
      return row ?? null
    }
  }
}
