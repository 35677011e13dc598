import { livenessActions } from '@attestor/rules'
import { z } from 'zod'
import { featureCaptures } from '../../features.ts'
import { id, server_time, timestamp } from '../../schemas/common.ts'
import { meaning } from '../../schemas/fields.ts'
import { issueChallenge as issue, takeFrame, takePicture } from '../../verification/transactions/capture.ts'
import { dropCapture as drop, droppableKinds } from '../../verification/transactions/drop_capture.ts'
import { imageBody, json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { sessionPrefix } from '../paths.ts'
import { captureReceipt } from '../shapes/session.ts'

function definePutDocument(side: 'front' | 'back', operationId: string, description: string) {
  return defineEndpoint({
    method: 'put',
    path: `${sessionPrefix}/document/${side}`,
    operationId,
    summary: `Take or retake the document’s ${side}`,
    description: `The image as the body. Another one is a retake; the same one again gets the same answer.${description} \`warnings\` say whether its zone or barcode and its portrait were found.`,
    tag: 'Device',
    authentication: 'sdk_token',
    request: { body: imageBody('document') },
    responses: { 200: json('Accepted.', captureReceipt) },
    errors: [409, 422],
    async handler({ caller, body }, { transactions }) {
      return { status: 200, body: await takePicture(transactions, caller, side, body) }
    },
  })
}

export const putDocumentFront = definePutDocument('front', 'putDocumentFront', '')
export const putDocumentBack = definePutDocument('back', 'putDocumentBack', ' Required of every card.')

export const putSelfie = defineEndpoint({
  method: 'put',
  path: `${sessionPrefix}/selfie`,
  operationId: 'putSelfie',
  summary: 'Take or retake the selfie',
  description:
    'The image as the body. Another one is a retake; the same one again gets the same answer. `warnings` say whether the face can be compared.',
  tag: 'Device',
  authentication: 'sdk_token',
  request: { body: imageBody('selfie') },
  responses: { 200: json('Accepted.', captureReceipt) },
  errors: [409, 422],
  async handler({ caller, body }, { transactions }) {
    return { status: 200, body: await takePicture(transactions, caller, 'selfie', body) }
  },
})

const challenge = z
  .object({
    challenge_id: id.meta(meaning('Names the challenge in the paths that its images are uploaded to.')),
    actions: z
      .array(z.enum(livenessActions))
      .meta(
        meaning(
          'Both turns, towards the person’s own left and right, and others drawn at random. One image answers each, by its index from 0.',
          ['TURN_LEFT', 'BLINK', 'TURN_RIGHT'],
        ),
      ),
    expires_at: timestamp.meta(meaning('Until when images answer it.')),
    server_time,
    attempts_left: z.number().int().meta(meaning('Challenges that may be asked for after this one.', 2)),
  })
  .meta({ id: 'Challenge' }) satisfies z.ZodType<Awaited<ReturnType<typeof issue>>>

export const issueChallenge = defineEndpoint({
  method: 'post',
  path: `${sessionPrefix}/liveness/challenge`,
  operationId: 'issueChallenge',
  summary: 'Ask for a liveness challenge',
  description: 'Draws the actions that the person is asked for. A new challenge voids an earlier one with its images.',
  tag: 'Device',
  authentication: 'sdk_token',
  responses: { 201: json('A challenge, to answer before it expires.', challenge) },
  errors: [409],
  async handler({ caller }, { transactions }) {
    return { status: 201, body: await issue(transactions, caller) }
  },
})

const actionIndex = z
  .string()
  .refine(text => /^\d{1,2}$/.test(text), { error: 'the challenge has no such action' })
  .meta(meaning('The index of the action, from 0.', '0'))

export const putFrame = defineEndpoint({
  method: 'put',
  path: `${sessionPrefix}/liveness/{challenge_id}/{n}`,
  operationId: 'putFrame',
  summary: 'Answer action n of a challenge',
  description:
    'The image as the body, in any order. A photo that was used before is rejected, except the same one for the same action: it gets the same answer. A JPEG may carry a stamp of its challenge, action and time, which must fit. `warnings` say whether it shows the action.',
  tag: 'Device',
  authentication: 'sdk_token',
  request: {
    path: {
      challenge_id: id.meta(meaning('The challenge, by the `challenge_id` that it was issued with.')),
      n: actionIndex,
    },
    body: imageBody('selfie'),
  },
  responses: { 200: json('Accepted.', captureReceipt) },
  errors: [404, 409, 422],
  async handler({ caller, path: { challenge_id, n }, body }, { transactions }) {
    return { status: 200, body: await takeFrame(transactions, caller, { challenge_id, position: Number(n) }, body) }
  },
})

/** The captures that are no steps. */
const others = featureCaptures.flatMap(({ step, is_asked }) => (is_asked ? [] : [`, or \`${step}\``])).join('')

const kind = z.enum(droppableKinds, { error: `must be ${droppableKinds.join(', ')}` })

export const dropCapture = defineEndpoint({
  method: 'delete',
  path: `${sessionPrefix}/captures/{kind}`,
  operationId: 'dropCapture',
  summary: 'Drop a capture for a retake',
  description: 'Deletes what was captured of a step, so that it is missing again.',
  tag: 'Device',
  authentication: 'sdk_token',
  request: { path: { kind: kind.meta(meaning(`The step whose capture is dropped${others}.`, 'selfie')) } },
  responses: { 204: { description: 'Dropped.' } },
  errors: [404, 409],
  async handler({ caller, path }, { transactions }) {
    await drop(transactions, caller, path.kind)
    return { status: 204 }
  },
})
