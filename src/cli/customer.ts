import { ApiError } from '../base/api_error.ts'
import { systemClock } from '../base/clock.ts'
import { parseId } from '../base/ids.ts'
import { openPresentDatabase } from '../composition/database.ts'
import { openServiceContext } from '../composition/service_context.ts'
import { columnsOf } from '../durable/store/columns.ts'
import { readFirst } from '../durable/store/store.ts'
import { type Command, errorLog, say, UsageError } from './command.ts'

const selectAccount = `SELECT account_id FROM customers WHERE id = ?
  UNION ALL SELECT account_id FROM erasures WHERE subject_id = ?`

/** `attestor customer erase`. */
export const customerErase: Command = {
  name: 'customer erase',
  takes: 'ID',
  means: 'erase a customer with all that is theirs; tells the receipt, as JSON',
  options: {},
  most_words: 1,
  run: async ({ words: [named = ''], config }) => {
    const id = parseId(named)
    if (id === null) throw new UsageError('customer erase: ID must be the id of a customer')
    const { store, erasures } = await openServiceContext(
      { config, clock: systemClock, log: errorLog },
      openPresentDatabase,
    )
    try {
      const row = await readFirst(store, {
        sql: selectAccount,
        values: [id, id],
        columns: columnsOf('customers', 'account_id'),
      })
      if (row === null) throw new ApiError('not_found', 'customer_id: not found')
      const erasure = { account_id: row.account_id, erased_by: 'command_line', subject_id: id }
      say(JSON.stringify(await erasures.erase('customer', erasure), null, 2))
    } finally {
      await store.close()
    }
  },
}
