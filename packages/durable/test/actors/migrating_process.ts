import { once } from 'node:events'
import { schema } from '../../../../src/database/schema.ts'
import { migrate } from '../../store/source.ts'

/** One of several processes that bring a new file's schema up at the same moment; says how many migrations it ran. */
const [, , file = ''] = process.argv
process.send?.({ ready: true })
await once(process, 'message')
const ran = await migrate({ dialect: 'sqlite', file }, schema)
process.send?.({ ran: ran.length })
process.disconnect()
