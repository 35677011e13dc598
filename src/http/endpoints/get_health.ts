import { z } from 'zod'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'

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
