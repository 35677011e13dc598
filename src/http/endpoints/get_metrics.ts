import { unavailable } from '../../base/api_error.ts'
import { defineUndocumented } from '../endpoint.ts'

/** Metrics of this node for Prometheus; mounted where `METRICS_TOKEN` is set. */
export const getMetrics = defineUndocumented({
  method: 'get',
  path: '/metrics',
  authentication: 'metrics_token',
  async handler(_call, { metrics }) {
    if (metrics === null) throw unavailable('METRICS_TOKEN is not set')
    const { contentType, text } = await metrics.render()
    return { status: 200, type: contentType, body: text }
  },
})
