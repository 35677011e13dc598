import { defineUndocumented } from '../../http/endpoint.ts'
import { idParameter, wordParameter } from '../../http/parameters.ts'
import { consoleApi, forOperators } from '../endpoint.ts'
import { readOverview } from '../overview.ts'

/** Shows the outcomes of the last days' transactions. */
export const getOverview = defineUndocumented({
  ...forOperators('viewer'),
  method: 'get',
  path: `${consoleApi}/overview`,
  request: {
    query: { account_id: idParameter.optional(), days: wordParameter(['7', '30', '90']).default('7') },
  },
  async handler({ query: { account_id = null, days } }, { transactions: { store, clock } }) {
    return { status: 200, body: await readOverview(store, clock.now(), account_id, Number(days)) }
  },
})
