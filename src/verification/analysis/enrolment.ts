import type { FaceTemplate } from '@attestor/rules'
import type { Statement } from 'durable-xstate-sql'
import { decryptJson, encryptJson } from '../../base/encryption.ts'
import type { TableRow } from '../../database/schema.ts'
import { customerAad } from '../../identity/customers/customers.ts'
import { computeFaceMac } from '../../identity/row_macs.ts'

interface EnrolledFace {
  readonly template: FaceTemplate
  readonly transaction_id: string
}

type Enrolled = Pick<TableRow<'transactions'>, 'customer_id'> & Pick<TableRow<'customers'>, 'face'>

/** The face that the customer is enrolled with; null for none. */
export function decryptEnrolledFace(key: Uint8Array, row: Enrolled): FaceTemplate | null {
  const face = row.face
  if (face === null) return null
  return decryptJson<EnrolledFace>(key, customerAad(row.customer_id, 'face'), face).template
}

/** An approved onboarding enrols the face; a newer one replaces it. */
export function enrolFace(
  rowKey: Uint8Array,
  key: Uint8Array,
  { id, customer_id, created_at }: Pick<TableRow<'transactions'>, 'id' | 'customer_id' | 'created_at'>,
  template: FaceTemplate,
): Statement {
  const enrolled: EnrolledFace = { template, transaction_id: id }
  const face = encryptJson(key, customerAad(customer_id, 'face'), enrolled)
  const face_mac = computeFaceMac(rowKey, { id: customer_id, face, face_transaction_id: id })
  return {
    // The older one of two concurrent transactions may end last. It must not replace the newer face.
    sql: `UPDATE customers SET face = ?, face_transaction_id = ?, face_mac = ? WHERE id = ? AND NOT EXISTS
    (SELECT 1 FROM transactions t WHERE t.id = customers.face_transaction_id AND t.created_at > ?)`,
    values: [face, id, face_mac, customer_id, created_at],
  }
}
