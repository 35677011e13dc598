import type { Command } from 'commander'
import { ApiError } from '../base/api_error.ts'
import { openCustomerKey } from '../identity/customers/customer_key.ts'
import { commandLine, recordAudit } from '../identity/operators/audit.ts'
import { readFailure } from '../verification/transactions/failure.ts'
import { readTrace } from '../verification/transactions/trace.ts'
import { parseIdArgument, type Shell } from './command.ts'

export function addTransactionCommands(program: Command, { printJson, withDatabase }: Shell): void {
  program
    .command('transaction')
    .description('list and show transactions, and explain their decisions')
    .command('trace')
    .description('show why a transaction was decided as it was, or which attempts failed, as JSON')
    .argument('<transaction_id>', 'id of the transaction', parseIdArgument)
    .action((id: string) =>
      withDatabase(async context => {
        const { store, serviceKeys } = context
        const customerKey = (customer_id: string, data_key: Uint8Array) =>
          openCustomerKey(serviceKeys, customer_id, data_key)
        const trace = await readTrace({ store, customerKey }, id)
        const failure = trace === null ? await readFailure({ store }, id) : null
        if (failure !== null) return printJson({ failure })
        if (trace === null) throw new ApiError('not_found', 'trace: nothing was decided')
        if (!trace.pinned) throw new ApiError('conflict', 'trace: is not the one that the journal names')
        const subject = { type: 'transaction', id } as const
        await recordAudit(context, commandLine, { action: 'personal_data_read', subject })
        printJson(trace)
      }),
    )
}
