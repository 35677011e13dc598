import test from 'ava'
import { eachDialect, openTestStore } from '../database.ts'
import { insertManyRows } from './many_rows.ts'
import { explainSearch, listMatches, listSearches } from './searches.ts'

/** Number of rows: few, but enough that a planner prefers an index. */
const rows = 4000

/** Tables that grow with every transaction; an account or two may be read whole. */
const large = ['t', 'i', 'c', 'transactions', 'transaction_issues', 'customers']

for (const engine of eachDialect) {
  test(`On ${engine.name} no search of the console reads a table from end to end, or sorts one`, async t => {
    const { store } = await openTestStore(t, engine, 2)
    const many = await insertManyRows(store, rows)
    const pages = Object.entries(listSearches(many))
    const matches = Object.entries(listMatches(many, 200))
    t.true(pages.length > 30 && matches.length > 30)
    for (const [name, run] of [...pages, ...matches]) {
      const steps = await explainSearch(store, run)
      const reads = steps.filter(({ table }) => large.includes(table))
      t.true(reads.length > 0, name)
      for (const { text, isIndexed } of reads) t.true(isIndexed, `${name}: ${text}`)
      // MariaDB would read an account's customers from the first one on.
      if (name === 'customers of an account, further')
        for (const { text } of reads) t.regex(text, /c range|created_at</, name)
      // The matches that are counted or sorted are bounded.
      if (matches.some(([other]) => other === name)) continue
      // A merge of several pages sorts their 21 rows each.
      const sorts = steps.filter(({ isSorted }) => isSorted).length
      t.true(sorts <= (reads.length > 1 ? reads.length : 0), `${name}: ${steps.map(({ text }) => text).join(' / ')}`)
    }
  })
}
