import { waitForChange } from '../../verification/transactions/long_polls.ts'
import { createWaitSignal, withoutPermit } from '../concurrency.ts'
import { json } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { meaning } from '../fields.ts'
import { single, waitParameter } from '../parameters.ts'
import { sessionPrefix } from '../paths.ts'
import { session, withImageLimits } from '../shapes/session.ts'

const seenVersion = single
  .refine(text => /^\d{1,9}$/.test(text), { error: 'must be a version, an integer' })
  .transform(Number)
  .meta({ override: { type: 'integer', minimum: 0 } })
  .optional()
  .meta(meaning('The `version` that you know: the call returns when there is another.', 7))

export const getSession = defineEndpoint({
  method: 'get',
  path: sessionPrefix,
  operationId: 'getSession',
  summary: 'The state of the session',
  description:
    'Which steps are missing, and which are captured. With `seen` it answers as soon as anything has changed, or after `wait`.',
  tag: 'Device',
  authentication: 'sdk_token',
  request: {
    query: {
      wait: waitParameter.meta(meaning('Seconds to wait for another version than `seen`, 0 to 60.', 0)),
      seen: seenVersion,
    },
  },
  responses: { 200: json('The session.', session) },
  async handler({ caller, query: { wait, seen = null }, ctx }, deps) {
    const signal = createWaitSignal(ctx, deps.draining)
    const call = { seen, wait_ms: wait * 1000 }
    const view = await withoutPermit(ctx, () => waitForChange(deps.transactions, caller, call, signal))
    return { status: 200, body: withImageLimits(view, deps) }
  },
})
