import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { jwks } from '../shapes/common.ts'

export const getKeys = defineEndpoint({
  method: 'get',
  path: '/.well-known/jwks.json',
  operationId: 'getKeys',
  summary: 'Public keys of the webhooks',
  description:
    'The keys that webhooks are verified by, the active one first, and no others. Cache them for up to an hour.',
  tag: 'Webhooks',
  authentication: 'none',
  responses: { 200: json('A JWKS, the active key first.', jwks) },
  async handler(_call, { webhookKeys }) {
    return { status: 200, headers: { 'Cache-Control': 'public, max-age=3600' }, body: await webhookKeys() }
  },
})
