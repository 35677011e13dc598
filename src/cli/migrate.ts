import { migrateDatabase } from '../composition/database.ts'
import { type Command, errorLog, say } from './command.ts'

/** `attestor migrate`. */
export const migrateSchema: Command = {
  name: 'migrate',
  takes: '',
  means: 'make the database where there is none, and bring its schema up to this build',
  options: {},
  run: async ({ config }) => {
    const names = await migrateDatabase({ config, log: errorLog })
    say(names.length === 0 ? 'The schema is up to date.' : `Ran ${names.join(', ')}.`)
  },
}
