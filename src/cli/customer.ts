import type { Command } from 'commander'
import { readFirst } from 'durable-xstate-sql'
import { ApiError } from '../base/api_error.ts'
import { systemClock } from '../base/clock.ts'
import { columnsOf } from '../database/schema.ts'
import { commandLine, createAuditRecord } from '../identity/operators/audit.ts'
import { openPresentDatabase } from '../node/open_database.ts'
import { openServiceContext } from '../node/open_service.ts'
import { parseIdArgument, type Shell } from './command.ts'

/** An erased customer is known by its receipt alone. */
const selectAccount = `SELECT account_id FROM customers WHERE id = ?
  UNION ALL SELECT account_id FROM erasures WHERE subject_id = ?`

export function addCustomerCommands(program: Command, { log, printJson, readConfig }: Shell): void {
  program
    .command('customer')
    .description('list, show and erase customers')
    .command('erase')
    .description('erase a customer and all their data, and print the receipt as JSON')
    .argument('<customer_id>', 'id of the customer', parseIdArgument)
    .action(async (id: string) => {
      const options = { config: readConfig(), clock: systemClock, log }
      const { store, erasures, contents } = await openServiceContext(options, openPresentDatabase)
      try {
        const query = { sql: selectAccount, values: [id, id], columns: columnsOf('customers', 'account_id') }
        const row = await readFirst(store, query)
        if (row === null) throw new ApiError('not_found', 'customer_id: not found')
        const event = {
          action: 'customer_erased',
          account_id: row.account_id,
          subject: { type: 'customer', id },
        } as const
        const record = createAuditRecord({ store, clock: systemClock }, commandLine, event)
        const request = { account_id: row.account_id, erased_by: 'command_line', subject_id: id, record }
        printJson(await erasures.erase('customer', request))
      } finally {
        contents.close()
        await store.close()
      }
    })
}
