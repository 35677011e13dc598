import { createDataSource } from '../index.ts'
import { address } from './address.ts'
import { schema } from './orders.ts'

/** For TypeORM's command line, which writes the migrations. */
export default createDataSource(address, schema)
