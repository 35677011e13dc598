import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { imageMediaTypes } from '../../images/media_type.ts'
import { type WarningCode, warningCatalogue } from '../../images/warnings.ts'
import type { CaptureAnswer, IssuedChallenge } from '../../transactions/capture.ts'
import { session_prefix } from '../front_door.ts'
import { cancel_body, signals_body, start_body } from '../session_body.ts'
import { body, id, json, openWords, refusals, status, timestamp, transaction_type } from './shapes.ts'

const security = [{ sdk_token: [] }]
const tags = ['Device']
const step = z
  .enum(['document_front', 'document_back', 'selfie', 'liveness'])
  .meta({ id: 'Step', description: 'A step that a device can be sent to.' })
const warnings = Object.keys(warningCatalogue) as [WarningCode, ...WarningCode[]]

const session = z
  .object({
    transaction_id: id,
    status,
    transaction_type,
    steps: z.array(
      z.object({
        step,
        required: z.boolean(),
        state: z.enum(['missing', 'captured']),
        attempts_left: z.number().int(),
      }),
    ),
    next_step: step.nullable(),
    locale: z
      .string()
      .nullable()
      .meta({ description: 'The person’s language, a BCP 47 tag, as the integrator named it.' }),
    expires_at: timestamp,
    server_time: timestamp,
    accepted_media_types: z.array(z.string()),
    max_image_bytes: z.number().int(),
    max_image_megapixels: z.number(),
  })
  .meta({ id: 'Session' })

const taken = z
  .object({
    accepted: z.literal(true),
    warnings: z.array(openWords(warnings, 'IMAGE_BLURRED')),
    next_step: step.nullable(),
    attempts_left: z.number().int(),
  })
  .meta({ id: 'CaptureAnswer' }) satisfies z.ZodType<CaptureAnswer>

const challenge = z
  .object({
    challenge_id: id,
    actions: z.array(z.enum(['TURN_LEFT', 'TURN_RIGHT', 'BLINK', 'OPEN_MOUTH', 'LOOK_UP'])).meta({
      description:
        'Both turns, towards the person’s own left and right, and others drawn at random. One image answers each, by its place from 0.',
    }),
    expires_at: timestamp,
    attempts_left: z.number().int(),
  })
  .meta({ id: 'Challenge' }) satisfies z.ZodType<IssuedChallenge>

const image = {
  required: true,
  content: Object.fromEntries(
    imageMediaTypes.map(type => [type, { schema: { type: 'string', contentMediaType: type } as const }]),
  ),
}
const of_session = [401, 409, 410]

const upload = (operationId: string, summary: string) => ({
  ...{ operationId, summary, tags, security },
  requestBody: image,
  responses: { 200: json('Taken.', taken), ...refusals(...of_session, 404, 413, 415, 422) },
})

/** What the holder of an `sdk_token` calls. */
export const device_paths: ZodOpenApiPathsObject = {
  [session_prefix]: {
    get: {
      ...{ operationId: 'getSession', summary: 'How the session stands', tags, security },
      responses: { 200: json('The session.', session), ...refusals(401, 410) },
    },
  },
  [`${session_prefix}/start`]: {
    post: {
      ...{ operationId: 'startSession', summary: 'Start the session', tags, security },
      requestBody: body(start_body, false),
      responses: { 200: json('The session.', session), ...refusals(...of_session, 413, 415) },
    },
  },
  [`${session_prefix}/signals`]: {
    put: {
      ...{ operationId: 'putSignals', summary: 'Tell of device, network and place', tags, security },
      requestBody: body(signals_body),
      responses: { 204: { description: 'Kept.' }, ...refusals(...of_session, 413, 415) },
    },
  },
  [`${session_prefix}/document/front`]: { put: upload('putDocumentFront', 'Take or retake the document’s front') },
  [`${session_prefix}/document/back`]: { put: upload('putDocumentBack', 'Take or retake the document’s back') },
  [`${session_prefix}/selfie`]: { put: upload('putSelfie', 'Take or retake the selfie') },
  [`${session_prefix}/liveness/challenge`]: {
    post: {
      ...{ operationId: 'issueChallenge', summary: 'Ask for a liveness challenge', tags, security },
      responses: { 201: json('A challenge to be answered in time.', challenge), ...refusals(...of_session) },
    },
  },
  [`${session_prefix}/liveness/{challenge_id}/{n}`]: {
    put: {
      ...upload('putFrame', 'Answer action n of a challenge'),
      requestParams: { path: z.object({ challenge_id: id, n: z.string().meta({ example: '0' }) }) },
    },
  },
  [`${session_prefix}/captures/{kind}`]: {
    delete: {
      ...{ operationId: 'dropCapture', summary: 'Drop a capture for a retake', tags, security },
      requestParams: { path: z.object({ kind: step }) },
      responses: { 204: { description: 'Dropped.' }, ...refusals(...of_session, 404) },
    },
  },
  [`${session_prefix}/complete`]: {
    post: {
      ...{ operationId: 'completeSession', summary: 'Finish the capture', tags, security },
      responses: { 202: json('Handed in.', z.object({ submitted: z.literal(true) })), ...refusals(...of_session) },
    },
  },
  [`${session_prefix}/result`]: {
    get: {
      ...{ operationId: 'getResult', summary: 'Wait for the outcome', tags, security },
      requestParams: {
        query: z.object({ wait: z.string().optional().meta({ description: 'Seconds, 0 to 60.', example: '0' }) }),
      },
      responses: {
        200: json(
          'As it stands: never scores, never why.',
          z.object({ status, outcome: z.enum(['APPROVED', 'REJECTED', 'UNDETERMINED']).nullable() }),
        ),
        ...refusals(401, 410),
      },
    },
  },
  [`${session_prefix}/cancel`]: {
    post: {
      ...{ operationId: 'cancelSession', summary: 'Give up', tags, security },
      requestBody: body(cancel_body, false),
      responses: { 200: json('As it stands.', z.object({ status })), ...refusals(...of_session, 413, 415) },
    },
  },
}
