import type { Command } from 'commander'
import { finishUpgrade } from '../node/chart_versions.ts'
import { migrateDatabase } from '../node/open_database.ts'
import type { Shell } from './command.ts'

export function addMigrateCommand(program: Command, { log, printDone, readConfig, withDatabase }: Shell): void {
  program
    .command('migrate')
    .description('create the database if there is none, and bring its schema up to this build')
    .option('--finish', 'let new transactions have this build’s charts: when every node runs it')
    .option('--json', 'print JSON')
    .action(async (options: { json?: true; finish?: true }) => {
      const names = await migrateDatabase({ config: readConfig(), log })
      if (options.finish === true) await withDatabase(({ store }) => finishUpgrade(store))
      const sentence = names.length === 0 ? 'The schema is up to date.' : `Ran ${names.join(', ')}.`
      printDone(options, sentence, { migrations: names })
    })
}
