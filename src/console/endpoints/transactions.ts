import { z } from 'zod'
import { json, jsonBody, unusedBody } from '../../http/content.ts'
import { defineEndpoint } from '../../http/endpoint.ts'
import { limitParameter, single } from '../../http/parameters.ts'
import { id } from '../../http/shapes/common.ts'
import { reviewTransaction as decide } from '../../verification/analysis/review.ts'
import { readEvidence } from '../../verification/evidence/evidence.ts'
import { cancelTransaction as cancel } from '../../verification/transactions/cancel_transaction.ts'
import { redeliver } from '../../webhooks/deliveries.ts'
import { audit, auditRecord, consoleApi, forOperators } from '../endpoint.ts'
import { readOperatorTimeline } from '../operator_timeline.ts'
import * as shapes from '../shapes/transaction.ts'
import { findAccountId, readRecord } from '../transaction_record.ts'

const path = `${consoleApi}/transaction/{transaction_id}`
const ofTransaction = { transaction_id: id }

export const getTransaction = defineEndpoint({
  ...forOperators('viewer', 'getTransactionRecord', 'A transaction on one page, without anything personal'),
  method: 'get',
  path,
  request: { path: ofTransaction },
  responses: { 200: json('The transaction.', shapes.transactionRecord) },
  errors: [404],
  async handler({ caller, path: { transaction_id } }, deps) {
    return { status: 200, body: await readRecord(deps, transaction_id, caller.role) }
  },
})

const sequenceParameter = single
  .refine(text => /^\d{1,9}$/.test(text), { error: 'must be a sequence' })
  .transform(Number)
  .default(0)

export const listTransactionEvents = defineEndpoint({
  ...forOperators('viewer', 'listTransactionEvents', 'What happened to a transaction'),
  method: 'get',
  path: `${path}/event`,
  request: { path: ofTransaction, query: { after: sequenceParameter, limit: limitParameter(200, 100) } },
  responses: {
    200: json(
      'The oldest first.',
      z.object({ data: z.array(shapes.timelineEvent), next: z.number().int().nullable() }),
    ),
  },
  errors: [404],
  async handler({ path: { transaction_id }, query }, { transactions }) {
    const account_id = await findAccountId(transactions.store, transaction_id)
    return { status: 200, body: await readOperatorTimeline(transactions, account_id, transaction_id, query) }
  },
})

export const cancelTransaction = defineEndpoint({
  ...forOperators('reviewer', 'cancelTransactionAsOperator', 'Ends a transaction as FAILED'),
  method: 'post',
  path: `${path}/cancel`,
  request: { path: ofTransaction, body: unusedBody },
  responses: { 200: json('The transaction, as it is now.', shapes.transactionRecord) },
  errors: [404, 409],
  async handler({ caller, path: { transaction_id } }, deps) {
    const account_id = await findAccountId(deps.transactions.store, transaction_id)
    const subject = { type: 'transaction', id: transaction_id } as const
    const record = auditRecord(deps, caller, { action: 'transaction_cancelled', account_id, subject })
    await cancel(deps.transactions, { account_id, operator_id: caller.operator_id }, transaction_id, record)
    return { status: 200, body: await readRecord(deps, transaction_id, caller.role) }
  },
})

export const reviewTransaction = defineEndpoint({
  ...forOperators('reviewer', 'reviewTransaction', 'Decides a transaction that awaits review'),
  method: 'post',
  path: `${path}/review`,
  request: { path: ofTransaction, body: jsonBody(shapes.reviewBody) },
  responses: { 200: json('The transaction, as it is now.', shapes.transactionRecord) },
  errors: [404, 409],
  async handler({ caller, path: { transaction_id }, body }, deps) {
    const account_id = await findAccountId(deps.transactions.store, transaction_id)
    const record = auditRecord(deps, caller, {
      action: 'transaction_reviewed',
      account_id,
      subject: { type: 'transaction', id: transaction_id },
      details: { decision: body.decision },
    })
    await decide(deps.transactions, { transaction_id, operator_id: caller.operator_id, ...body }, record)
    return { status: 200, body: await readRecord(deps, transaction_id, caller.role) }
  },
})

export const redeliverAsOperator = defineEndpoint({
  ...forOperators('reviewer', 'redeliverAsOperator', 'Repeats a delivery from its first attempt'),
  method: 'post',
  path: `${path}/delivery/{delivery_id}/redeliver`,
  request: { path: { ...ofTransaction, delivery_id: id }, body: unusedBody },
  responses: { 202: json('It is queued again.', z.object({ deliveries: z.array(shapes.delivery) })) },
  errors: [404, 409],
  async handler({ caller, path: { transaction_id, delivery_id } }, deps) {
    const account_id = await findAccountId(deps.transactions.store, transaction_id)
    const subject = { type: 'transaction', id: transaction_id } as const
    const event = { action: 'delivery_redelivered', account_id, subject, details: { delivery_id } } as const
    const record = auditRecord(deps, caller, event)
    await redeliver(deps.deliveries, { account_id, transaction_id, delivery_id, record })
    const { deliveries } = await readRecord(deps, transaction_id, caller.role)
    return { status: 202, body: { deliveries } }
  },
})

export const exportEvidence = defineEndpoint({
  ...forOperators('reviewer', 'exportEvidence', 'The evidence of a transaction, signed'),
  method: 'get',
  path: `${path}/evidence`,
  request: { path: ofTransaction },
  responses: { 200: { description: 'A JWS.', content: { 'application/jose+json': {} } } },
  errors: [404],
  async handler({ caller, path: { transaction_id } }, deps) {
    const account_id = await findAccountId(deps.transactions.store, transaction_id)
    const evidence = await readEvidence(deps.transactions, deps.baseUrl, account_id, transaction_id)
    const subject = { type: 'transaction', id: transaction_id } as const
    await audit(deps, caller, { action: 'evidence_exported', account_id, subject })
    const headers = { 'Content-Disposition': `attachment; filename="evidence-${transaction_id}.json"` }
    const body = JSON.stringify(await deps.signEvidence(evidence))
    return { status: 200, headers, type: 'application/jose+json', body }
  },
})
