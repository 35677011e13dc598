import type { FaceTemplate } from '../analysis/port.ts'
import { sealJson, unsealJson } from '../base/seal.ts'
import { customerPlace } from '../customers/customers.ts'
import { bytes, number, optional, type Row, type Statement, text } from '../store/statement.ts'

/** An enrolled face as it is sealed. */
interface EnrolledFace {
  readonly template: FaceTemplate
  /** The transaction that it came from. */
  readonly transaction_id: string
}

/** The face that the transaction's customer is enrolled with; null for none. */
export const enrolledFace = (key: Uint8Array, row: Row): FaceTemplate | null => {
  const face = optional(row, 'face', bytes)
  if (face === null) return null
  return unsealJson<EnrolledFace>(key, customerPlace(text(row, 'customer_id'), 'face'), face).template
}

/** The transaction that the customer's enrolled face came from; null for none. */
export const enrolledBy = (row: Row): string | null => optional(row, 'face_transaction_id', text)

/** decisions.md, "Transaction": only an APPROVED onboarding enrols; a newer one replaces it and names its transaction. */
export const enrolment = (key: Uint8Array, row: Row, template: FaceTemplate): Statement => {
  const customer_id = text(row, 'customer_id')
  const transaction_id = text(row, 'id')
  const face: EnrolledFace = { template, transaction_id }
  // Of two transactions under way at once the older may end last.
  return {
    sql: `UPDATE customers SET face = ?, face_transaction_id = ? WHERE id = ? AND NOT EXISTS
      (SELECT 1 FROM transactions t WHERE t.id = customers.face_transaction_id AND t.created_at > ?)`,
    values: [
      sealJson(key, customerPlace(customer_id, 'face'), face),
      transaction_id,
      customer_id,
      number(row, 'created_at'),
    ],
  }
}

/**
 * An approved step-up renews a face that was enrolled by an earlier version of the engine: its own selfie, just found to
 * be the same person's, replaces the template that it was compared with, and no other.
 */
export const renewal = (key: Uint8Array, row: Row, template: FaceTemplate): Statement => {
  const customer_id = text(row, 'customer_id')
  const transaction_id = text(row, 'id')
  const face: EnrolledFace = { template, transaction_id }
  return {
    sql: 'UPDATE customers SET face = ?, face_transaction_id = ? WHERE id = ? AND face_transaction_id = ?',
    values: [sealJson(key, customerPlace(customer_id, 'face'), face), transaction_id, customer_id, enrolledBy(row)],
  }
}
