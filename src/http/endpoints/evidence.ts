import { z } from 'zod'
import { jwks, transaction_id } from '../../schemas/common.ts'
import { meaning } from '../../schemas/fields.ts'
import { readEvidence } from '../../verification/evidence/evidence.ts'
import { auditClient } from '../client_audit.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { apiPrefix } from '../paths.ts'

const signed = z
  .object({
    payload: z.string().meta(meaning('The evidence: JSON in base64url.', 'e30')),
    protected: z
      .string()
      .meta(meaning('The header that is signed with it, in base64url: `alg` and the `kid` of the key.', 'e30')),
    signature: z.string().meta(meaning('The signature of header and payload (RFC 7515 §5.1), in base64url.', 'c2ln')),
  })
  .meta({ id: 'SignedEvidence', description: 'A JWS in flattened JSON (RFC 7515 §7.2.2), by a key of the JWKS.' })

export const getEvidence = defineEndpoint({
  method: 'get',
  path: `${apiPrefix}/transaction/{transaction_id}/evidence`,
  operationId: 'getEvidence',
  summary: 'The evidence of a transaction, signed',
  description: 'The journal, hashed entry by entry, with the trace of the decision, as a JWS.',
  tag: 'Evidence',
  authentication: 'access_token',
  request: { path: { transaction_id } },
  responses: { 200: { description: 'The evidence.', content: { 'application/jose+json': { schema: signed } } } },
  errors: [404],
  async handler({ caller: { account_id, client_id }, path: { transaction_id }, ctx }, deps) {
    const { transactions, baseUrl, signEvidence } = deps
    const evidence = await readEvidence(transactions, baseUrl, account_id, transaction_id)
    const subject = { type: 'transaction', id: transaction_id } as const
    await auditClient(deps, ctx, client_id, { action: 'evidence_exported', account_id, subject })
    // RFC 7515 §9.2.1 names the media type.
    return { status: 200, type: 'application/jose+json', body: JSON.stringify(await signEvidence(evidence)) }
  },
})

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
