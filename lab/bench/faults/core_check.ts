import Database from 'better-sqlite3'
import { expiryMs } from './core_life.ts'

interface Entry {
  readonly actor_id: string
  readonly sequence: number
  readonly type: string
  readonly at: number
}

interface OrderRow {
  readonly id: string
  readonly customer: string
  readonly status: string
  readonly invoices: number
}

const charged = 'xstate.done.actor.charge'

function checkOrder({ customer, status, invoices }: OrderRow, entries: readonly Entry[]): readonly string[] {
  const faults: string[] = []
  const count = (type: string): number => entries.filter(entry => entry.type === type).length
  if (entries.some(({ sequence }, index) => sequence !== index + 1)) faults.push('its journal has a hole')
  if (customer === 'leaves') {
    if (status !== 'EXPIRED') faults.push(`its timer is lost, it is ${status}`)
    const first = entries[0]?.at ?? 0
    const last = entries.at(-1)?.at ?? 0
    if (last - first < expiryMs) faults.push(`its timer was ${expiryMs - (last - first)} ms early`)
    return faults
  }
  // A provider that answers none of three attempts declines it.
  if (!['PAID', 'DECLINED'].includes(status)) faults.push(`it is ${status}`)
  const once = status === 'PAID' ? 1 : 0
  if (count(charged) !== once || invoices !== once)
    faults.push(`it is ${status}, was charged ${count(charged)} times and has ${invoices} invoices`)
  if (count('PAY') !== 1) faults.push(`PAY happened ${count('PAY')} times`)
  return faults
}

/** Finds differences between the clients' knowledge and the database; a line of `acknowledged` is an id and a type. */
export function findFaults(file: string, acknowledged: readonly string[]): readonly string[] {
  const database = new Database(file, { readonly: true })
  const orders = database
    .prepare(
      'SELECT id, customer, status, (SELECT COUNT(*) FROM invoices i WHERE i.order_id = o.id) AS invoices FROM orders o',
    )
    .all() as OrderRow[]
  const entries = database
    .prepare(
      "SELECT actor_id, sequence, json_extract(event, '$.type') AS type, occurred_at AS at FROM journal ORDER BY actor_id, sequence",
    )
    .all() as Entry[]
  const left = 'SELECT name FROM scheduled_jobs UNION ALL SELECT held_job FROM orders WHERE held_job IS NOT NULL'
  const jobs = database.prepare(left).pluck().all()
  const integrity = database.pragma('integrity_check', { simple: true })
  database.close()
  const journals = Map.groupBy(entries, ({ actor_id }) => actor_id)
  const kept = new Set(entries.map(({ actor_id, type }) => `${actor_id} ${type}`))
  return [
    ...acknowledged.filter(line => !kept.has(line)).map(line => `${line} was acknowledged and is missing`),
    ...orders.flatMap(row => checkOrder(row, journals.get(row.id) ?? []).map(fault => `${row.id}: ${fault}`)),
    ...jobs.map(name => `the job ${name} is stuck`),
    ...(integrity === 'ok' ? [] : [`the file is damaged: ${integrity}`]),
  ]
}
