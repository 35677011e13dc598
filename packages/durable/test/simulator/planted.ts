/** A fault to be planted: the text of a file is changed in one place. */
export interface Planted {
  readonly name: string
  /** Path below the package's folder. */
  readonly file: string
  readonly from: string
  readonly to: string
}

function fault(name: string, file: string, from: string, to: string): Planted {
  return { name, file, from, to }
}

/** Faults of the durable core, each of a kind that has been made somewhere. */
export const coreFaults: readonly Planted[] = [
  fault(
    'a job’s lease is not compared',
    'actors/rows.ts',
    "lease === null ? 'lease IS NULL' : 'lease = ?'",
    "lease === null ? '1 = 1' : '? IS NOT NULL'",
  ),
  fault(
    'the removed row of a result is not counted',
    'actors/units.ts',
    'ofFence.length > 0 && others[0]?.changed !== 1',
    'ofFence.length > 1',
  ),
  fault('a held job’s text is not compared', 'actors/units.ts', ': row.held_job !== held', ': false'),
  fault(
    'the version is no fence',
    'actors/actor_sql.ts',
    'WHERE id = ? AND version = ?',
    'WHERE id = ? AND version <= ? + 1',
  ),
  fault('an actor’s row is read without a lock', 'store/dialect.ts', "forUpdate: ' FOR UPDATE',", "forUpdate: '',"),
  fault(
    'an actor’s time goes back where a clock is behind',
    'actors/write_context.ts',
    'actor: Math.max(wall + clock_offset_ms, row.journal_at ?? 0)',
    'actor: wall + clock_offset_ms',
  ),
  fault(
    'a known row is written though it has changed',
    'actors/units.ts',
    'return updated?.changed === 1 ?',
    'return updated?.changed !== 2 ?',
  ),
  fault('leases are not renewed', 'jobs/running_jobs.ts', 'clock.now() + leaseMs,\n      )', 'clock.now(),\n      )'),
  fault('heartbeats come too seldom', 'jobs/worker.ts', 'clock.now() + leaseMs / 3', 'clock.now() + leaseMs * 3'),
  fault(
    'a lease that was renewed is taken for lost',
    'store/scheduled_jobs.ts',
    'outcomes[index]?.changed === 1',
    'outcomes[index]?.changed === 2',
  ),
  fault(
    'a timer is ready a second early',
    'actors/rows.ts',
    'ready_at: context.time.wall + job.delayMs',
    'ready_at: context.time.wall + job.delayMs - 1000',
  ),
  fault(
    'a timer is scheduled by the actor’s clock twice',
    'actors/rows.ts',
    'ready_at: context.time.wall + job.delayMs',
    'ready_at: context.time.wall + 2 * job.delayMs',
  ),
  fault(
    'timers of a state that is left stay',
    'actors/rows.ts',
    "sql: 'DELETE FROM scheduled_jobs WHERE actor_id = ? AND name = ?'",
    "sql: 'DELETE FROM scheduled_jobs WHERE actor_id = ? AND name = ? AND lease IS NOT NULL'",
  ),
  fault(
    'the rows of an actor that has ended stay',
    'actors/rows.ts',
    'if (step.done) return [',
    'if (step.done) return []; if (step.status === null) return [',
  ),
  fault(
    'a held job stays after its actor has left the state',
    'actors/rows.ts',
    'return done || effects.some',
    'return effects.length < 0 && effects.some',
  ),
  fault(
    'a job of a state that is entered is not written',
    'actors/rows.ts',
    ".filter(({ type }, index) => type !== 'cancel' || index !== ofSpent)",
    ".filter(({ type }, index) => type !== 'startJob' || index !== 0)",
  ),
  fault(
    'a journal entry is skipped',
    'actors/units.ts',
    'yield* runLater([...journal.insertion, ...jobs, ...writes])',
    "yield* runLater([...(request.event.type === 'TOUCH' ? [] : journal.insertion), ...jobs, ...writes])",
  ),
  fault(
    'the writes of a step come in a commit of their own',
    'actors/units.ts',
    'yield* runLater([...journal.insertion, ...jobs, ...writes])',
    'yield* runLater([...journal.insertion, ...writes])',
  ),
  fault(
    'an actor’s row keeps the hash before',
    'actors/rows.ts',
    'const columns = { journal_hash: hash,',
    'const columns = { journal_hash: previousHash,',
  ),
  fault(
    'the chain begins again with each entry',
    'actors/rows.ts',
    "previousHash: row.journal_hash ?? ''",
    "previousHash: ''",
  ),
  fault(
    'an action is run twice',
    'actors/units.ts',
    'yield* action({ ...toActionContext(context, step, row), params: effect.params })',
    'for (const _ of [1, 2]) yield* action({ ...toActionContext(context, step, row), params: effect.params })',
  ),
  fault(
    'an action is left out where the actor ends',
    'actors/units.ts',
    "if (effect.type !== 'action') continue",
    "if (effect.type !== 'action' || step.done) continue",
  ),
  fault(
    'the slot of a job that was not committed is not given back',
    'actors/new_jobs.ts',
    'for (const [slot] of claimed.values()) slot.release()',
    'claimed.clear()',
  ),
  fault(
    'a unit that runs again keeps the slots of its first run',
    'actors/new_jobs.ts',
    'jobs.release()\n    jobs = collectNewJobs(takers, ending)',
    'jobs = collectNewJobs(takers, ending)',
  ),
  fault(
    'a waiting row wakes nobody',
    'jobs/worker.ts',
    "if (ready_at <= clock.now()) dispatch({ type: 'waits', queue, lane })",
    'if (ready_at <= clock.now()) return',
  ),
  fault(
    'no poll looks for the rows of dead nodes',
    'jobs/answer.ts',
    'const until = Math.min(now + pollMs, held_until)',
    'const until = Number.POSITIVE_INFINITY',
  ),
  fault(
    'leases that have ended in an actor’s row are not looked for',
    'jobs/answer.ts',
    'held_until <= now ? await recoverHeldJobs(store, tables, now) : 0',
    '0',
  ),
  fault(
    'a recovered job is not ready',
    'store/scheduled_jobs.ts',
    '{ ready_at: now, claims: 1 }',
    '{ ready_at: now + 100_000_000, claims: 1 }',
  ),
  fault(
    'a recovered job keeps its old place, too',
    'store/scheduled_jobs.ts',
    'SET held_job = NULL, held_until = NULL WHERE id = ? AND held_job = ?',
    'SET held_until = held_until WHERE id = ? AND held_job = ?',
  ),
  fault(
    'a leased row is claimed',
    'store/scheduled_jobs.ts',
    'values: [token, lease.now + lease.leaseMs, ...ids, lease.now]',
    'values: [token, lease.now, ...ids, lease.now]',
  ),
  fault(
    'a failed look is the last one',
    'jobs/worker.ts',
    "dispatch({ type: 'failed', until: clock.now() + pollMs })",
    "dispatch({ type: 'failed', until: clock.now() + 100_000_000 })",
  ),
  fault(
    'a timer that could not be sent is removed',
    'jobs/answer.ts',
    'await postponeJob(store, timer.id, clock.now() + postponeMs)',
    'await postponeJob(store, timer.id, clock.now() + 100_000_000)',
  ),
  fault(
    'the first failure of a job is its result, also where nobody could answer',
    'jobs/run_job.ts',
    'if (isUnavailable(error) || error instanceof PostponeJob || signal.aborted) throw error',
    'if (error instanceof PostponeJob) throw error',
  ),
  fault(
    'a postponed job is ready at once',
    'jobs/run_job.ts',
    'return releaseLease(store, job, thrown.ready_at)',
    'return',
  ),
  fault(
    'a unit that lost a race is not run again',
    'store/mysql_retry.ts',
    '} else if (tried === maxTries) {',
    '} else if (tried > 0) {',
  ),
  fault(
    'a COMMIT whose answer is lost is taken for done',
    'store/mysql.ts',
    "return outcome === 'committed' ? committing : null",
    'return committing',
  ),
  fault(
    'a COMMIT whose answer is lost is run again',
    'store/mysql.ts',
    "return outcome === 'committed' ? committing : null",
    'return null',
  ),
  fault('a fence is not raised', 'store/mysql_unit.ts', 'if (raised?.changed !== 1) {', 'if (raised?.changed === 2) {'),
  fault(
    'a unit’s failure is its group’s',
    'store/sqlite.ts',
    'if (alone) throw error\n      rollBack()',
    'throw error\n      rollBack()',
  ),
  fault(
    'a unit that failed is settled as done',
    'store/sqlite.ts',
    'return () => reject(toDurableError(error))',
    'return () => resolve(undefined as never)',
  ),
  fault(
    'an alarm that is later replaces an earlier one',
    'jobs/worker.ts',
    'if (at >= ringsAt) return',
    'if (at === ringsAt) return',
  ),
  fault(
    'a slot stays taken after its job',
    'jobs/schedule.ts',
    'under_way: new Map([...counts].filter(([, jobs]) => jobs > 0))',
    'under_way: new Map([...(by < 0 ? under_way : counts)].filter(([, jobs]) => jobs > 0))',
  ),
  fault(
    'a row is ready a millisecond after its time',
    'store/scheduled_jobs.ts',
    'WHERE queue = ? AND lane = ? AND ready_at <= ? ORDER BY ready_at, id LIMIT ',
    'WHERE queue = ? AND lane = ? AND ready_at < ? ORDER BY ready_at, id LIMIT ',
  ),
  fault(
    'an event is accepted after the end',
    'actors/xstate.ts',
    "if (before.status !== 'active' || !before.can(event)) return null",
    "if (before.status !== 'active') return null",
  ),
]
