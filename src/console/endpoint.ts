import type { HttpDeps } from '../http/deps.ts'
import { consolePath } from '../http/operators.ts'
import { type AuditEvent, appendAudit } from '../operators/audit.ts'
import type { Role } from '../operators/roles.ts'
import type { OperatorCaller } from '../operators/sessions.ts'

export const consoleApi = `${consolePath}/api`

/** What every endpoint of the console has, beside what it does. */
export const forOperators = <R extends Role>(role: R, operationId: string, summary: string) =>
  ({
    isForOperators: true,
    isDocumented: false,
    authentication: 'operator',
    role,
    operationId,
    summary,
    description: summary,
    tag: 'Operation',
  }) as const

/** Records what an operator does or is about to see. */
export const audit = (
  { operators: { store, clock } }: Pick<HttpDeps, 'operators'>,
  caller: OperatorCaller,
  event: AuditEvent,
): Promise<void> => store.commit(() => appendAudit(store, clock.now(), caller, event))
