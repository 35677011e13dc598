import { z } from 'zod'
import { currentStatus, decision } from '../../schemas/common.ts'
import { meaning, withDefault } from '../../schemas/fields.ts'
import { changeDocument as change } from '../../verification/transactions/change_document.ts'
import { waitForChange, waitForResult } from '../../verification/transactions/long_polls.ts'
import {
  cancelSession as cancel,
  completeSession as complete,
  startSession as start,
  putSignals as storeSignals,
} from '../../verification/transactions/session_calls.ts'
import { readClientAddress } from '../client_address.ts'
import { createWaitSignal, withoutPermit } from '../concurrency.ts'
import { json, jsonBody, optionalJsonBody } from '../content.ts'
import { defineEndpoint } from '../endpoint.ts'
import { single, waitParameter } from '../parameters.ts'
import { sessionPrefix } from '../paths.ts'
import { boolean, documentBody, signalsBody, startBody } from '../shapes/device_signals.ts'
import { advice, session, waiting_for, withImageLimits } from '../shapes/session.ts'

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

export const startSession = defineEndpoint({
  method: 'post',
  path: `${sessionPrefix}/start`,
  operationId: 'startSession',
  summary: 'Start the session',
  description:
    'Begins the capture, with what is known of the device. A second call changes nothing: what the first one reported stays.',
  tag: 'Device',
  authentication: 'sdk_token',
  request: { body: optionalJsonBody(startBody) },
  responses: { 200: json('The session.', session) },
  errors: [409],
  async handler({ caller, body, ctx }, deps) {
    const view = await start(deps.transactions, caller, {
      device: body.device ?? null,
      location_permission: body.location_permission ?? null,
      consent: body.consent,
      document_type: body.document_type ?? 'UNDECLARED',
      ip_address: readClientAddress(ctx.req, deps.trustedProxyHops),
    })
    return { status: 200, body: withImageLimits(view, deps) }
  },
})

export const putSignals = defineEndpoint({
  method: 'put',
  path: `${sessionPrefix}/signals`,
  operationId: 'putSignals',
  summary: 'Report device, network and location',
  description: 'The last write before the end of the capture wins. Absent and null both mean unknown.',
  tag: 'Device',
  authentication: 'sdk_token',
  request: { body: jsonBody(signalsBody) },
  responses: { 204: { description: 'Stored.' } },
  errors: [409],
  async handler({ caller, body, ctx }, { transactions, trustedProxyHops }) {
    await storeSignals(transactions, caller, {
      device: body.device ?? null,
      network: body.network ?? null,
      geolocation: body.geolocation ?? null,
      location_permission: body.location_permission ?? null,
      ip_address: readClientAddress(ctx.req, trustedProxyHops),
    })
    return { status: 204 }
  },
})

export const changeDocument = defineEndpoint({
  method: 'put',
  path: `${sessionPrefix}/document`,
  operationId: 'changeDocument',
  summary: 'Choose another document',
  description:
    'The person has chosen the wrong type. Drops the pictures of the document; the takes stay counted. The same type again changes nothing.',
  tag: 'Device',
  authentication: 'sdk_token',
  request: { body: jsonBody(documentBody) },
  responses: { 200: json('The session.', session) },
  errors: [409],
  async handler({ caller, body }, deps) {
    const view = await change(deps.transactions, caller, body.document_type)
    return { status: 200, body: withImageLimits(view, deps) }
  },
})

export const completeSession = defineEndpoint({
  method: 'post',
  path: `${sessionPrefix}/complete`,
  operationId: 'completeSession',
  summary: 'Finish the capture',
  description:
    'Submits what was captured for analysis; every required step must be there. Repeated, it returns the same.',
  tag: 'Device',
  authentication: 'sdk_token',
  responses: {
    202: json(
      'Submitted.',
      z.object({
        submitted: z.literal(true).meta(meaning('Always true: the person is done, and the analysis follows.')),
      }),
    ),
  },
  errors: [409],
  async handler({ caller }, { transactions }) {
    return { status: 202, body: await complete(transactions, caller) }
  },
})

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
      'Status and outcome: never scores, and only reasons that a person can do something about.',
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
        advice,
      }),
    ),
  },
  async handler({ caller, query: { wait }, ctx }, { transactions, draining }) {
    const signal = createWaitSignal(ctx, draining)
    const result = () => waitForResult(transactions, caller, wait * 1000, signal)
    return { status: 200, body: await withoutPermit(ctx, result) }
  },
})

export const cancelSession = defineEndpoint({
  method: 'post',
  path: `${sessionPrefix}/cancel`,
  operationId: 'cancelSession',
  summary: 'Give up',
  description:
    'The person leaves: with `final` the transaction ends as FAILED, without it nothing changes and they may come back.',
  tag: 'Device',
  authentication: 'sdk_token',
  request: {
    body: optionalJsonBody(
      z.object({
        final: withDefault(boolean, false).meta(
          meaning('True ends the transaction; else the person may come back.', true),
        ),
      }),
    ),
  },
  responses: { 200: json('The status.', z.object({ status: currentStatus })) },
  errors: [409],
  async handler({ caller, body }, { transactions }) {
    return { status: 200, body: await cancel(transactions, caller, body.final) }
  },
})
