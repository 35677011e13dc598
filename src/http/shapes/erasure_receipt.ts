import { z } from 'zod'
import type { ErasureReceipt } from '../../verification/erasure/receipts.ts'
import { id, timestamp } from './common.ts'

const count = z.number().int()

export const erasureReceipt = z
  .object({
    erasure_id: id,
    subject: z.enum(['customer', 'transaction']),
    subject_id: id,
    erased_at: timestamp,
    completed_at: timestamp.nullable().meta({ description: 'Null while something is left to erase.' }),
    erased_by: z.string().meta({ description: 'The client of the account, or `command_line`.' }),
    counts: z.object({ transactions: count, cancelled: count, captures: count, faces: count, answers: count }),
  })
  .meta({ id: 'ErasureReceipt' }) satisfies z.ZodType<ErasureReceipt>
