import { Readable } from 'node:stream'
import type { Store } from 'durable-xstate-sql'
import { ApiError } from '../../base/api_error.ts'
import { auditActions, roles } from '../../database/words.ts'
import { jsonBody, unusedBody } from '../../http/content.ts'
import { defineUndocumented } from '../../http/endpoint.ts'
import { idParameter, limitParameter, single, timeParameter, wordParameter } from '../../http/parameters.ts'
import { BrokenAuditError, exportAudit } from '../../identity/operators/audit_export.ts'
import { type AuditFilter, listAudit as listEntries } from '../../identity/operators/audit_log.ts'
import * as operators from '../../identity/operators/operators.ts'
import { id } from '../../schemas/common.ts'
import { closedObjectField, textField, wordField } from '../../schemas/fields.ts'
import { readLastProof } from '../../verification/evidence/prove.ts'
import { audit, consoleApi, forOperators } from '../endpoint.ts'

const path = `${consoleApi}/operator`

/** `totp_qr` is the URI as a QR code: rows of modules, true is dark. */
function toCredentials({ totp, ...operator }: operators.OperatorCredentials) {
  return {
    ...operator,
    totp_secret: totp.secret,
    totp_uri: totp.uri,
    totp_qr: totp.qr,
  }
}

/** All operators, the oldest first. */
export const listOperators = defineUndocumented({
  ...forOperators('admin'),
  method: 'get',
  path,
  async handler(_call, { operators: { store } }) {
    return { status: 200, body: { data: await operators.listOperators(store) } }
  },
})

const newOperator = closedObjectField({ name: textField(1, 64), role: wordField(roles) })

/** A new operator, with secrets that are shown once. */
export const createOperator = defineUndocumented({
  ...forOperators('admin'),
  method: 'post',
  path,
  request: { body: jsonBody(newOperator) },
  async handler({ caller, body }, deps) {
    return { status: 201, body: toCredentials(await operators.createOperator(deps.operators, body, caller)) }
  },
})

/** New secrets for an operator; their sessions end. */
export const resetOperator = defineUndocumented({
  ...forOperators('admin'),
  method: 'post',
  path: `${path}/{operator_id}/reset`,
  request: { path: { operator_id: id }, body: unusedBody },
  async handler({ caller, path: { operator_id } }, deps) {
    const reset = await operators.resetOperator(deps.operators, { operator: operator_id }, caller)
    return { status: 200, body: toCredentials(reset) }
  },
})

/** Lets an operator log in no more; their sessions end. */
export const disableOperator = defineUndocumented({
  ...forOperators('admin'),
  method: 'post',
  path: `${path}/{operator_id}/disable`,
  request: { path: { operator_id: id }, body: unusedBody },
  async handler({ caller, path: { operator_id } }, deps) {
    if (operator_id === caller.operator_id) throw new ApiError('conflict', 'operator_id: must not be your own')
    return { status: 200, body: await operators.disableOperator(deps.operators, operator_id, caller) }
  },
})

/** Returns the time and the result of the last proof of the audit log and the journals; null before the first proof. */
export const getProof = defineUndocumented({
  ...forOperators('admin'),
  method: 'get',
  path: `${consoleApi}/audit/proof`,
  async handler(_call, { operators: { store } }) {
    return { status: 200, body: { proof: await readLastProof(store) } }
  },
})

/** A page of the actions and looks of operators and clients, the newest first. */
export const listAudit = defineUndocumented({
  ...forOperators('admin'),
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
  async handler({ query: { limit, cursor, ...given } }, { operators: { store }, cursors }) {
    const { operator_id = null, client_id = null, action = null, subject_id = null, from = null, to = null } = given
    const filter: AuditFilter = { operator_id, client_id, action, subject_id, from, to }
    const before = cursors.read<number>(['audit', filter], cursor)
    const { data, next } = await listEntries(store, filter, { before, limit })
    return { status: 200, body: { data, next_cursor: cursors.write(['audit', filter], next) } }
  },
})

/** Sends the sound lines, and then the fault: an export that breaks off ends with the reason. */
async function* exportLines(store: Store): AsyncGenerator<string> {
  try {
    yield* exportAudit(store)
  } catch (error) {
    if (!(error instanceof BrokenAuditError)) throw error
    yield `${JSON.stringify({ error: error.message })}\n`
  }
}

/** The audit log as lines of JSON, checked as it is read. */
export const exportAuditLog = defineUndocumented({
  ...forOperators('admin'),
  method: 'get',
  path: `${consoleApi}/audit/export`,
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
