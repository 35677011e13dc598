import { type Cluster, rows } from './galera_nodes.ts'
import type { Trial } from './galera_trials.ts'

function isNone(column: string): string {
  return `NOT EXISTS (SELECT 1 FROM transactions t WHERE t.id = ${column}) AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.id = ${column})`
}

/** Queries for rows that only half a unit leaves behind. */
const halves: Readonly<Record<string, string>> = {
  'entries of nobody': `SELECT COUNT(*) AS many FROM journal j WHERE ${isNone('j.actor_id')}`,
  'due rows of nobody': `SELECT COUNT(*) AS many FROM scheduled_jobs u WHERE ${isNone('u.actor_id')}`,
  'transactions beside their journal': `SELECT COUNT(*) AS many FROM transactions a
    WHERE NOT (a.version <=> (SELECT MAX(sequence) FROM journal WHERE actor_id = a.id))`,
  'deliveries of nobody': `SELECT COUNT(*) AS many FROM deliveries d
    WHERE NOT EXISTS (SELECT 1 FROM transactions t WHERE t.id = d.transaction_id)`,
  'answers of nobody': `SELECT COUNT(*) AS many FROM idempotency_keys k
    WHERE NOT EXISTS (SELECT 1 FROM transactions t WHERE t.id = k.subject_id)
    AND NOT EXISTS (SELECT 1 FROM customers c WHERE c.id = k.subject_id)`,
}

const tables = [
  'customers',
  'transactions',
  'deliveries',
  'delivery_attempts',
  'journal',
  'scheduled_jobs',
  'idempotency_keys',
]

async function countsOn({ nodes }: Cluster, sql: string): Promise<readonly number[]> {
  return Promise.all(nodes.map(async node => Number((await rows(node, sql))[0]?.many)))
}

/** Checks after all concurrent work that every unit is there as a whole or not at all, and alike on every member. */
export const wholeUnits: Trial = {
  promise: 'afterwards no unit is there by half, and all members hold the same',
  async run(cluster) {
    const found: string[] = []
    for (const [what, sql] of Object.entries(halves)) {
      const counts = await countsOn(cluster, sql)
      if (counts.some(count => count !== 0)) found.push(`${counts.join(', ')} ${what}`)
    }
    let total = 0
    for (const table of tables) {
      const counts = await countsOn(cluster, `SELECT COUNT(*) AS many FROM ${table}`)
      total += counts[0] ?? 0
      if (new Set(counts).size > 1) found.push(`${counts.join(', ')} rows of ${table}`)
    }
    return { said: `${total} rows; ${found.join('; ') || 'no difference'}`, holds: found.length === 0 }
  },
}
