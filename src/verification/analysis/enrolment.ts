import type { FaceTemplate } from '@attestor/rules'
import type { Statement } from 'durable-xstate-sql'
import type { Value } from 'durable-xstate-sql/sql'
import { decryptJson, encryptJson } from '../../base/encryption.ts'
import type { TableRow } from '../../database/schema.ts'
import { customerAad } from '../../identity/customers/customers.ts'

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

/** Values for `face = ?, face_transaction_id = ? WHERE id = ?`. */
function encryptFace(
  key: Uint8Array,
  { id, customer_id }: Pick<TableRow<'transactions'>, 'id' | 'customer_id'>,
  template: FaceTemplate,
): readonly Value[] {
  const face: EnrolledFace = { template, transaction_id: id }
  return [encryptJson(key, customerAad(customer_id, 'face'), face), id, customer_id]
}

/** An approved onboarding enrols the face; a newer one replaces it. */
export function enrolFace(
  key: Uint8Array,
  row: Pick<TableRow<'transactions'>, 'id' | 'customer_id' | 'created_at'>,
  template: FaceTemplate,
): Statement {
  return {
    // The older one of two concurrent transactions may end last. It must not replace the newer face.
    sql: `UPDATE customers SET face = ?, face_transaction_id = ? WHERE id = ? AND NOT EXISTS
    (SELECT 1 FROM transactions t WHERE t.id = customers.face_transaction_id AND t.created_at > ?)`,
    values: [...encryptFace(key, row, template), row.created_at],
  }
}
