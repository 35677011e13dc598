import { z } from 'zod'
import { ApiError } from '../../base/api_error.ts'
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
  responses: {
    200: { description: 'The page.', content: { '*/*': {} } },
    304: { description: 'Unchanged.' },
    308: { description: 'The path has a slash too many.' },
  },
  errors: [404],
  handler({ path: { path }, ctx }, { documents }) {
    if (path !== '' && !path.endsWith('/')) return sendPage(ctx, documents, `docs/${path}`)
    // A page's links are relative, so it must have one address only.
    const own = `docs/${path}`.replace(/\/+$/, '')
    if (documents.find(own) === null) throw new ApiError('not_found', 'path: not found')
    return { status: 308, headers: { Location: `../${own.split('/').at(-1)}` } } as const
  },
})
