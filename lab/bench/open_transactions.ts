import { createHost, type Statement, type Store } from 'durable-xstate-sql'
import type { Value } from 'durable-xstate-sql/sql'
import type { Row } from 'durable-xstate-sql/testing'
import { untyped } from '../../packages/durable/test/actors/charts.ts'
import { systemClock } from '../../src/base/clock.ts'
import { newId } from '../../src/base/ids.ts'
import type { DeliveryConfig } from '../../src/verification/transactions/config.ts'
import { createTransactionDefinition } from '../../src/verification/transactions/definition.ts'
import { createDeliveries } from '../../src/webhooks/delivery.ts'
import type { TestEngine } from '../../test/database.ts'
import { documentInput, transactionEvents } from '../../test/machines/events.ts'

/** MariaDB recurses no further in one statement. */
const perCommit = 1_000
const template = newId()
const events = transactionEvents(template)

/** The stored configuration of a transaction: as long as one with a device policy. */
export const storedConfig = JSON.stringify({
  webhook: null,
  test: null,
  device_policy: 'd'.repeat(230),
} satisfies Record<keyof DeliveryConfig | 'device_policy', unknown>)

/** The transaction chart's event of that name, as the template is sent it. */
export function eventOf(name: string) {
  const event = events.find(({ type }) => type === name)
  if (event === undefined) throw new Error(`there is no ${name}`)
  return event
}

/** Ids that sort as they were made, as UUIDs of version 7 do. */
export function idOf(n: number): string {
  return `019a0000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
}

function idSql({ name }: TestEngine): string {
  return name === 'SQLite'
    ? "printf('019a0000-0000-7000-8000-%012x', n)"
    : "CONCAT('019a0000-0000-7000-8000-', LOWER(LPAD(HEX(n), 12, '0')))"
}

interface Copied {
  readonly name: string
  readonly row: Row
}

/** Copies of rows for each `n` from `from` on. */
interface Copies {
  readonly from: number
  readonly to: number
  /** The timer of `n` rings `n` milliseconds later. */
  readonly rings_from: number
}

/** The ids of a copied row are others, and its timer rings later. */
function copyRow(engine: TestEngine, { name: tableName, row }: Copied, { from, to, rings_from }: Copies): Statement {
  const values: Value[] = []
  const bind = (value: Value): string => {
    values.push(value)
    return '?'
  }
  const expressions = Object.entries(row).map(([name, value]) => {
    if (name === 'ready_at') return `${bind(rings_from)} + n`
    return value === template || (name === 'id' && tableName === 'scheduled_jobs')
      ? idSql(engine)
      : bind(value as Value)
  })
  const numbers = `WITH RECURSIVE s (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM s WHERE n < ${to - 1})`
  const sql = `INSERT INTO ${tableName} (${Object.keys(row).join(', ')}) ${numbers} SELECT ${expressions.join(', ')} FROM s`
  return { sql, values }
}

/** Every row that one transaction has once it was started. */
async function startOne(store: Store): Promise<readonly Copied[]> {
  const host = createHost(store, systemClock)
  const definition = createTransactionDefinition(host.dialect, createDeliveries(host, [0]))
  const columns = {
    customer_id: newId(),
    transaction_type: 'DOCUMENT_AND_BIOMETRIC' as const,
    expected_data: null,
    expires_at: 0,
  }
  const opened = { id: template, account_id: template, input: documentInput }
  await host.create(definition, { ...opened, columns: { ...columns, config: storedConfig, token_hash: template } })
  await host.send(untyped(definition), template, eventOf('START'))
  const names = ['transactions', 'journal', 'scheduled_jobs']
  const read = async (name: string) =>
    (await store.read({ sql: `SELECT * FROM ${name}`, values: [] })).map(row => ({ name, row }))
  return (await Promise.all(names.map(read))).flat()
}

/**
 * Opens and starts a transaction in an empty database and copies it, with its journal and its timer, `many` times: as
 * `idOf(1)` and so on. Its timers ring in the hours to come, unless `rings_from` says otherwise.
 */
export async function fillWithOpen(
  engine: TestEngine,
  store: Store,
  many: number,
  rings_from = Date.now() + 3_600_000,
): Promise<void> {
  const rows = await startOne(store)
  for (let from = 1; from <= many; from += perCommit) {
    const to = Math.min(from + perCommit, many + 1)
    const copies = rows.map(one => copyRow(engine, one, { from, to, rings_from }))
    await store.commit(
      function* () {
        yield copies
      },
      { isDurable: false },
    )
  }
}
