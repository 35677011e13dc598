import { z } from 'zod'
import { timestamp } from '../../http/shapes/common.ts'

const count = z.number().int()

const outcomeCounts = z.object({
  approved: count,
  rejected: count,
  undetermined: count,
  failed: count,
  expired: count,
  open: count,
  erased: count,
})

const counts = outcomeCounts.extend({ created: count })

/** What became of the transactions that a search finds. */
export const matchCounts = outcomeCounts.extend({
  total: count,
  /** There are as many as are counted, or more: the newest of them are counted. */
  is_cut: z.boolean(),
})

export const overview = z.object({
  /** Of the transactions that were created from `from` to `to`. */
  from: timestamp,
  to: timestamp,
  /** There were too many to count: earlier days are left out. */
  is_cut: z.boolean(),
  /** In UTC, the oldest first. */
  days: z.array(counts.extend({ date: z.string() })),
  totals: counts,
  /** From 0 to 1, of those that were approved, rejected or left undetermined; null where none was. */
  approval_rate: z.number().nullable(),
  /** Issue codes, the most frequent first. */
  reasons: z.array(z.object({ code: z.string(), count })),
  time_to_decide: z.object({ median_ms: count.nullable(), p90_ms: count.nullable() }),
})
