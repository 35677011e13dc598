import { z } from 'zod'
import { sendAsset } from '../assets.ts'
import { defineEndpoint } from '../endpoint.ts'

export const getAsset = defineEndpoint({
  method: 'get',
  path: '/assets/{version}/{*path}',
  operationId: 'getAsset',
  summary: 'A file of a page',
  description: 'Scripts, styles and pictures of the pages that this service shows.',
  tag: 'Operation',
  isDocumented: false,
  authentication: 'none',
  request: { path: { version: z.string(), path: z.string() } },
  responses: { 200: { description: 'The file.', content: { '*/*': {} } } },
  errors: [404],
  handler: ({ path, ctx }, { assets }) => sendAsset(ctx, assets, path),
})
