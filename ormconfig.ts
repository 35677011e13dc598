import { createDataSource } from 'durable-xstate-sql'
import { makeSqliteFile } from 'durable-xstate-sql/sql'
import { readDatabaseAddress } from './src/config/settings.ts'
import { schema } from './src/database/schema.ts'

/** For TypeORM's command line: `npx typeorm migration:show -d ormconfig.ts`. Reads `DATABASE_URL` as the service does. */
const address = readDatabaseAddress(process.env)
if (address.dialect === 'sqlite') makeSqliteFile(address.file)

export default createDataSource(address, schema)
