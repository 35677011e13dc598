/** A measuring child: takes cases one at a time, answers each with its outcome. `runner.ts` starts it. */
import type { Case, Outcome } from './cases.ts'
import { measure } from './measure.ts'

/** What a child answers with: `peak_mb` is its own resident memory at most, generator included. */
export interface ChildAnswer {
  readonly outcome: Outcome
  readonly peak_mb: number
}

process.on('message', async (one: Case) => {
  const outcome = await measure(one)
  process.send?.({ outcome, peak_mb: Math.round(process.resourceUsage().maxRSS / 1024) } satisfies ChildAnswer)
})
