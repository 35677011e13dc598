import { json } from '../../http/content.ts'
import { defineEndpoint } from '../../http/endpoint.ts'
import { idParameter, wordParameter } from '../../http/parameters.ts'
import { consoleApi, forOperators } from '../endpoint.ts'
import { readOverview } from '../overview.ts'
import { overview } from '../shapes/overview.ts'

export const getOverview = defineEndpoint({
  ...forOperators('viewer', 'getOverview', 'What became of the transactions of the last days'),
  method: 'get',
  path: `${consoleApi}/overview`,
  request: {
    query: { account_id: idParameter.optional(), days: wordParameter(['7', '30', '90']).default('7') },
  },
  responses: { 200: json('As it is now.', overview) },
  async handler({ query: { account_id = null, days } }, { transactions: { store, clock } }) {
    return { status: 200, body: await readOverview(store, clock.now(), account_id, Number(days)) }
  },
})
