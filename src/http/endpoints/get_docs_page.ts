import { z } from 'zod'
import { sendNothing, sendPage } from '../docs.ts'
import { defineEndpoint } from '../endpoint.ts'

export const getDocsPage = defineEndpoint({
  method: 'get',
  path: '/docs/{*path}',
  operationId: 'getDocsPage',
  summary: 'A page of the reference',
  description: 'A group of operations, the errors, the shapes, or the index of the search.',
  tag: 'Operation',
  isDocumented: false,
  authentication: 'none',
  // For the router alone: an address that has escapes is another one.
  request: { path: { path: z.string() } },
  responses: {
    200: { description: 'The page.', content: { '*/*': {} } },
    304: { description: 'Unchanged.' },
    308: { description: 'The path has a slash too many.' },
    404: { description: 'There is no such page.', content: { 'text/html': { schema: z.string() } } },
  },
  handler({ ctx }, { documents }) {
    const path = ctx.path.slice(1)
    if (documents.find(path) !== null) return sendPage(ctx, documents, path)
    // A page's links are relative, so it must have one address only.
    const own = path.replace(/\/$/, '')
    if (documents.find(own) === null) return sendNothing(ctx, documents)
    return { status: 308, headers: { Location: `../${own.split('/').at(-1)}` } } as const
  },
})
