import type { Context } from 'koa'
import { wait } from '../base/clock.ts'
import type { Erasures } from '../verification/erasure/erasures.ts'
import { withoutPermit } from './concurrency.ts'
import type { HttpDeps } from './deps.ts'

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
