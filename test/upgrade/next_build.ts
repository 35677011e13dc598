/** A build that comes after this one, as the tests of upgrades have it: a column more, and a second version of a chart. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DatabaseAddress, migrate } from 'durable-xstate-sql'
import { createMachine } from 'xstate'
import { durableCharts } from '../../machines/charts.ts'
import { transactionMachine } from '../../machines/transaction.ts'
import { schema } from '../../src/database/schema.ts'
import type { BuildCharts } from '../../src/node/chart_versions.ts'

const { config, implementations } = transactionMachine

/** The second version says more of where it waits: a tag that no status has, and so no other event. */
const second = createMachine(
  {
    ...config,
    description: 'The second version.',
    states: { ...config.states, unused: { type: 'final', tags: ['FAILED'] } },
  } as never,
  implementations as never,
) as unknown as typeof transactionMachine

/** It keeps the charts of the build before. */
export const nextCharts: BuildCharts = {
  ...durableCharts,
  transaction: { ...durableCharts.transaction, 2: second },
}

const expansion = `export class NotesOfAccounts1899999999999 {
  name = 'NotesOfAccounts1899999999999'
  async up(runner) {
    await runner.query('ALTER TABLE accounts ADD COLUMN note text')
    await runner.query('CREATE TABLE notes (id varchar(36) NOT NULL PRIMARY KEY, text text)')
  }
  async down() {}
}
`

/** Runs the migrations of the next build: the build before does not know their additions. */
export async function migrateToNext(address: DatabaseAddress): Promise<readonly string[]> {
  const migrations = mkdtempSync(join(tmpdir(), 'attestor-next-'))
  try {
    cpSync(join(schema.migrations, address.dialect), join(migrations, address.dialect), { recursive: true })
    writeFileSync(join(migrations, address.dialect, '1899999999999-notes.ts'), expansion)
    return await migrate(address, { tables: schema.tables, migrations })
  } finally {
    rmSync(migrations, { recursive: true, force: true })
  }
}
