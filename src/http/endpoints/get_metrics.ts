import { z } from 'zod'
import { unavailable } from '../../base/api_error.ts'
import { defineEndpoint } from '../endpoint.ts'

/** For the operator, and so not in the document; mounted where `METRICS_TOKEN` is set. */
export const getMetrics = defineEndpoint({
  method: 'get',
  path: '/metrics',
  isDocumented: false,
  operationId: 'getMetrics',
  summary: 'Metrics of this node',
  description: 'For Prometheus.',
  tag: 'Operation',
  authentication: 'metrics_token',
  responses: { 200: { description: 'Metrics.', content: { 'text/plain': { schema: z.string() } } } },
  async handler(_call, { metrics }) {
    if (metrics === null) throw unavailable('METRICS_TOKEN is not set')
    const { contentType, text } = await metrics.render()
    return { status: 200, type: contentType, body: text }
  },
})
