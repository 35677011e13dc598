import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { meaning } from '../fields.ts'
import { sendPublication } from '../publication.ts'
import { listedChart, unchanged } from '../shapes/chart.ts'

const list = z.object({ data: z.array(listedChart).meta(meaning('Every version of every chart.')) })

export const listCharts = defineEndpoint({
  method: 'get',
  path: '/charts',
  operationId: 'listCharts',
  summary: 'The state charts, in every known version',
  description:
    'Every state chart in every known version: a transaction’s journal names the version that took each event.',
  tag: 'Charts',
  authentication: 'none',
  responses: {
    200: { description: 'The oldest version first.', content: { 'application/json': { schema: list } } },
    304: unchanged,
  },
  handler: ({ ctx }, { charts }) => sendPublication(ctx, charts.list),
})
