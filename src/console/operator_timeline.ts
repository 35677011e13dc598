import { readAll } from 'durable-xstate-sql'
import { type RowOf, toPlaceholders } from 'durable-xstate-sql/sql'
import { columnsOf } from '../database/schema.ts'
import type { TransactionDeps } from '../verification/transactions/deps.ts'
import { readTimeline } from '../verification/transactions/timeline.ts'

const entryColumns = columnsOf('journal', 'sequence', 'event')
const operatorColumns = columnsOf('operators', 'id', 'name')

function readOperatorId({ event }: RowOf<typeof entryColumns>): string | null {
  return (JSON.parse(event) as { readonly operator_id?: string }).operator_id ?? null
}

/** A transaction's timeline, with the names of the operators in it. @throws {ApiError} `not_found` */
export async function readOperatorTimeline(
  deps: TransactionDeps,
  account_id: string,
  id: string,
  page: { readonly after: number; readonly limit: number },
) {
  const { data, next } = await readTimeline(deps, account_id, id, page)
  const named = data.filter(({ sent_by }) => sent_by === 'operator').map(({ sequence }) => sequence)
  if (named.length === 0) return { data: data.map(one => ({ ...one, operator_id: null, operator_name: null })), next }
  const sql = `SELECT sequence, event FROM journal WHERE actor_id = ? AND sequence IN (${toPlaceholders(named)})`
  const entries = await readAll(deps.store, { sql, values: [id, ...named], columns: entryColumns })
  const ids = new Map(entries.map(row => [row.sequence, readOperatorId(row)]))
  const values = [...new Set(ids.values())].filter(value => value !== null)
  const names = await readAll(deps.store, {
    sql: `SELECT id, name FROM operators WHERE id IN (${toPlaceholders(values)})`,
    values,
    columns: operatorColumns,
  })
  const findName = (operator_id: string | null) => names.find(row => row.id === operator_id)?.name ?? null
  const withOperator = (one: (typeof data)[number]) => {
    const operator_id = ids.get(one.sequence) ?? null
    return { ...one, operator_id, operator_name: findName(operator_id) }
  }
  return { data: data.map(withOperator), next }
}
