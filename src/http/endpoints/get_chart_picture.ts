import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { sendPublication } from '../publication.ts'
import { chartPath, unchanged } from '../shapes/chart.ts'

/** A picture that is opened by itself may use its own style, and nothing else. */
const policy = "default-src 'none';style-src 'unsafe-inline';frame-ancestors 'none';sandbox"

export const getChartPicture = defineEndpoint({
  method: 'get',
  path: '/charts/{name}/{version}.svg',
  operationId: 'getChartPicture',
  summary: 'A state chart as a picture',
  description:
    'The chart as an SVG, light and dark. Each state has a `data-state`, each transition a `data-transition`.',
  tag: 'Charts',
  authentication: 'none',
  request: { path: chartPath },
  responses: {
    200: { description: 'The drawing.', content: { 'image/svg+xml': { schema: z.string() } } },
    304: unchanged,
  },
  errors: [404],
  handler: ({ path, ctx }, { charts }) =>
    sendPublication(ctx, charts.find('svg', path.name, path.version), { 'Content-Security-Policy': policy }),
})
