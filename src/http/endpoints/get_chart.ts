import { defineEndpoint } from '../endpoint.ts'
import { sendPublication } from '../publication.ts'
import { chart, chartPath, unchanged } from '../shapes/chart.ts'

export const getChart = defineEndpoint({
  method: 'get',
  path: '/charts/{name}/{version}',
  operationId: 'getChart',
  summary: 'A state chart’s definition',
  description: 'As JSON, for XState and Stately’s editor. Code, so that it needs no token.',
  tag: 'Charts',
  authentication: 'none',
  request: { path: chartPath },
  responses: {
    200: { description: 'The definition.', content: { 'application/json': { schema: chart } } },
    304: unchanged,
  },
  errors: [404],
  handler: ({ path, ctx }, { charts }) => sendPublication(ctx, charts.find('json', path.name, path.version)),
})
