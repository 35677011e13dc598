import { createDataSource } from '../index.ts'
import { address } from './address.ts'
import { schema } from './orders.ts'

/** TypeORM's command line, which writes the migrations, requires this export. */
export default createDataSource(address, schema)
