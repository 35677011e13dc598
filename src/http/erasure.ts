import type { Context } from 'koa'
import { wait } from '../base/clock.ts'
import type { Erasures } from '../verification/erasure/erasures.ts'
import type { ErasureSubject } from '../verification/erasure/receipts.ts'
import { clientAuditRecord } from './client_audit.ts'
import { withoutPermit } from './concurrency.ts'
import { json } from './content.ts'
import type { HttpDeps } from './deps.ts'
import { type DocumentedEndpoint, defineEndpoint, type Endpoint } from './endpoint.ts'
import { apiPrefix } from './paths.ts'
import { customer_id, transaction_id } from './shapes/common.ts'
import { erasureReceipt } from './shapes/erasure_receipt.ts'

/** Most erasures are whole by then. A caller needs no more than the first commit: nobody finds the subject after it. */
const maxWaitMs = 1_000

/** Erases a subject, and answers when everything of it is erased, at the latest after `maxWaitMs`. */
export async function erase(
  ctx: Context,
  { clock, draining, erasures }: HttpDeps,
  ...[subject, erasure]: Parameters<Erasures['erase']>
) {
  const done = new AbortController()
  const enough = wait(clock, maxWaitMs, AbortSignal.any([done.signal, draining]))
  const erasing = withoutPermit(ctx, () => erasures.erase(subject, erasure, enough))
  const body = await erasing.finally(() => done.abort())
  const status: 200 | 202 = body.completed_at === null ? 202 : 200
  return { status, body }
}

/** The endpoints that erase a customer and a transaction differ only in their subject. */
export function defineErasure(
  subject: ErasureSubject,
  { operationId, summary }: Pick<DocumentedEndpoint, 'operationId' | 'summary'>,
): Endpoint {
  return defineEndpoint({
    method: 'delete',
    path: `${apiPrefix}/${subject}/{${subject}_id}`,
    operationId,
    summary,
    description: 'What is open ends as FAILED first. The same receipt again when repeated.',
    tag: 'Erasure',
    authentication: 'access_token',
    request: { path: { [`${subject}_id`]: subject === 'customer' ? customer_id : transaction_id } },
    responses: {
      200: json('Erased.', erasureReceipt),
      202: json('Gone for every call; the rest is erased meanwhile.', erasureReceipt),
    },
    errors: [404],
    async handler({ caller, path, ctx }, deps) {
      const { account_id, client_id } = caller
      const subject_id = path[`${subject}_id`] ?? ''
      const event = { action: `${subject}_erased`, account_id, subject: { type: subject, id: subject_id } } as const
      const record = clientAuditRecord(deps, ctx, client_id, event)
      return erase(ctx, deps, subject, { account_id, erased_by: client_id, subject_id, record })
    },
  })
}
