import { ApiError } from '../base/api_error.ts'
import { parseId } from '../base/ids.ts'
import { openCustomerKey } from '../customers/customer_key.ts'
import { readFailure } from '../transactions/failure.ts'
import { readTrace } from '../transactions/trace.ts'
import { type Command, say, UsageError, withDatabase } from './command.ts'

/** `attestor transaction trace`. */
export const transactionTrace: Command = {
  name: 'transaction trace',
  takes: 'ID',
  means: 'why it was decided so, or which attempts at it failed, as JSON',
  options: {},
  most_words: 1,
  run: async ({ words: [named = ''], config }) => {
    const id = parseId(named)
    if (id === null) throw new UsageError('transaction trace: ID must be the id of a transaction')
    await withDatabase(config, async ({ store, master }) => {
      const customerKey = (customer_id: string, data_key: Uint8Array) => openCustomerKey(master, customer_id, data_key)
      const kept = await readTrace({ store, customerKey }, id)
      const failure = kept === null ? await readFailure({ store }, id) : null
      if (failure !== null) return say(JSON.stringify({ failure }, null, 2))
      if (kept === null) throw new ApiError('not_found', 'trace: nothing was decided')
      if (!kept.pinned) throw new ApiError('conflict', 'trace: is not the one that the journal names')
      say(JSON.stringify(kept, null, 2))
    })
  },
}
