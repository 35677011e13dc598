import { z } from 'zod'
import { ApiError } from '../base/api_error.ts'
import { json, jsonBody, largeJsonBody } from '../http/content.ts'
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts'
import { sessionPrefix } from '../http/paths.ts'
import { step } from '../http/shapes/session.ts'
import { id, server_time, timestamp } from '../schemas/common.ts'
import { meaning, rule, wordField } from '../schemas/fields.ts'
import { takeWalletAnswer } from './answer.ts'
import type { WalletParts } from './parts.ts'
import { openWalletRequest, requireWalletStep } from './request.ts'

const requestId = id.meta(meaning('The request, by the `request_id` that it was opened with.'))

const attempts_left = z.number().int().meta(meaning('Requests that may still be made.', 9))

const protocols = ['openid4vp-v1-unsigned', 'openid4vp-v1-signed', 'org-iso-mdoc'] as const

const opened = z
  .object({
    request_id: id.meta(meaning('Names the request in the path of its answer.')),
    requests: z
      .array(
        z.object({
          protocol: z.enum(protocols).meta(meaning('How the wallet is asked.', 'openid4vp-v1-unsigned')),
          data: z
            .record(z.string(), z.unknown())
            .meta(
              meaning('What it is asked, as the protocol has it.', { response_type: 'vp_token', nonce: 'bm9uY2U' }),
            ),
        }),
      )
      .meta(meaning('For `navigator.credentials.get({ digital: { requests } })`, as they are.')),
    link: z
      .string()
      .meta(meaning('Opens a wallet on this device; as a QR code, one on another device.', 'openid4vp://?client_id=…')),
    expires_at: timestamp.meta(meaning('Until when an answer is taken.')),
    server_time,
    attempts_left,
  })
  .meta({ id: 'WalletRequest' }) satisfies z.ZodType<Awaited<ReturnType<typeof openWalletRequest>>>

const notAnOrigin = 'must be the origin of your page, such as https://shop.example'

const requestBody = z.object({
  origin: z
    .string({ error: rule(notAnOrigin) })
    .nullish()
    .meta(
      meaning(
        'The origin of the page that calls `navigator.credentials.get`: this service’s, which is the default, or one of `CORS_ORIGINS`.',
        'https://id.example',
      ),
    ),
})

const answerBody = z
  .object({
    protocol: wordField(protocols).meta(meaning('As the browser returned it.', 'openid4vp-v1-unsigned')),
    data: z
      .record(z.string(), z.unknown(), { error: rule('must be an object') })
      .meta(meaning('As the browser returned it.', { response: 'eyJhbGciOiJFQ0RILUVTIn0…' })),
  })
  .meta({ example: { protocol: 'openid4vp-v1-unsigned', data: { response: 'eyJhbGciOiJFQ0RILUVTIn0…' } } })

const receipt = z
  .object({
    accepted: z
      .literal(true)
      .meta(meaning('The answer is stored, and the request used up: always true, as anything else is an error.')),
    next_step: step.nullable().meta(meaning('The next required step that is missing; null where none is.', 'selfie')),
    attempts_left,
  })
  .meta({ id: 'WalletReceipt' }) satisfies z.ZodType<Awaited<ReturnType<typeof takeWalletAnswer>>>

const kibibyte = 1024

/** The endpoints of a device that asks a wallet. */
export function createWalletEndpoints(parts: WalletParts): readonly Endpoint[] {
  const requestWallet = defineEndpoint({
    method: 'post',
    path: `${sessionPrefix}/document/wallet`,
    operationId: 'requestWallet',
    summary: 'Ask a wallet',
    description:
      'Opens a request, which is answered once, in time; an earlier one is void. Only where `config.document_policy.wallet` asks for it.',
    tag: 'Device',
    authentication: 'sdk_token',
    request: { body: jsonBody(requestBody) },
    responses: { 201: json('A request, to answer before it expires.', opened) },
    errors: [409],
    async handler({ caller, body }, { transactions, baseUrl, corsOrigins }) {
      const own = new URL(baseUrl).origin
      const origin = body.origin ?? own
      if (origin !== own && !corsOrigins.includes(origin)) throw new ApiError('invalid_field', `origin: ${notAnOrigin}`)
      return { status: 201, body: await openWalletRequest(parts, transactions, caller, { origin, baseUrl }) }
    },
  })
  const putWalletAnswer = defineEndpoint({
    method: 'put',
    path: `${sessionPrefix}/document/wallet/{request_id}`,
    operationId: 'putWalletAnswer',
    summary: 'Hand over a wallet’s answer',
    description:
      'What `navigator.credentials.get` returned. It uses the request up: what is no answer to it is refused, and the person may ask again, or take photographs. Who signed it is judged with the transaction.',
    tag: 'Device',
    authentication: 'sdk_token',
    request: {
      path: { request_id: requestId },
      body: largeJsonBody({ max_bytes: 1024 * kibibyte, admit: requireWalletStep }, answerBody),
    },
    responses: { 200: json('Accepted.', receipt) },
    errors: [404, 409, 410, 422],
    own_codes: ['unusable_capture'],
    async handler({ caller, path: { request_id }, body }, { transactions }) {
      return { status: 200, body: await takeWalletAnswer(transactions, caller, request_id, body) }
    },
  })
  return [requestWallet, putWalletAnswer]
}
