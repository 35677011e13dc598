import type { CommitRecord } from 'durable-xstate-sql/sql'
import type { Role } from '../database/words.ts'
import type { HttpDeps } from '../http/deps.ts'
import { consolePath } from '../http/operators.ts'
import { type AuditEvent, createAuditRecord, recordAudit } from '../identity/operators/audit.ts'
import type { OperatorCaller } from '../identity/operators/sessions.ts'

export const consoleApi = `${consolePath}/api`

/** Returns the members that all endpoints of the console share. */
export function forOperators<R extends Role>(role: R) {
  return { isForOperators: true, authentication: 'operator', role } as const
}

/** The audit entry of an operator's action. It is written at the end of the action's commit. */
export function auditRecord<T = void>(
  { operators }: Pick<HttpDeps, 'operators'>,
  caller: OperatorCaller,
  event: AuditEvent | ((result: T) => AuditEvent),
): CommitRecord<T> {
  return createAuditRecord(operators, caller, event)
}

/** Records the data that an operator is about to see. */
export function audit(
  { operators }: Pick<HttpDeps, 'operators'>,
  caller: OperatorCaller,
  ...events: readonly AuditEvent[]
): Promise<void> {
  return recordAudit(operators, caller, ...events)
}
