import { decisions } from '@attestor/rules'
import { jsonBody, unusedBody } from '../../http/content.ts'
import { defineUndocumented } from '../../http/endpoint.ts'
import { limitParameter, single } from '../../http/parameters.ts'
import { boolean } from '../../http/shapes/device_signals.ts'
import { id } from '../../schemas/common.ts'
import { closedObjectField, textField, withDefault, wordField } from '../../schemas/fields.ts'
import { reviewTransaction as decide } from '../../verification/analysis/review.ts'
import { readEvidence } from '../../verification/evidence/evidence.ts'
import { cancelTransaction as cancel } from '../../verification/transactions/cancel_transaction.ts'
import { redeliver } from '../../webhooks/deliveries.ts'
import { claimReview, readQueue, releaseReview, requireQueued } from '../claims.ts'
import { audit, auditRecord, consoleApi, forOperators } from '../endpoint.ts'
import { readOperatorTimeline } from '../operator_timeline.ts'
import { findAccountId, readRecord } from '../transaction_record.ts'

const path = `${consoleApi}/transaction/{transaction_id}`
const ofTransaction = { transaction_id: id }

/** A transaction on one page, without anything personal. */
export const getTransaction = defineUndocumented({
  ...forOperators('viewer'),
  method: 'get',
  path,
  request: { path: ofTransaction },
  async handler({ caller, path: { transaction_id } }, deps) {
    return { status: 200, body: await readRecord(deps, transaction_id, caller.role) }
  },
})

const sequenceParameter = single
  .refine(text => /^\d{1,9}$/.test(text), { error: 'must be a sequence' })
  .transform(Number)
  .default(0)

/** Lists a transaction's events, the oldest first. */
export const listTransactionEvents = defineUndocumented({
  ...forOperators('viewer'),
  method: 'get',
  path: `${path}/event`,
  request: { path: ofTransaction, query: { after: sequenceParameter, limit: limitParameter(200, 100) } },
  async handler({ path: { transaction_id }, query }, { transactions }) {
    const account_id = await findAccountId(transactions.store, transaction_id)
    return { status: 200, body: await readOperatorTimeline(transactions, account_id, transaction_id, query) }
  },
})

/** Ends a transaction as FAILED. */
export const cancelTransaction = defineUndocumented({
  ...forOperators('reviewer'),
  method: 'post',
  path: `${path}/cancel`,
  request: { path: ofTransaction, body: unusedBody },
  async handler({ caller, path: { transaction_id } }, deps) {
    const account_id = await findAccountId(deps.transactions.store, transaction_id)
    const subject = { type: 'transaction', id: transaction_id } as const
    const record = auditRecord(deps, caller, { action: 'transaction_cancelled', account_id, subject })
    await cancel(deps.transactions, { account_id, operator_id: caller.operator_id }, transaction_id, record)
    return { status: 200, body: await readRecord(deps, transaction_id, caller.role) }
  },
})

/** An operator looks at a case of the queue; `take_over` also where another does. */
export const claimTransaction = defineUndocumented({
  ...forOperators('reviewer'),
  method: 'post',
  path: `${path}/claim`,
  request: { path: ofTransaction, body: jsonBody(closedObjectField({ take_over: withDefault(boolean, false) })) },
  async handler({ caller, path: { transaction_id }, body }, { operators }) {
    const account_id = await findAccountId(operators.store, transaction_id)
    await claimReview(operators, caller, { account_id, transaction_id, takes_over: body.take_over })
    const queue = await readQueue(operators.store, [transaction_id], operators.clock.now())
    return { status: 200, body: requireQueued(queue.get(transaction_id)) }
  },
})

/** Gives a case back, for others to look at. */
export const releaseTransaction = defineUndocumented({
  ...forOperators('reviewer'),
  method: 'delete',
  path: `${path}/claim`,
  request: { path: ofTransaction },
  async handler({ caller, path: { transaction_id } }, { operators }) {
    const account_id = await findAccountId(operators.store, transaction_id)
    await releaseReview(operators, caller, { account_id, transaction_id })
    return { status: 204 }
  },
})

const reviewBody = closedObjectField({ decision: wordField(decisions), reason: textField(1, 1000) })

/** Decides a transaction that awaits review. */
export const reviewTransaction = defineUndocumented({
  ...forOperators('reviewer'),
  method: 'post',
  path: `${path}/review`,
  request: { path: ofTransaction, body: jsonBody(reviewBody) },
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

/** Repeats a delivery from its first attempt. */
export const redeliverAsOperator = defineUndocumented({
  ...forOperators('reviewer'),
  method: 'post',
  path: `${path}/delivery/{delivery_id}/redeliver`,
  request: { path: { ...ofTransaction, delivery_id: id }, body: unusedBody },
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

/** The evidence of a transaction, signed. */
export const exportEvidence = defineUndocumented({
  ...forOperators('reviewer'),
  method: 'get',
  path: `${path}/evidence`,
  request: { path: ofTransaction },
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
