import { z } from 'zod'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { verifyPath } from '../paths.ts'

const branding = z
  .object({
    name: z.string(),
    logo_url: z.string().nullable(),
    accent: z.string().nullable(),
    texts: z.record(z.string(), z.record(z.string(), z.string())),
  })
  .meta({ id: 'Branding' })

export const getBranding = defineEndpoint({
  method: 'get',
  path: `${verifyPath}/branding.json`,
  operationId: 'getBranding',
  summary: 'How the capture page looks and speaks',
  description: 'The name, logo, colour and texts of the capture page, as the operator set them by `BRANDING`.',
  tag: 'Device',
  authentication: 'none',
  responses: { 200: json('The branding.', branding) },
  handler(_call, { branding: { name, logo, accent, texts } }) {
    const headers = { 'Cache-Control': 'public, max-age=300' }
    const logo_url = logo === null ? null : `${verifyPath.slice(1)}/logo`
    return { status: 200, headers, body: { name, logo_url, accent, texts } }
  },
})
