import type { CommitRecord } from 'durable-xstate-sql/sql'
import type { Context } from 'koa'
import { type AuditEvent, createAuditRecord, recordAudit } from '../identity/operators/audit.ts'
import { readClientAddress } from './client_address.ts'
import type { HttpDeps } from './deps.ts'

/** The audit log's actor for an integrator's client; null for an unknown client. */
export function toClientActor({ trustedProxyHops }: HttpDeps, ctx: Context, client_id: string | null) {
  return {
    operator_id: null,
    client_id,
    address: readClientAddress(ctx.req, trustedProxyHops),
  }
}

/** The audit entry of a client's action, written at the end of the action's commit. */
export function clientAuditRecord(
  deps: HttpDeps,
  ctx: Context,
  client_id: string | null,
  event: AuditEvent,
): CommitRecord {
  return createAuditRecord(deps.operators, toClientActor(deps, ctx, client_id), event)
}

/** Records the data that a client is about to get. */
export function auditClient(deps: HttpDeps, ctx: Context, client_id: string | null, event: AuditEvent): Promise<void> {
  return recordAudit(deps.operators, toClientActor(deps, ctx, client_id), event)
}
