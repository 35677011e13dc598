import type { Command } from 'commander'
import { migrateDatabase } from '../composition/open_database.ts'
import { errorLog, print, type ReadConfig } from './command.ts'

export const addMigrateCommand = (program: Command, readConfig: ReadConfig): void => {
  program
    .command('migrate')
    .description('create the database if there is none, and bring its schema up to this build')
    .action(async () => {
      const names = await migrateDatabase({ config: readConfig(), log: errorLog })
      print(names.length === 0 ? 'The schema is up to date.' : `Ran ${names.join(', ')}.`)
    })
}
