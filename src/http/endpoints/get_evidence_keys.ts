import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { jwks } from '../shapes/common.ts'

export const getEvidenceKeys = defineEndpoint({
  method: 'get',
  path: '/.well-known/evidence-jwks.json',
  operationId: 'getEvidenceKeys',
  summary: 'Public keys of exported evidence',
  description: 'The keys that exported evidence is verified by, also those that sign no more.',
  tag: 'Evidence',
  authentication: 'none',
  responses: { 200: json('A JWKS. A key stays in it for good.', jwks) },
  handler(_call, { evidenceKeys }) {
    return { status: 200, headers: { 'Cache-Control': 'public, max-age=3600' }, body: evidenceKeys }
  },
})
