import { z } from 'zod'
import { sendNothing, sendPage } from '../docs.ts'
import { defineUndocumented } from '../endpoint.ts'

/** A page of the reference: a group of operations, the errors, the shapes, or the index of the search. */
export const getDocsPage = defineUndocumented({
  method: 'get',
  path: '/docs/{*path}',
  authentication: 'none',
  // For the router alone: an address that has escapes is another one.
  request: { path: { path: z.string() } },
  handler({ ctx }, { documents }) {
    const path = ctx.path.slice(1)
    if (documents.find(path) !== null) return sendPage(ctx, documents, path)
    // A page's links are relative, so it must have one address only.
    const own = path.replace(/\/$/, '')
    if (documents.find(own) === null) return sendNothing(ctx, documents)
    return { status: 308, headers: { Location: `../${own.split('/').at(-1)}` } } as const
  },
})
