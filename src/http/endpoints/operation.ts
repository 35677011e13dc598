import { z } from 'zod'
import { unavailable } from '../../base/api_error.ts'
import { meaning } from '../../schemas/fields.ts'
import { json } from '../content.ts'
import { defineEndpoint, defineUndocumented } from '../endpoint.ts'

export const getHealth = defineEndpoint({
  method: 'get',
  path: '/healthz',
  operationId: 'getHealth',
  summary: 'Whether the process lives',
  description:
    '200 as long as the process can answer at all, for a supervisor that restarts it. It says nothing of the database.',
  tag: 'Operation',
  authentication: 'none',
  responses: {
    200: json('It does.', z.object({ status: z.literal('alive').meta({ description: 'Always `alive`.' }) })),
  },
  handler: () => ({ status: 200, body: { status: 'alive' } }),
})

export const getReadiness = defineEndpoint({
  method: 'get',
  path: '/readyz',
  operationId: 'getReadiness',
  summary: 'Whether the node can serve',
  description: '200 where the node can serve calls, for a load balancer; a 503 names the reasons why it can’t.',
  tag: 'Operation',
  authentication: 'none',
  responses: {
    200: json(
      'It can.',
      z.object({
        status: z.literal('ready').meta({ description: 'Always `ready`.' }),
        database_host: z
          .string()
          .nullable()
          .meta(meaning('The host of the database that the node uses now; null with SQLite.', 'db1.example:3306')),
      }),
    ),
  },
  async handler(_call, { unreadiness, databaseHost }) {
    const reasons = await unreadiness()
    if (reasons.length > 0) throw unavailable(`not ready: ${reasons.join('; ')}`)
    return { status: 200, body: { status: 'ready', database_host: databaseHost() } }
  },
})

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
