import { defineEndpoint } from '../endpoint.ts'
import { sendPublication } from '../publication.ts'
import { unchanged } from '../shapes/chart.ts'
import { anyObject } from '../shapes/common.ts'

export const getDocument = defineEndpoint({
  method: 'get',
  path: '/openapi.json',
  operationId: 'getDocument',
  summary: 'This document',
  description: 'The API as an OpenAPI 3.1 document, made of the schemas that calls are checked by.',
  tag: 'Operation',
  authentication: 'none',
  responses: {
    200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: anyObject } } },
    304: unchanged,
  },
  handler: ({ ctx }, { documents }) => sendPublication(ctx, documents.json),
})
