import { type Command, migrateDatabase, say } from './command.ts'

/** `attestor migrate`. */
export const migrateSchema: Command = {
  name: 'migrate',
  takes: '',
  means: 'bring the database’s schema up to this build',
  options: {},
  run: async ({ config }) => {
    const names = await migrateDatabase(config)
    say(names.length === 0 ? 'The schema is up to date.' : `Ran ${names.join(', ')}.`)
  },
}
