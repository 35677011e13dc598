/**
 * `node lab/bench/console_search.ts [rows]`: every search of the console over a million transactions of two accounts. Prints
 * for each engine how long a page of 20 takes, and how the database reads. MariaDB where `TEST_MYSQL_URL` names a server.
 */
import { openStore } from 'durable-xstate-sql'
import { maxMatches } from '../../src/console/matches.ts'
import { insertManyRows } from '../../test/console/many_rows.ts'
import { explainSearch, listMatches, listSearches } from '../../test/console/searches.ts'
import { eachDialect } from '../../test/database.ts'
import { machine, median, table } from './measure.ts'

const rows = Number(process.argv[2] ?? '1000000')
const rounds = 15

console.log(machine())
for (const engine of eachDialect) {
  const database = await engine.fresh()
  const store = await openStore(database.address, 4)
  const many = await insertManyRows(store, rows)
  const searches = Object.entries({ ...listSearches(many), ...listMatches(many, maxMatches) })
  const lines = [[`${engine.name}, ${rows} transactions`, 'median ms', 'longest ms', 'reads']]
  for (const [name, run] of searches) {
    await run(store)
    const times: number[] = []
    for (let n = 0; n < rounds; n++) {
      const began = performance.now()
      await run(store)
      times.push(performance.now() - began)
    }
    const plan = new Set((await explainSearch(store, run)).map(({ text }) => text))
    lines.push([name, median(times).toFixed(1), Math.max(...times).toFixed(1), [...plan].slice(0, 3).join(' / ')])
  }
  console.log(table(lines))
  await store.close()
  await database.drop()
}
