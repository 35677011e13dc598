import { readFirst, run, type Store, selectAll, selectFirst, type Unit } from 'durable-xstate-sql'
import { ConflictError, toPlaceholders } from 'durable-xstate-sql/sql'
import type { Clock } from '../base/clock.ts'
import { createRecent } from '../base/collections.ts'
import { deriveKey, hmac, type ServiceKeys } from '../base/encryption.ts'
import { columnsOf, insert } from './schema.ts'

/** The rate of a call: `per_minute` times, also all at once; 0 means no limit. */
interface Rate {
  readonly name: string
  readonly per_minute: number
}

/** The answer to a request for one permit. */
export interface RatePermit {
  readonly allowed: boolean
  /** Permits left now, those that this node holds included. */
  readonly remaining: number
  /** Seconds until all permits are available again. */
  readonly reset_s: number
  /** Seconds until the next permit; 0 where this one was granted. */
  readonly retry_after_s: number
}

/** The rate limits of all nodes on one database. */
export interface RateLimits {
  /** Takes one permit of `subject`, such as an account's id. @throws {DurableError} `unavailable` */
  take(rate: Rate, subject: string): Promise<RatePermit>
  /** Whether `take` would be granted, and how many are left; takes none. @throws {DurableError} `unavailable` */
  look(rate: Rate, subject: string): Promise<RatePermit>
}

const minuteUs = 60_000_000
/** The share of a limit that a node takes at a time: more saves round trips, less leaves fewer permits unused. */
const leasedShare = 1 / 20
const maxSubjects = 20_000
const maxSweep = 200
const sweepEveryMs = 60_000

/** One subject as this node knows it. Instants are in microseconds. */
interface Subject {
  readonly id: string
  /** Permits that the database has given to this node. */
  held: number
  /** This node's unused permits become available to all again at this instant. */
  held_until: number
  /** All permits are available again at this instant, by the last response of the database. */
  full_at: number
  /** Until a permit is available again the database is not asked, so that a flood of calls costs it nothing. */
  denied_until: number
  asking: Promise<void> | null
}

const columns = columnsOf('rate_limits', 'full_at_us')

/** A limit in whole microseconds, so that it grants just what it says whether or not it divides a minute. */
interface Pace {
  /** Time until a permit is available again. */
  readonly each: number
  /** Time until all are. */
  readonly all: number
}

export function toPace(per_minute: number): Pace {
  const each = Math.floor(minuteUs / per_minute)
  return { each, all: each * per_minute }
}

/** The number of permits that a node asks for. */
interface Wanted extends Pace {
  readonly wanted: number
}

/**
 * A permit is available again after a minute at most. A later instant was written by a wrong clock that has been set
 * back since. It would lock its subject out until then.
 */
function isMistaken(at: number, now: number): boolean {
  return at > now + 2 * minuteUs
}

/**
 * The generic cell rate algorithm. All that is stored of a subject is the instant when all its permits are available
 * again. Taking permits moves it forward. Of two nodes that do so at once one loses, and reads it again.
 */
function* reserve(
  { dialect }: Store,
  { id }: Subject,
  now: number,
  { wanted, each, all }: Wanted,
): Unit<{ given: number; full_at: number }> {
  const row = yield* selectFirst({
    sql: `SELECT full_at_us FROM rate_limits WHERE id = ?${dialect.forUpdate}`,
    values: [id],
    columns,
  })
  const stored = row === null ? null : row.full_at_us
  const from = stored === null || isMistaken(stored, now) ? now : Math.max(now, stored)
  const given = Math.min(wanted, Math.floor((all - (from - now)) / each))
  if (given <= 0) return { given: 0, full_at: from }
  const full_at = from + given * each
  if (stored === null) yield* run(insert('rate_limits', { id, full_at_us: full_at }))
  else {
    const sql = 'UPDATE rate_limits SET full_at_us = ? WHERE id = ? AND full_at_us = ?'
    if ((yield* run({ sql, values: [full_at, id, stored] })).changed === 0) throw new ConflictError(id)
  }
  return { given, full_at }
}

function* removeFull({ dialect }: Store, now: number): Unit<void> {
  const rows = yield* selectAll({
    sql: `SELECT id FROM rate_limits WHERE full_at_us <= ? OR full_at_us > ? ORDER BY full_at_us LIMIT ${maxSweep}${dialect.skipLocked}`,
    values: [now, now + 2 * minuteUs],
    columns: columnsOf('rate_limits', 'id'),
  })
  if (rows.length === 0) return
  const marks = toPlaceholders(rows)
  yield* run({ sql: `DELETE FROM rate_limits WHERE id IN (${marks})`, values: rows.map(row => row.id) })
}

/** If another node creates the row first, this one reads it. */
async function reservePermits(store: Store, subject: Subject, now: number, wanted: Wanted) {
  for (;;)
    try {
      return await store.commit(() => reserve(store, subject, now, wanted))
    } catch (error) {
      if (!store.dialect.isDuplicate(error)) throw error
    }
}

/**
 * Opens the limits of a store. Nodes share them: each takes a few permits at a time, so that together they never grant
 * more than the limit, and deny at most what others hold unused. A subject is stored as an HMAC, because an address is
 * personal data. Libraries for this read the wall clock and write a row at every call, hence this code.
 */
export function openRateLimits(store: Store, clock: Clock, serviceKeys: ServiceKeys): RateLimits {
  const subjects = createRecent<Subject>(maxSubjects)
  const hmacKey = deriveKey(serviceKeys.lookup, 'rate_limit')
  const nowUs = (): number => clock.now() * 1000
  let nextSweepAt = Number.NEGATIVE_INFINITY

  const sweep = async (): Promise<void> => {
    if (clock.monotonic() < nextSweepAt) return
    nextSweepAt = clock.monotonic() + sweepEveryMs
    await store.commit(() => removeFull(store, nowUs()))
  }
  const findSubject = (name: string): Subject => {
    const found = subjects.get(name)
    if (found !== undefined) return found
    const id = hmac(hmacKey, name).digest('base64url')
    const made: Subject = { id, held: 0, held_until: 0, full_at: 0, denied_until: 0, asking: null }
    subjects.set(name, made)
    return made
  }
  const ask = async (subject: Subject, per_minute: number): Promise<void> => {
    const pace = toPace(per_minute)
    const { each, all } = pace
    const now = nowUs()
    const wanted = Math.max(1, Math.floor(per_minute * leasedShare))
    const { given, full_at } = await reservePermits(store, subject, now, { wanted, ...pace })
    subject.full_at = full_at
    subject.held = given
    subject.held_until = now + given * each
    subject.denied_until = given > 0 ? 0 : full_at + each - all
    await sweep()
  }
  /** A held permit that is available to all again is not held as well: it would count twice. */
  const dropReturned = (subject: Subject, now: number, { each }: Pace): void => {
    const owed = Math.ceil((subject.full_at - now) / each)
    subject.held = now < subject.held_until ? Math.min(subject.held, Math.max(0, owed)) : 0
  }
  const describe = (subject: Subject, now: number, { each, all }: Pace, allowed: boolean): RatePermit => {
    const owed = Math.max(0, subject.full_at - now)
    return {
      allowed,
      remaining: allowed ? subject.held + Math.max(0, Math.floor((all - owed) / each)) : 0,
      reset_s: Math.ceil(owed / 1e6),
      retry_after_s: allowed ? 0 : Math.max(1, Math.ceil((subject.denied_until - now) / 1e6)),
    }
  }
  const isRejected = (subject: Subject, now: number): boolean =>
    now < subject.denied_until && !isMistaken(subject.denied_until, now)
  const read = async (subject: Subject, { each, all }: Pace): Promise<void> => {
    const row = await readFirst(store, {
      sql: 'SELECT full_at_us FROM rate_limits WHERE id = ?',
      values: [subject.id],
      columns,
    })
    const now = nowUs()
    const stored = row === null ? now : row.full_at_us
    subject.full_at = isMistaken(stored, now) ? now : stored
    subject.denied_until = subject.full_at + each > now + all ? subject.full_at + each - all : 0
  }
  return {
    async look({ name, per_minute }, subject) {
      const known = findSubject(`${name}/${subject}`)
      const pace = toPace(per_minute)
      dropReturned(known, nowUs(), pace)
      if (known.held === 0 && !isRejected(known, nowUs())) await read(known, pace)
      const now = nowUs()
      return describe(known, now, pace, known.held > 0 || !isRejected(known, now))
    },
    async take({ name, per_minute }, subject) {
      const known = findSubject(`${name}/${subject}`)
      const pace = toPace(per_minute)
      for (;;) {
        const now = nowUs()
        dropReturned(known, now, pace)
        if (known.held > 0) {
          known.held--
          return describe(known, now, pace, true)
        }
        if (isRejected(known, now)) return describe(known, now, pace, false)
        known.asking ??= ask(known, per_minute).finally(() => {
          known.asking = null
        })
        await known.asking
      }
    },
  }
}
