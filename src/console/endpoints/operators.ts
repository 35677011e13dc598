import { Readable } from 'node:stream'
import { z } from 'zod'
import type { Store } from '../../../packages/durable/store/store.ts'
import { ApiError } from '../../base/api_error.ts'
import { auditActions } from '../../database/words.ts'
import { json, jsonBody, unusedBody } from '../../http/content.ts'
import { defineEndpoint } from '../../http/endpoint.ts'
import { idParameter, limitParameter, single, timeParameter, wordParameter } from '../../http/parameters.ts'
import { id, pageOf } from '../../http/shapes/common.ts'
import { BrokenAuditError, exportAudit } from '../../identity/operators/audit_export.ts'
import { type AuditFilter, listAudit as listEntries } from '../../identity/operators/audit_log.ts'
import * as operators from '../../identity/operators/operators.ts'
import { readLastProof } from '../../verification/evidence/prove.ts'
import { audit, consoleApi, forOperators } from '../endpoint.ts'
import * as shapes from '../shapes/operator.ts'

const path = `${consoleApi}/operator`

function toCredentials({ totp, ...operator }: operators.OperatorCredentials) {
  return {
    ...operator,
    totp_secret: totp.secret,
    totp_uri: totp.uri,
    totp_qr: totp.qr,
  }
}

export const listOperators = defineEndpoint({
  ...forOperators('admin', 'listOperators', 'All operators'),
  method: 'get',
  path,
  responses: { 200: json('The oldest first.', z.object({ data: z.array(shapes.operator) })) },
  async handler(_call, { operators: { store } }) {
    return { status: 200, body: { data: await operators.listOperators(store) } }
  },
})

export const createOperator = defineEndpoint({
  ...forOperators('admin', 'createOperator', 'A new operator, with secrets that are shown once'),
  method: 'post',
  path,
  request: { body: jsonBody(shapes.newOperator) },
  responses: { 201: json('What they log in with.', shapes.operatorCredentials) },
  errors: [409],
  async handler({ caller, body }, deps) {
    return { status: 201, body: toCredentials(await operators.createOperator(deps.operators, body, caller)) }
  },
})

export const resetOperator = defineEndpoint({
  ...forOperators('admin', 'resetOperator', 'New secrets for an operator; their sessions end'),
  method: 'post',
  path: `${path}/{operator_id}/reset`,
  request: { path: { operator_id: id }, body: unusedBody },
  responses: { 200: json('What they log in with.', shapes.operatorCredentials) },
  errors: [404],
  async handler({ caller, path: { operator_id } }, deps) {
    const reset = await operators.resetOperator(deps.operators, { operator: operator_id }, caller)
    return { status: 200, body: toCredentials(reset) }
  },
})

export const disableOperator = defineEndpoint({
  ...forOperators('admin', 'disableOperator', 'Lets an operator log in no more; their sessions end'),
  method: 'post',
  path: `${path}/{operator_id}/disable`,
  request: { path: { operator_id: id }, body: unusedBody },
  responses: { 200: json('The operator, as they are now.', shapes.operator) },
  errors: [404, 409],
  async handler({ caller, path: { operator_id } }, deps) {
    if (operator_id === caller.operator_id) throw new ApiError('conflict', 'operator_id: must not be your own')
    return { status: 200, body: await operators.disableOperator(deps.operators, operator_id, caller) }
  },
})

export const getProof = defineEndpoint({
  ...forOperators('admin', 'getProof', 'When the audit log and the journals were last proven, and what was found'),
  method: 'get',
  path: `${consoleApi}/audit/proof`,
  responses: { 200: json('Null before the first proof.', z.object({ proof: shapes.proof.nullable() })) },
  async handler(_call, { operators: { store } }) {
    return { status: 200, body: { proof: await readLastProof(store) } }
  },
})

export const listAudit = defineEndpoint({
  ...forOperators('admin', 'listAudit', 'What operators and clients did and looked at'),
  method: 'get',
  path: `${consoleApi}/audit`,
  request: {
    query: {
      limit: limitParameter(100, 20),
      cursor: single.optional(),
      operator_id: idParameter.optional(),
      client_id: idParameter.optional(),
      action: wordParameter(auditActions).optional(),
      subject_id: single.optional(),
      from: timeParameter.optional(),
      to: timeParameter.optional(),
    },
  },
  responses: { 200: json('A page, newest first.', pageOf(shapes.auditEntry)) },
  async handler({ query: { limit, cursor, ...given } }, { operators: { store }, cursors }) {
    const { operator_id = null, client_id = null, action = null, subject_id = null, from = null, to = null } = given
    const filter: AuditFilter = { operator_id, client_id, action, subject_id, from, to }
    const before = cursors.read<number>(['audit', filter], cursor)
    const { data, next } = await listEntries(store, filter, { before, limit })
    return { status: 200, body: { data, next_cursor: cursors.write(['audit', filter], next) } }
  },
})

/** Sends the sound lines, and then what is wrong: an export that breaks off says why. */
async function* exportLines(store: Store): AsyncGenerator<string> {
  try {
    yield* exportAudit(store)
  } catch (error) {
    if (!(error instanceof BrokenAuditError)) throw error
    yield `${JSON.stringify({ error: error.message })}\n`
  }
}

export const exportAuditLog = defineEndpoint({
  ...forOperators('admin', 'exportAudit', 'The audit log as lines of JSON, checked as it is read'),
  method: 'get',
  path: `${consoleApi}/audit/export`,
  responses: { 200: { description: 'One entry a line.', content: { 'application/x-ndjson': {} } } },
  async handler({ caller }, deps) {
    await audit(deps, caller, { action: 'audit_exported' })
    return {
      status: 200,
      headers: { 'Content-Disposition': 'attachment; filename="audit.jsonl"' },
      type: 'application/x-ndjson',
      body: Readable.from(exportLines(deps.operators.store)),
    }
  },
})
