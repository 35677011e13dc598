import { readDatabaseAddress } from './src/config.ts'
import { schema } from './src/database/schema.ts'
import { createDataSource } from './src/durable/store/source.ts'
import { makeSqliteFile } from './src/durable/store/sqlite_file.ts'

/** For TypeORM's command line: `npx typeorm migration:show -d ormconfig.ts`. Reads `DATABASE_URL` as the service does. */
const address = readDatabaseAddress(process.env)
if (address.dialect === 'sqlite') makeSqliteFile(address.file)

export default createDataSource(address, schema)
