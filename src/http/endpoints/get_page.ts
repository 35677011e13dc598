import { z } from 'zod'
import { defineEndpoint } from '../endpoint.ts'

export const getPage = defineEndpoint({
  method: 'get',
  path: '/docs',
  operationId: 'getPage',
  summary: 'This document as a page',
  description: 'No script, no network.',
  tag: 'Operation',
  authentication: 'none',
  responses: { 200: { description: 'For people.', content: { 'text/html': { schema: z.string() } } } },
  handler(_call, { documents }) {
    const headers = { 'Cache-Control': 'public, max-age=300', 'Content-Security-Policy': documents.policy }
    return { status: 200, headers, type: 'html', body: documents.html }
  },
})
