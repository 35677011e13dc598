import { z } from 'zod'
import { sendPage } from '../docs.ts'
import { defineEndpoint } from '../endpoint.ts'

export const getDocsPage = defineEndpoint({
  method: 'get',
  path: '/docs/{*path}',
  operationId: 'getDocsPage',
  summary: 'A page of the documentation',
  description: 'A group of the reference, a guide, or a file that one of them links to.',
  tag: 'Operation',
  isDocumented: false,
  authentication: 'none',
  request: { path: { path: z.string() } },
  responses: { 200: { description: 'The page.', content: { '*/*': {} } }, 304: { description: 'Unchanged.' } },
  errors: [404],
  handler: ({ path: { path }, ctx }, { documents }) => sendPage(ctx, documents, `docs/${path}`),
})
