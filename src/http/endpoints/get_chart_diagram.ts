import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { sendPublication } from '../publication.ts'
import { chartPath, unchanged } from '../shapes/chart.ts'

export const getChartDiagram = defineEndpoint({
  method: 'get',
  path: '/charts/{name}/{version}.mmd',
  operationId: 'getChartDiagram',
  summary: 'A state chart as Mermaid text',
  description: 'The chart as a `stateDiagram-v2`, which Mermaid and many wikis draw.',
  tag: 'Charts',
  authentication: 'none',
  request: { path: chartPath },
  responses: {
    200: { description: 'The drawing.', content: { 'text/vnd.mermaid': { schema: z.string() } } },
    304: unchanged,
  },
  errors: [404],
  handler: ({ path, ctx }, { charts }) => sendPublication(ctx, charts.find('mmd', path.name, path.version)),
})
