import { z } from 'zod'
import { livenessActions, screenColours } from '../../../machines/words.ts'
import { issueChallenge as issue } from '../../verification/transactions/capture.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning } from '../fields.ts'
import { sessionPrefix } from '../paths.ts'
import { id, server_time, timestamp } from '../shapes/common.ts'

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
    colours: z
      .array(z.enum(screenColours))
      .meta(
        meaning(
          'What the screen shows around the camera while it waits for each action, never more than three changes a second, and not to people who need reduced motion. Empty where the operator wants none.',
          ['MAGENTA', 'CYAN', 'YELLOW'],
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
