import { requireValue } from 'durable-xstate-sql/sql'
import { z } from 'zod'
import { json, jsonBody } from '../http/content.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { fileField } from '../http/file_field.ts'
import { sessionPrefix } from '../http/paths.ts'
import { id, server_time, timestamp } from '../schemas/common.ts'
import { idField, meaning, rule, wordField } from '../schemas/fields.ts'
import {
  type AttestationCall,
  type AttestationParts,
  issueAttestationChallenge as issue,
  putAttestation as put,
} from './attest.ts'

const challenge = z
  .object({
    challenge_id: id.meta(meaning('Names the challenge, and the key that is attested for it.')),
    challenge: z
      .string()
      .meta(
        meaning(
          '32 random bytes in base64: Android’s attestation challenge, or what App Attest’s `clientDataHash` is the SHA-256 of.',
          'AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=',
        ),
      ),
    expires_at: timestamp.meta(meaning('Until when an answer is taken.')),
    server_time,
    attempts_left: z.number().int().meta(meaning('Challenges that may be asked for after this one.', 9)),
  })
  .meta({ id: 'AttestationChallenge' }) satisfies z.ZodType<Awaited<ReturnType<typeof issue>>>

const certificate = fileField(8 * 1024)
const maxCertificates = 8
const tooMany = rule(`must be 1 to ${maxCertificates} certificates, the attested key’s first`)

const body = z
  .object({
    challenge_id: idField().meta(
      meaning('The challenge that the key was made for.', '0198a1c0-7e5a-7c3e-9f00-0123456789ad'),
    ),
    platform: wordField(['android', 'ios']).meta(meaning('Whose attestation it is.', 'android')),
    certificates: z
      .array(certificate, { error: tooMany })
      .min(1, { error: tooMany })
      .max(maxCertificates, { error: tooMany })
      .nullish()
      .meta(
        meaning('Of Android: the chain of `KeyStore.getCertificateChain`, in its order, each in DER and base64.', [
          'MIIC',
          'MIIB',
        ]),
      ),
    attestation: fileField(16 * 1024)
      .nullish()
      .meta(meaning('Of iOS: the object of `DCAppAttestService.attestKey`, in base64.', null)),
    key_id: fileField(64)
      .nullish()
      .meta(meaning('Of iOS: the identifier of `DCAppAttestService.generateKey`, as it is.', null)),
  })
  .superRefine(({ platform, certificates, attestation, key_id }, context) => {
    const missing = (name: string, value: unknown): void => {
      if (value == null) context.addIssue({ code: 'custom', path: [name], message: 'is required' })
    }
    if (platform === 'android') return missing('certificates', certificates)
    missing('attestation', attestation)
    missing('key_id', key_id)
  })

function toCall({ challenge_id, platform, certificates, attestation, key_id }: z.output<typeof body>): AttestationCall {
  return platform === 'android'
    ? { challenge_id, platform, certificates: certificates ?? [] }
    : { challenge_id, platform, attestation: attestation ?? Buffer.alloc(0), key_id: key_id ?? Buffer.alloc(0) }
}

const receipt = z
  .object({
    accepted: z.literal(true).meta(meaning('The device is attested: always true, as anything else is an error.')),
    signs_captures: z
      .boolean()
      .meta(meaning('Whether the key can sign captures: Android’s must be of P-256, with the purpose to sign.', true)),
  })
  .meta({ id: 'AttestationResponse' }) satisfies z.ZodType<Awaited<ReturnType<typeof put>>>

/** The endpoints of a device that attests itself; without parts they are described, and never called. */
export function createAttestationEndpoints(parts: AttestationParts | null): readonly Endpoint[] {
  const issueChallenge = defineEndpoint({
    method: 'post',
    path: `${sessionPrefix}/attestation/challenge`,
    operationId: 'issueAttestationChallenge',
    summary: 'Ask for a challenge for the device’s key',
    description:
      'For Android’s key attestation and Apple’s App Attest. A challenge is used once, and a new one voids an earlier one.',
    tag: 'Device',
    authentication: 'sdk_token',
    responses: { 201: json('A challenge, to answer before it expires.', challenge) },
    errors: [409],
    async handler({ caller }, { transactions }) {
      return { status: 201, body: await issue(transactions, caller) }
    },
  })
  const putAttestation = defineEndpoint({
    method: 'put',
    path: `${sessionPrefix}/attestation`,
    operationId: 'putAttestation',
    summary: 'Prove what the device is',
    description:
      'What the device’s maker signed of a key in its hardware, of its system and of the app. It counts for this device; a later one replaces it. The key may then sign captures.',
    tag: 'Device',
    authentication: 'sdk_token',
    request: { body: jsonBody(body) },
    responses: { 200: json('Verified, and stored.', receipt) },
    errors: [409, 410, 422],
    own_codes: ['attestation_refused'],
    async handler({ caller, body: given }, { transactions }) {
      return { status: 200, body: await put(requireValue(parts, 'parts'), transactions, caller, toCall(given)) }
    },
  })
  return [issueChallenge, putAttestation]
}
