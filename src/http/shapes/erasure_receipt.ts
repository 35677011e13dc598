import { z } from 'zod'
import { id, timestamp } from '../../schemas/common.ts'
import { meaning } from '../../schemas/fields.ts'
import type { ErasureReceipt } from '../../verification/erasure/receipts.ts'

const count = z.number().int()

export const erasureReceipt = z
  .object({
    erasure_id: id.meta(meaning('Names the receipt, by which it can be read later.')),
    subject: z
      .enum(['customer', 'transaction'])
      .meta(meaning('Whether a customer was erased, with all of their transactions, or one transaction.', 'customer')),
    subject_id: id.meta(meaning('The customer or the transaction that was erased.')),
    erased_at: timestamp.meta(meaning('From when on no call finds it any more.')),
    completed_at: timestamp
      .nullable()
      .meta(meaning('When all was erased; null while something is left to erase.', '2026-11-17T12:03:00.000Z')),
    erased_by: z
      .string()
      .meta(
        meaning(
          'Who asked for it: a client id of your account, `operator/` and an id from the console, or `command_line`.',
          'command_line',
        ),
      ),
    counts: z
      .object({
        transactions: count.meta(meaning('Transactions that were emptied.', 2)),
        cancelled: count.meta(meaning('Transactions that were open, and ended as FAILED.', 0)),
        captures: count.meta(meaning('Images and reported signals that were deleted.', 9)),
        faces: count.meta(meaning('Enrolled faces that were deleted: 0 or 1 of a customer.', 1)),
        answers: count.meta(meaning('Answers that were kept for an `Idempotency-Key`, and deleted.', 2)),
      })
      .meta(meaning('How much of each was erased.')),
  })
  .meta({ id: 'ErasureReceipt' }) satisfies z.ZodType<ErasureReceipt>
