import { createHmac } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { deriveKey } from '../base/encryption.ts'
import { all, ConflictError, first, run, type Unit } from '../durable/store/statement.ts'
import { readFirst, type Store } from '../durable/store/store.ts'
import { columnsOf, insert } from './schema.ts'

/** How often something may be done: `per_minute` times, all at once if need be; 0 is off. */
export interface Rate {
  readonly name: string
  readonly per_minute: number
}

/** What asking for one turn came to. */
export interface RatePermit {
  readonly allowed: boolean
  /** Turns left now, those that this node holds included. */
  readonly remaining: number
  /** Seconds until all turns are there again. */
  readonly reset_s: number
  /** Seconds until the next turn; 0 where this one was allowed. */
  readonly retry_after_s: number
}

/** The rate limits of all nodes on one database. */
export interface RateLimits {
  /** Takes one turn of `subject`, such as an account's id. @throws {ApiError} `unavailable` */
  take(rate: Rate, subject: string): Promise<RatePermit>
  /** Whether `take` would be allowed, and how many are left; takes none. @throws {ApiError} `unavailable` */
  look(rate: Rate, subject: string): Promise<RatePermit>
}

const minute_us = 60_000_000
/** A node asks the database for this share of a limit at a time: fewer round trips, and little held where it is not used. */
const leased_share = 1 / 20
/** What a node knows of subjects it may forget at any time: it then asks again. */
const most_known = 20_000
const sweep_limit = 200
const sweep_every_ms = 60_000

/** What this node knows of one subject. Instants are in microseconds. */
interface Known {
  readonly id: string
  /** Turns that the database has given to this node. */
  held: number
  /** By then turns that nobody used are there again for all: until then they are this node's. */
  held_until: number
  /** When all turns are there again, as the database last said. */
  full_at: number
  /** A refusal is believed until a turn is there again: who floods us costs the database nothing. */
  refused_until: number
  asking: Promise<void> | null
}

const columns = columnsOf('rate_limits', 'full_at_us')

/** How many turns a node asks for, and how long each takes to come back, in microseconds. */
interface Wanted {
  readonly wanted: number
  readonly each: number
}

/**
 * No turn takes longer than a minute to come back. An instant further ahead was written before a clock was put back, and
 * would lock its subject out for as long as that was wrong.
 */
const isMistaken = (at: number, now: number): boolean => at > now + 2 * minute_us

/**
 * The generic cell rate algorithm: one instant a subject tells all, when its turns would all be there again. Taking
 * turns moves it on; of nodes that do so at once one loses and reads it anew.
 */
function* reserve(
  { dialect }: Store,
  { id }: Known,
  now: number,
  { wanted, each }: Wanted,
): Unit<{ given: number; full_at: number }> {
  const row = yield* first({
    sql: `SELECT full_at_us FROM rate_limits WHERE id = ?${dialect.forUpdate}`,
    values: [id],
    columns,
  })
  const stored = row === null ? null : row.full_at_us
  const from = stored === null || isMistaken(stored, now) ? now : Math.max(now, stored)
  const given = Math.min(wanted, Math.floor((minute_us - (from - now)) / each))
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
  const rows = yield* all({
    sql: `SELECT id FROM rate_limits WHERE full_at_us <= ? OR full_at_us > ? ORDER BY full_at_us LIMIT ${sweep_limit}${dialect.skipLocked}`,
    values: [now, now + 2 * minute_us],
    columns: columnsOf('rate_limits', 'id'),
  })
  if (rows.length === 0) return
  const marks = rows.map(() => '?').join(', ')
  yield* run({ sql: `DELETE FROM rate_limits WHERE id IN (${marks})`, values: rows.map(row => row.id) })
}

/** A node that another overtook in making the row reads it then. */
const reserveTurns = async (store: Store, of: Known, now: number, wanted: Wanted) => {
  for (;;)
    try {
      return await store.commit(() => reserve(store, of, now, wanted))
    } catch (error) {
      if (!store.dialect.isDuplicate(error)) throw error
    }
}

/**
 * Opens the limits of a store. Nodes share them: each leases a few turns at a time, so that together they never allow
 * more than the limit, and refuse at most what others hold unused. A subject is kept as an HMAC: an address is personal.
 * Ours, because the libraries that there are ask the wall clock and write a row at every call.
 */
export const openRateLimits = (store: Store, clock: Clock, master: Uint8Array): RateLimits => {
  const known = new Map<string, Known>()
  const hmac_key = deriveKey(master, 'rate_limit')
  const nowUs = (): number => clock.now() * 1000
  let next_sweep_at = Number.NEGATIVE_INFINITY

  const sweep = async (): Promise<void> => {
    if (clock.monotonic() < next_sweep_at) return
    next_sweep_at = clock.monotonic() + sweep_every_ms
    await store.commit(() => removeFull(store, nowUs()))
  }
  const knownOf = (name: string): Known => {
    const found = known.get(name)
    if (found !== undefined) return found
    if (known.size >= most_known) known.clear()
    const id = createHmac('sha256', hmac_key).update(name).digest('base64url')
    const made: Known = { id, held: 0, held_until: 0, full_at: 0, refused_until: 0, asking: null }
    known.set(name, made)
    return made
  }
  const ask = async (of: Known, per_minute: number): Promise<void> => {
    const each = minute_us / per_minute
    const now = nowUs()
    const wanted = Math.max(1, Math.floor(per_minute * leased_share))
    const { given, full_at } = await reserveTurns(store, of, now, { wanted, each: Math.ceil(each) })
    of.full_at = full_at
    of.held = given
    of.held_until = now + given * each
    of.refused_until = given > 0 ? 0 : full_at + each - minute_us
    await sweep()
  }
  const turn = (of: Known, per_minute: number, allowed: boolean): RatePermit => {
    const now = nowUs()
    const owed = Math.max(0, of.full_at - now)
    return {
      allowed,
      remaining: allowed ? of.held + Math.max(0, Math.floor(((minute_us - owed) * per_minute) / minute_us)) : 0,
      reset_s: Math.ceil(owed / 1e6),
      retry_after_s: allowed ? 0 : Math.max(1, Math.ceil((of.refused_until - now) / 1e6)),
    }
  }
  const isRejected = (of: Known, now: number): boolean => now < of.refused_until && !isMistaken(of.refused_until, now)
  const read = async (of: Known, per_minute: number): Promise<void> => {
    const row = await readFirst(store, {
      sql: 'SELECT full_at_us FROM rate_limits WHERE id = ?',
      values: [of.id],
      columns,
    })
    const now = nowUs()
    const stored = row === null ? now : row.full_at_us
    of.full_at = isMistaken(stored, now) ? now : stored
    const each = minute_us / per_minute
    of.refused_until = of.full_at + each > now + minute_us ? of.full_at + each - minute_us : 0
  }
  return {
    async look({ name, per_minute }, subject) {
      const of = knownOf(`${name}/${subject}`)
      if (nowUs() >= of.held_until) of.held = 0
      if (of.held === 0 && !isRejected(of, nowUs())) await read(of, per_minute)
      return turn(of, per_minute, of.held > 0 || !isRejected(of, nowUs()))
    },
    async take({ name, per_minute }, subject) {
      const of = knownOf(`${name}/${subject}`)
      for (;;) {
        const now = nowUs()
        if (of.held > 0 && now < of.held_until) {
          of.held--
          return turn(of, per_minute, true)
        }
        if (isRejected(of, now)) return turn(of, per_minute, false)
        of.asking ??= ask(of, per_minute).finally(() => {
          of.asking = null
        })
        await of.asking
      }
    },
  }
}
