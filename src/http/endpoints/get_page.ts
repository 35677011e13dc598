import { z } from 'zod'
import { sendPage } from '../docs.ts'
import { defineEndpoint } from '../endpoint.ts'
import { unchanged } from '../shapes/chart.ts'

export const getPage = defineEndpoint({
  method: 'get',
  path: '/docs',
  operationId: 'getPage',
  summary: 'This document as pages',
  description:
    'The API as pages for people. Nothing is loaded from elsewhere, and the pages can be read without script.',
  tag: 'Operation',
  authentication: 'none',
  responses: { 200: { description: 'For people.', content: { 'text/html': { schema: z.string() } } }, 304: unchanged },
  handler: ({ ctx }, { documents }) => sendPage(ctx, documents, 'docs'),
})
