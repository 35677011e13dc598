import { nameCapture } from '../../http/captures.ts'
import { defineUndocumented } from '../../http/endpoint.ts'
import { idsParameter } from '../../http/parameters.ts'
import type { HeldBytes } from '../../http/response_memory.ts'
import { readCustomer } from '../../identity/customers/customers.ts'
import type { AuditEvent } from '../../identity/operators/audit.ts'
import { id } from '../../schemas/common.ts'
import { readCapture as readImage } from '../../verification/transactions/capture_reading.ts'
import type { CaptureKind } from '../../verification/transactions/steps.ts'
import { audit, auditRecord, consoleApi, forOperators } from '../endpoint.ts'
import { findCustomerAccount } from '../find_customers.ts'
import { readExternalIds, readPersonalData, readReferences } from '../personal_data.ts'
import { findAccountId } from '../transaction_record.ts'

/** Returns the personal data of a transaction; each reading is recorded. */
export const getPersonalData = defineUndocumented({
  ...forOperators('reviewer'),
  method: 'get',
  path: `${consoleApi}/transaction/{transaction_id}/personal`,
  request: { path: { transaction_id: id } },
  async handler({ caller, path: { transaction_id } }, deps) {
    const account_id = await findAccountId(deps.transactions.store, transaction_id)
    const body = await readPersonalData(deps, account_id, transaction_id)
    const subject = { type: 'transaction', id: transaction_id } as const
    await audit(deps, caller, { action: 'personal_data_read', account_id, subject })
    return { status: 200, body }
  },
})

/** The references of transactions; each one that is read is recorded. */
export const listReferences = defineUndocumented({
  ...forOperators('reviewer'),
  method: 'get',
  path: `${consoleApi}/reference`,
  request: { query: { transaction_id: idsParameter(100) } },
  async handler({ caller, query }, deps) {
    const found = await readReferences(deps, query.transaction_id)
    const events = found.map(({ transaction_id, account_id }): AuditEvent => {
      const subject = { type: 'transaction', id: transaction_id } as const
      return { action: 'personal_data_read', account_id, subject, details: { what: 'reference' } }
    })
    await audit(deps, caller, ...events)
    return { status: 200, body: { data: found.map(({ account_id: _, ...one }) => one) } }
  },
})

/** The external ids of customers; each one that is read is recorded. */
export const listExternalIds = defineUndocumented({
  ...forOperators('reviewer'),
  method: 'get',
  path: `${consoleApi}/external-id`,
  request: { query: { customer_id: idsParameter(100) } },
  async handler({ caller, query }, deps) {
    const found = await readExternalIds(deps, query.customer_id)
    const events = found.map(({ customer_id, account_id }): AuditEvent => {
      const subject = { type: 'customer', id: customer_id } as const
      return { action: 'personal_data_read', account_id, subject, details: { what: 'external_customer_id' } }
    })
    await audit(deps, caller, ...events)
    return { status: 200, body: { data: found.map(({ account_id: _, ...one }) => one) } }
  },
})

/** Returns the personal data of a customer; each reading is recorded. */
export const getCustomerPersonalData = defineUndocumented({
  ...forOperators('reviewer'),
  method: 'get',
  path: `${consoleApi}/customer/{customer_id}/personal`,
  request: { path: { customer_id: id } },
  async handler({ caller, path: { customer_id } }, deps) {
    const account_id = await findCustomerAccount(deps.transactions.store, customer_id)
    const { created_at: _, ...body } = await readCustomer(deps.customers, account_id, customer_id)
    await audit(deps, caller, {
      action: 'personal_data_read',
      account_id,
      subject: { type: 'customer', id: customer_id },
    })
    return { status: 200, body }
  },
})

/** An image; each reading is recorded. */
export const getCapture = defineUndocumented({
  ...forOperators('reviewer'),
  method: 'get',
  path: `${consoleApi}/transaction/{transaction_id}/capture/{capture_id}`,
  request: { path: { transaction_id: id, capture_id: id } },
  async handler({ caller, path: { transaction_id, capture_id }, ctx }, deps) {
    const { transactions, responseMemory } = deps
    const account_id = await findAccountId(transactions.store, transaction_id)
    const { operator_id } = caller
    const createEvent = (kind: CaptureKind) =>
      ({ type: 'CAPTURE_READ', by: 'operator', operator_id, capture_id, kind }) as const
    const subject = { type: 'transaction', id: transaction_id } as const
    const event = { action: 'capture_read', account_id, subject, details: { capture_id } } as const
    const record = auditRecord(deps, caller, event)
    let held: HeldBytes | null = null
    const reading = { account_id, transaction_id, capture_id, createEvent, record }
    const { kind, media_type, content } = await readImage(transactions, reading, byteCount => {
      held = responseMemory.hold(ctx, 2 * byteCount, account_id)
    })
    ;(held as HeldBytes | null)?.reduceTo(content.length)
    return { status: 200, headers: nameCapture(kind, media_type), type: media_type, body: content }
  },
})
