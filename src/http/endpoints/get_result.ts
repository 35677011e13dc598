import { z } from 'zod'
import { waitForResult } from '../../verification/transactions/long_polls.ts'
import { createWaitSignal, withoutPermit } from '../concurrency.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning } from '../fields.ts'
import { waitParameter } from '../parameters.ts'
import { sessionPrefix } from '../paths.ts'
import { currentStatus, decision } from '../shapes/common.ts'
import { waiting_for } from '../shapes/session.ts'

export const getResult = defineEndpoint({
  method: 'get',
  path: `${sessionPrefix}/result`,
  operationId: 'getResult',
  summary: 'Wait for the outcome',
  description: 'For the result screen: answers as soon as it has ended, or waits for a person, or after `wait`.',
  tag: 'Device',
  authentication: 'sdk_token',
  request: { query: { wait: waitParameter.meta(meaning('Seconds to wait for the end, 0 to 60.', 0)) } },
  responses: {
    200: json(
      'Status and outcome: never scores, never reasons.',
      z.object({
        status: currentStatus,
        outcome: decision
          .nullable()
          .meta(
            meaning(
              'What was decided, without reasons, for the person to see; null until the transaction has ended.',
              'APPROVED',
            ),
          ),
        waiting_for,
      }),
    ),
  },
  async handler({ caller, query: { wait }, ctx }, { transactions, draining }) {
    const signal = createWaitSignal(ctx, draining)
    const result = () => waitForResult(transactions, caller, wait * 1000, signal)
    return { status: 200, body: await withoutPermit(ctx, result) }
  },
})
