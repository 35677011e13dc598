import { z } from 'zod'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'

export const getHealth = defineEndpoint({
  method: 'get',
  path: '/healthz',
  operationId: 'getHealth',
  summary: 'Whether the process lives',
  description: 'Answers as long as the process does.',
  tag: 'Operation',
  authentication: 'none',
  responses: {
    200: json('It does.', z.object({ status: z.literal('alive').meta({ description: 'Always `alive`.' }) })),
  },
  handler: () => ({ status: 200, body: { status: 'alive' } }),
})
