import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { readDatabaseAddress } from './src/config.ts'
import { dataSource } from './src/store/source.ts'

/** For TypeORM's command line: `npx typeorm migration:show -d ormconfig.ts`. Reads `DATABASE_URL` as the service does. */
const address = readDatabaseAddress(process.env)
if (address.dialect === 'sqlite') mkdirSync(dirname(address.file), { recursive: true })

export default dataSource(address)
