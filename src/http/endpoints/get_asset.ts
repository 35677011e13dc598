import { z } from 'zod'
import { sendAsset } from '../assets.ts'
import { defineUndocumented } from '../endpoint.ts'

/** A script, a style or a picture of the pages that this service shows. */
export const getAsset = defineUndocumented({
  method: 'get',
  path: '/assets/{version}/{*path}',
  authentication: 'none',
  request: { path: { version: z.string(), path: z.string() } },
  handler: ({ path, ctx }, { assets }) => sendAsset(ctx, assets, path),
})
