import { defineEndpoint } from '../endpoint.ts'
import { anyObject } from '../shapes/common.ts'

export const getDocument = defineEndpoint({
  method: 'get',
  path: '/openapi.json',
  operationId: 'getDocument',
  summary: 'This document',
  description: 'Made of the schemas that calls are checked by.',
  tag: 'Operation',
  authentication: 'none',
  responses: { 200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: anyObject } } } },
  handler(_call, { documents }) {
    return { status: 200, headers: { 'Cache-Control': 'public, max-age=300' }, type: 'json', body: documents.json }
  },
})
