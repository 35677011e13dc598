import { decryptJson, encryptJson } from '../base/encryption.ts'
import { customerAad } from '../customers/customers.ts'
import type { TableRow } from '../database/schema.ts'
import type { FaceTemplate } from '../decision/findings.ts'
import type { Statement } from '../durable/store/statement.ts'

/** An enrolled face as it is sealed. */
interface EnrolledFace {
  readonly template: FaceTemplate
  /** The transaction that it came from. */
  readonly transaction_id: string
}

type Enrolled = Pick<TableRow<'transactions'>, 'customer_id'> & Pick<TableRow<'customers'>, 'face'>

/** The face that the transaction's customer is enrolled with; null for none. */
export const decryptEnrolledFace = (key: Uint8Array, row: Enrolled): FaceTemplate | null => {
  const face = row.face
  if (face === null) return null
  return decryptJson<EnrolledFace>(key, customerAad(row.customer_id, 'face'), face).template
}

/** The transaction that the customer's enrolled face came from; null for none. */
export const enrolledBy = (row: Pick<TableRow<'customers'>, 'face_transaction_id'>): string | null =>
  row.face_transaction_id

/** decisions.md, "Transaction": only an APPROVED onboarding enrols; a newer one replaces it and names its transaction. */
export const enrolFace = (
  key: Uint8Array,
  row: Pick<TableRow<'transactions'>, 'id' | 'customer_id' | 'created_at'>,
  template: FaceTemplate,
): Statement => {
  const customer_id = row.customer_id
  const transaction_id = row.id
  const face: EnrolledFace = { template, transaction_id }
  // Of two transactions under way at once the older may end last.
  return {
    sql: `UPDATE customers SET face = ?, face_transaction_id = ? WHERE id = ? AND NOT EXISTS
      (SELECT 1 FROM transactions t WHERE t.id = customers.face_transaction_id AND t.created_at > ?)`,
    values: [encryptJson(key, customerAad(customer_id, 'face'), face), transaction_id, customer_id, row.created_at],
  }
}

/**
 * An approved step-up renews a face that was enrolled by an earlier version of the engine: its own selfie, just found to
 * be the same person's, replaces the template that it was compared with, and no other.
 */
export const renewFace = (
  key: Uint8Array,
  row: Pick<TableRow<'transactions'>, 'id' | 'customer_id'> & Pick<TableRow<'customers'>, 'face_transaction_id'>,
  template: FaceTemplate,
): Statement => {
  const customer_id = row.customer_id
  const transaction_id = row.id
  const face: EnrolledFace = { template, transaction_id }
  return {
    sql: 'UPDATE customers SET face = ?, face_transaction_id = ? WHERE id = ? AND face_transaction_id = ?',
    values: [encryptJson(key, customerAad(customer_id, 'face'), face), transaction_id, customer_id, enrolledBy(row)],
  }
}
