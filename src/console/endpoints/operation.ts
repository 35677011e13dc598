import { z } from 'zod'
import { isoTimestamp, toTimestamp } from '../../base/clock.ts'
import { jsonBody } from '../../http/content.ts'
import { defineUndocumented, type Endpoint } from '../../http/endpoint.ts'
import { idParameter, limitParameter, single, wordParameter } from '../../http/parameters.ts'
import type { SigningAlgorithm } from '../../identity/keys/sign.ts'
import { readKeys } from '../../identity/keys/signing_keys.ts'
import { readKeyStates, rotateWebhookKeys } from '../../identity/keys/webhook_keys.ts'
import { closedObjectField, idField, rule, textField } from '../../schemas/fields.ts'
import { auditRecord, consoleApi, forOperators } from '../endpoint.ts'
import * as origins from '../list_origins.ts'
import { listOriginDeliveries, type OriginDeliveryPosition } from '../origin_deliveries.ts'
import { readSystem } from '../read_system.ts'

/** The keys that sign webhooks, the newest first. */
export const listKeys = defineUndocumented({
  ...forOperators('admin'),
  method: 'get',
  path: `${consoleApi}/key`,
  async handler(_call, { accounts: { store, serviceKeys, clock } }) {
    const states = readKeyStates(await readKeys(store, serviceKeys, 'webhook'), clock.now())
    const data = states.map(({ key: { kid, alg, active_at, retired_at }, state }) => ({
      kid,
      alg,
      state,
      active_at: isoTimestamp(active_at),
      retired_at: toTimestamp(retired_at),
    }))
    return { status: 200, body: { data } }
  },
})

const notHours = 'must be a number of hours from 0 to 720'

const keyRotation = closedObjectField({
  /** Hours until the new key signs; two minutes at least. */
  in_hours: z
    .number({ error: rule(notHours) })
    .min(0, { error: notHours })
    .max(720, { error: notHours })
    .default(24),
})

/** Makes the next key that signs webhooks, of the algorithm of the settings; it is published at once. */
export function createRotateKey(algorithm: SigningAlgorithm): Endpoint {
  return defineUndocumented({
    ...forOperators('admin'),
    method: 'post',
    path: `${consoleApi}/key/rotate`,
    request: { body: jsonBody(keyRotation) },
    async handler({ caller, body }, deps) {
      const { kid, alg, active_at } = await rotateWebhookKeys(
        { ...deps.accounts, algorithm },
        body.in_hours * 3_600_000,
        auditRecord(deps, caller, (id: string) => ({ action: 'key_rotated', subject: { type: 'key', id } })),
      )
      return { status: 201, body: { kid, alg, state: 'next', active_at: isoTimestamp(active_at), retired_at: null } }
    },
  })
}

/** Receivers of webhooks by origin. */
export const listOrigins = defineUndocumented({
  ...forOperators('viewer'),
  method: 'get',
  path: `${consoleApi}/origin`,
  request: {
    query: {
      account_id: idParameter.optional(),
      state: wordParameter(origins.originStates).optional(),
      limit: limitParameter(100, 20),
      cursor: single.optional(),
    },
  },
  async handler({ query: { account_id = null, state = null, limit, cursor } }, { operators: { store }, cursors }) {
    const list = ['console', 'origins', account_id, state]
    const after = cursors.read<string>(list, cursor)
    const { data, next } = await origins.listOrigins(store, { account_id, state }, { after, limit })
    return { status: 200, body: { data, next_cursor: cursors.write(list, next) } }
  },
})

/** One origin, and the deliveries to it, the newest first. */
export const getOrigin = defineUndocumented({
  ...forOperators('viewer'),
  method: 'get',
  path: `${consoleApi}/origin/delivery`,
  request: {
    query: { account_id: idParameter, origin: single, limit: limitParameter(100, 20), cursor: single.optional() },
  },
  async handler({ query: { account_id, origin, limit, cursor } }, { operators: { store }, cursors }) {
    const of = await origins.readOrigin(store, account_id, origin)
    const list = ['console', 'origin', account_id, of.origin]
    const after = cursors.read<OriginDeliveryPosition>(list, cursor)
    const { data, next } = await listOriginDeliveries(store, { account_id, origin: of.origin }, { after, limit })
    return { status: 200, body: { origin: of, data, next_cursor: cursors.write(list, next) } }
  },
})

const originReference = closedObjectField({ account_id: idField(), origin: textField(1, 300) })

/** Deliveries to an origin wait until it is resumed. */
export const pauseOrigin = defineUndocumented({
  ...forOperators('admin'),
  method: 'post',
  path: `${consoleApi}/origin/pause`,
  request: { body: jsonBody(originReference) },
  async handler({ caller, body }, { operators }) {
    return { status: 200, body: await origins.switchOrigin(operators, caller, body, true) }
  },
})

/** Deliveries to an origin go on. */
export const resumeOrigin = defineUndocumented({
  ...forOperators('admin'),
  method: 'post',
  path: `${consoleApi}/origin/resume`,
  request: { body: jsonBody(originReference) },
  async handler({ caller, body }, { operators }) {
    return { status: 200, body: await origins.switchOrigin(operators, caller, body, false) }
  },
})

/** Queues, reviews, and nodes with their health. */
export const getSystem = defineUndocumented({
  ...forOperators('viewer'),
  method: 'get',
  path: `${consoleApi}/system`,
  async handler(_call, { operators: { store, clock } }) {
    return { status: 200, body: await readSystem(store, clock.now()) }
  },
})
