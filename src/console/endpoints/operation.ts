import { z } from 'zod'
import { isoTimestamp, toTimestamp } from '../../base/clock.ts'
import { json, jsonBody } from '../../http/content.ts'
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts'
import { idParameter, limitParameter, single, wordParameter } from '../../http/parameters.ts'
import { pageOf } from '../../http/shapes/common.ts'
import type { SigningAlgorithm } from '../../identity/keys/sign.ts'
import { readKeys } from '../../identity/keys/signing_keys.ts'
import { readKeyStates, rotateWebhookKeys } from '../../identity/keys/webhook_keys.ts'
import { listStatesWithoutRoot, summariseTrustAnchors } from '../../verification/chip/trust_anchors.ts'
import { auditRecord, consoleApi, forOperators } from '../endpoint.ts'
import * as origins from '../list_origins.ts'
import { readSystem } from '../read_system.ts'
import * as shapes from '../shapes/administration.ts'

export const listKeys = defineEndpoint({
  ...forOperators('admin', 'listKeys', 'The keys that sign webhooks'),
  method: 'get',
  path: `${consoleApi}/key`,
  responses: { 200: json('The newest first.', z.object({ data: z.array(shapes.signingKey) })) },
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

export const listTrustAnchors = defineEndpoint({
  ...forOperators('viewer', 'listTrustAnchors', 'The certificates of states that chips are verified by'),
  method: 'get',
  path: `${consoleApi}/trust-anchor`,
  responses: { 200: json('By country, and the countries without a root.', shapes.trustAnchors) },
  async handler(_call, { accounts: { store } }) {
    const states = await summariseTrustAnchors(store)
    const data = states.map(({ country, counts, valid_until, imported_at }) => ({
      country,
      roots: counts.ROOT,
      links: counts.LINK,
      signers: counts.SIGNER,
      revocation_lists: counts.REVOCATION_LIST,
      valid_until: toTimestamp(valid_until),
      imported_at: isoTimestamp(imported_at),
    }))
    const roots = states.filter(({ counts }) => counts.ROOT > 0)
    const without_root = [...listStatesWithoutRoot(roots.map(({ country }) => country))]
    return { status: 200, body: { data, without_root } }
  },
})

/** A new key is of the algorithm of the settings. */
export function createRotateKey(algorithm: SigningAlgorithm): Endpoint {
  return defineEndpoint({
    ...forOperators('admin', 'rotateKey', 'The next key that signs webhooks; it is published at once'),
    method: 'post',
    path: `${consoleApi}/key/rotate`,
    request: { body: jsonBody(shapes.keyRotation) },
    responses: { 201: json('The next key.', shapes.signingKey) },
    errors: [409],
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

export const listOrigins = defineEndpoint({
  ...forOperators('viewer', 'listOrigins', 'Receivers of webhooks by origin'),
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
  responses: { 200: json('A page.', pageOf(shapes.origin)) },
  async handler({ query: { account_id = null, state = null, limit, cursor } }, { operators: { store }, cursors }) {
    const list = ['console', 'origins', account_id, state]
    const after = cursors.read<string>(list, cursor)
    const { data, next } = await origins.listOrigins(store, { account_id, state }, { after, limit })
    return { status: 200, body: { data, next_cursor: cursors.write(list, next) } }
  },
})

export const pauseOrigin = defineEndpoint({
  ...forOperators('admin', 'pauseOrigin', 'Deliveries to an origin wait until it is resumed'),
  method: 'post',
  path: `${consoleApi}/origin/pause`,
  request: { body: jsonBody(shapes.originReference) },
  responses: { 200: json('The origin, as it is now.', shapes.origin) },
  errors: [404],
  async handler({ caller, body }, { operators: { store, clock } }) {
    return { status: 200, body: await origins.pause(store, clock.now(), caller, body) }
  },
})

export const resumeOrigin = defineEndpoint({
  ...forOperators('admin', 'resumeOrigin', 'Deliveries to an origin go on'),
  method: 'post',
  path: `${consoleApi}/origin/resume`,
  request: { body: jsonBody(shapes.originReference) },
  responses: { 200: json('The origin, as it is now.', shapes.origin) },
  errors: [404],
  async handler({ caller, body }, { operators: { store, clock } }) {
    return { status: 200, body: await origins.resume(store, clock.now(), caller, body) }
  },
})

export const getSystem = defineEndpoint({
  ...forOperators('viewer', 'getSystem', 'Queues, reviews, and nodes with their health'),
  method: 'get',
  path: `${consoleApi}/system`,
  responses: { 200: json('As it is now.', shapes.system) },
  async handler(_call, { operators: { store, clock } }) {
    return { status: 200, body: await readSystem(store, clock.now()) }
  },
})
