import { z } from 'zod'
import { ruleEffects } from '../../decision/decision.ts'
import { issueTypes } from '../../decision/issues.ts'
import { decision, timestamp } from '../../http/shapes/common.ts'
import { checkStatus, passes_when } from '../../http/shapes/transaction.ts'

export const explainedRule = z.object({
  section: z.string(),
  rule: z.string(),
  status: checkStatus,
  score: z.number().nullable(),
  threshold: z.number().nullable(),
  passes_when: passes_when.nullable(),
  engine: z.object({ name: z.string(), version: z.string() }).nullable(),
  /** `supports` an approval, `rejects`, `prevents_approval`, `warns` only, or has `none`. */
  effect: z.enum(ruleEffects),
  /** False: the score alone would say otherwise, and another measurement of the rule decided. */
  score_decides: z.boolean(),
  issues: z.array(z.string()),
  sentence: z.string(),
})

export const explanation = z.object({
  /** Such as `Rejected: the document has expired.` */
  sentence: z.string(),
  decided_by: z.enum(['rules', 'operator', 'deadline']).nullable(),
  /** What the rules alone decided; a review may have decided otherwise. */
  rules_decision: decision.nullable(),
  rules: z.array(explainedRule),
  issues: z.array(
    z.object({
      type: z.enum(issueTypes),
      code: z.string(),
      message: z.string(),
      rules: z.array(z.string()),
    }),
  ),
  /** False: the trace is not the one that the journal names. Null: nothing was decided by rules. */
  trace_is_pinned: z.boolean().nullable(),
  failure: z
    .object({
      code: z.string(),
      attempts: z.array(
        z.object({ attempt: z.number().int(), failed_at: timestamp, code: z.string(), stage: z.string().nullable() }),
      ),
    })
    .nullable(),
})
