import { unavailable } from '../base/refusal.ts'
import { number, type Row } from '../store/statement.ts'
import { readFirst, type Store } from '../store/store.ts'
import { refuseFaultyChart } from './chart_lint.ts'
import type { ActorKind } from './kind.ts'

/** Lints every chart that this build could step. @throws {ChartRefused} */
export const refuseFaultyCharts = (kinds: readonly ActorKind[]): void => {
  for (const { charts } of kinds) for (const chart of Object.values(charts)) refuseFaultyChart(chart)
}

/**
 * An actor that a newer build made would be guessed at by this one; so the node says that it is not ready instead.
 * Null when the chart of every actor that is not ended is known. Versions are consecutive, which keeps this to two looks at an index.
 */
export const unknownChart = async (store: Store, kinds: readonly ActorKind[]): Promise<string | null> => {
  for (const { name, table, charts, ended } of kinds) {
    const versions = Object.keys(charts).map(Number)
    for (const [beyond, limit] of [
      ['<', Math.min(...versions)],
      ['>', Math.max(...versions)],
    ] as const) {
      const alive = ended.length === 0 ? '' : ` AND status NOT IN (${ended.map(() => '?').join(', ')})`
      const sql = `SELECT chart_version FROM ${table} WHERE chart_version ${beyond} ?${alive} LIMIT 1`
      const row = await readFirst(store, { sql, values: [limit, ...ended] })
      if (row !== null)
        return `this build does not know version ${number(row, 'chart_version')} of the ${name} chart: run a newer build`
    }
  }
  return null
}

/**
 * Asked before a job is begun: what it did for an actor of a newer chart could not be told, and would be done again and
 * again until a newer node takes the job. @throws {Refusal} `unavailable`
 */
export const requireKnownChart = ({ name, charts }: ActorKind, row: Row): void => {
  const version = number(row, 'chart_version')
  if (charts[version] === undefined)
    throw unavailable(`this build does not know version ${version} of the ${name} chart`)
}
