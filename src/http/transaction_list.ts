import type Router from '@koa/router'
import { z } from 'zod'
import { statuses } from '../transactions/kind.ts'
import { type ListPosition, listTransactions, type TransactionFilter } from '../transactions/list.ts'
import { referenceColumns } from '../transactions/reference.ts'
import { readTimeline } from '../transactions/timeline.ts'
import { textField } from './fields.ts'
import { api_prefix, callerOf, type FrontDoor } from './front_door.ts'
import {
  idIn,
  idParameter,
  instantParameter,
  limitParameter,
  readQuery,
  single,
  wordParameter,
  wordsParameter,
} from './query.ts'

/** What is listed. */
export const list_query = z.object({
  limit: limitParameter(100, 20),
  cursor: single.optional(),
  status: wordsParameter(statuses).optional(),
  transaction_type: wordParameter(['DOCUMENT_AND_BIOMETRIC', 'BIOMETRIC_ONLY']).optional(),
  decision: wordsParameter(['APPROVED', 'REJECTED', 'UNDETERMINED']).optional(),
  customer_id: idParameter.optional(),
  reference: single.pipe(textField(1, 255)).optional(),
  created_from: instantParameter.optional(),
  created_to: instantParameter.optional(),
})

/** Which part of a timeline. */
export const events_query = z.object({ limit: limitParameter(1000, 100), cursor: single.optional() })

/** decisions.md, "Beyond the spec": the account's transactions, and what happened to one. */
export const transactionListRoutes = (router: Router, door: FrontDoor): void => {
  const deps = door.transactions

  router.get(`${api_prefix}/transaction`, async ctx => {
    const account_id = await callerOf(door, ctx)
    const { limit, cursor, ...given } = readQuery(ctx, list_query)
    const filter: TransactionFilter = {
      status: given.status ?? null,
      transaction_type: given.transaction_type ?? null,
      decision: given.decision ?? null,
      customer_id: given.customer_id ?? null,
      reference: given.reference === undefined ? null : referenceColumns(deps, account_id, given.reference),
      created_from: given.created_from ?? null,
      created_to: given.created_to ?? null,
    }
    const list = ['transactions', account_id, filter]
    const after = cursor === undefined ? null : door.cursors.open<ListPosition>(list, cursor)
    const { data, next } = await listTransactions(deps, account_id, { filter, after, limit })
    ctx.body = { data, next_cursor: next === null ? null : door.cursors.give(list, next) }
  })

  router.get(`${api_prefix}/transaction/:transaction_id/events`, async ctx => {
    const account_id = await callerOf(door, ctx)
    const id = idIn(ctx.params, 'transaction_id')
    const { limit, cursor } = readQuery(ctx, events_query)
    const list = ['events', account_id, id]
    const after = cursor === undefined ? 0 : door.cursors.open<number>(list, cursor)
    const { data, next } = await readTimeline(deps, account_id, id, { after, limit })
    ctx.body = { data, next_cursor: next === null ? null : door.cursors.give(list, next) }
  })
}
