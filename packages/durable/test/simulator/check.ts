import type Database from 'better-sqlite3'
import type { AnyEventObject, AnyStateNode } from 'xstate'
import { chainHash } from '../../actors/chain.ts'
import { replayEntry } from '../../actors/replay.ts'
import type { Effect, Step } from '../../actors/xstate.ts'
import { awayMessage, createDefinitions, type Definitions, leaseMs, limitLane, pollMs, type Run } from './node.ts'

/** The promises of a world's nodes to its clients, and the runs of their workers' jobs. */
export interface Claims {
  /** The parcels whose creation was acknowledged. */
  readonly created: Set<string>
  /** The acknowledged events by their tokens: the parcel, and its version where the answer named it. */
  readonly accepted: Map<string, { readonly id: string; readonly version: number | null }>
  /** The tokens of events that were refused. */
  readonly rejected: Set<string>
  /** Every run of each job, by its id. */
  readonly runs: Map<string, Run[]>
  /** The clocks of two nodes differ by at most this many milliseconds. */
  readonly skewMs: number
  /** Nothing failed but jobs. */
  readonly isCalm: boolean
  /** No job waits for a slot. */
  readonly hasRoom: boolean
  /** Whether a node answered that an existing parcel does not exist. */
  isKnownDenied: boolean
  /** The first error of a client that says nothing to it. */
  fault: string | null
  /** Number of answers that the database is unavailable. */
  unavailable: number
  /** Number of calls that lost too many races. */
  contended: number
  /** The number of races that units have lost. */
  readonly races: () => number
  /** Time from which on every node is up. */
  healedAt: number
}

/** Thrown if the core breaks a promise. */
class BrokenPromiseError extends Error {
  override name = 'BrokenPromiseError'
}

function promise(isKept: boolean, otherwise: () => string): void {
  if (!isKept) throw new BrokenPromiseError(otherwise())
}

type Definition = Definitions[keyof Definitions]

interface ActorRow {
  readonly id: string
  readonly snapshot: string
  readonly version: number
  readonly status: string
  readonly journal_hash: string
  readonly held_job: string | null
  /** A notice's; undefined for a parcel. */
  readonly parcel_id?: string
}

interface Entry {
  readonly actor_id: string
  readonly sequence: number
  readonly actor_type: string
  readonly event: string
  readonly status: string
  readonly occurred_at: number
  readonly chart_version: number
  readonly hash: string
}

/** A unit that loses so many races is given up. */
const lostRaces = 8

/** A timer fires at most so long after its time, where every node is up: its poll, a lease, and two tries put off. */
const latenessMs = pollMs + leaseMs + 10_000

const definitions = createDefinitions(2, () => {
  throw new Error('nothing is created here')
})

/** A step of a replay, and its snapshot as a row stores it. */
interface Replayed {
  readonly step: Step
  readonly stored: string
}

const replayed = new Map<string, Replayed>()
const maxReplayed = 10_000

/** A step is pure, and many worlds have the same ones: each is computed once. */
function replay(definition: Definition, before: Replayed | null, entry: Entry): Replayed {
  const key = [definition.name, entry.chart_version, before?.stored ?? '', entry.event].join(' ')
  const known = replayed.get(key)
  if (known !== undefined) return known
  const step = replayEntry(definition, before?.step ?? null, entry)
  const made = { step, stored: JSON.stringify(step.snapshot) }
  if (replayed.size === maxReplayed) replayed.clear()
  replayed.set(key, made)
  return made
}

function readToken(event: AnyEventObject): string | null {
  const found = event.token ?? event.output?.token ?? event.error?.token
  return typeof found === 'string' ? found : null
}

/** The states from the one that has the status up to `node`; none where no state below has it. */
function pathTo(status: string, node: AnyStateNode): readonly AnyStateNode[] {
  if (node.tags.includes(status)) return [node]
  const path = Object.values(node.states).flatMap(child => pathTo(status, child))
  return path.length === 0 ? [] : [...path, node]
}

/** Whether the chart has a transition of the event in that status, without running it. */
function accepts({ charts, journalOnly }: Definition, version: number, status: string, type: string): boolean {
  const root = charts[version]?.root
  const path = root === undefined ? [] : pathTo(status, root)
  return journalOnly.some(one => one === type) || path.some(({ ownEvents }) => ownEvents.some(one => one === type))
}

/** Follows one actor through its journal, and lists the rows that must exist because of it. */
class Follower {
  readonly tokens: string[] = []
  notes: string[] = []
  announcements = 0
  last: Replayed | null = null
  hash = ''
  readonly #due = new Map<string, number>()
  readonly #claims: Claims

  constructor(claims: Claims) {
    this.#claims = claims
  }

  follow(definition: Definition, entry: Entry): void {
    const event = JSON.parse(entry.event) as AnyEventObject
    const token = readToken(event)
    if (token !== null) this.tokens.push(token)
    if (event.type === 'ERASED') this.notes = []
    if (event.type.startsWith('xstate.after.')) this.#requireInTime(event.type, entry.occurred_at)
    promise(event.error?.message !== awayMessage, () => 'a job has failed that nobody could do')
    promise(chainHash(this.hash, entry) === entry.hash, () => `the chain breaks at entry ${entry.sequence}`)
    this.hash = entry.hash
    const isAble = this.last === null || accepts(definition, entry.chart_version, this.last.step.status, event.type)
    promise(isAble, () => `${event.type} is in the journal, and was not possible`)
    this.last = replay(definition, this.last, entry)
    const { step } = this.last
    promise(step.status === entry.status, () => `entry ${entry.sequence} says ${entry.status}, not ${step.status}`)
    for (const effect of step.effects) this.#add(effect, entry.occurred_at)
  }

  #requireInTime(timer: string, firedAt: number): void {
    const { isCalm, skewMs, healedAt } = this.#claims
    const dueAt = this.#due.get(timer)
    if (dueAt === undefined) throw new BrokenPromiseError(`${timer} fired, and had not begun`)
    promise(firedAt >= dueAt - skewMs, () => `${timer} fired ${dueAt - firedAt} ms early`)
    const lateMs = firedAt - (isCalm ? dueAt : Math.max(dueAt, healedAt))
    promise(lateMs <= (isCalm ? 0 : latenessMs + skewMs), () => `${timer} fired ${lateMs} ms late`)
  }

  #add(effect: Effect, at: number): void {
    if (effect.type === 'startTimer') this.#due.set(effect.name, at + effect.delayMs)
    if (effect.type === 'cancel') this.#due.delete(effect.name)
    if (effect.type !== 'action') return
    if (effect.name === 'note') this.notes.push((effect.params as { readonly token: string }).token)
    if (effect.name === 'announce') this.announcements++
  }
}

function checkActor(actor: ActorRow, entries: readonly Entry[], claims: Claims): Follower {
  const definition = actor.parcel_id === undefined ? definitions.parcel : definitions.notice
  const follower = new Follower(claims)
  for (const [index, entry] of entries.entries()) {
    promise(entry.sequence === index + 1, () => `entry ${index + 1} of its journal is missing`)
    const before = entries[index - 1]?.occurred_at ?? 0
    promise(entry.occurred_at >= before, () => `entry ${entry.sequence} is earlier than the one before`)
    follower.follow(definition, entry)
  }
  const { last, hash } = follower
  if (last === null) throw new BrokenPromiseError('it has no journal')
  const { step, stored } = last
  promise(actor.version === entries.length, () => `its version is ${actor.version}, of ${entries.length} entries`)
  promise(actor.journal_hash === hash, () => 'its row has not the end of its chain')
  const isSame = stored === JSON.stringify(JSON.parse(actor.snapshot))
  promise(isSame, () => 'its snapshot is not what its journal leads to')
  promise(actor.status === step.status, () => `its status is ${actor.status}, not ${step.status}`)
  promise(step.done, () => `it has not ended: ${actor.status}`)
  promise(actor.held_job === null, () => 'it has ended and holds a job')
  return follower
}

/** The runs of jobs are those that there should be, and the accepted result is that of the last lease. */
function checkRuns({ runs, isCalm, hasRoom }: Claims, accepted: ReadonlyMap<string, string>): void {
  for (const [id, ofJob] of runs) {
    const taken = ofJob.find(({ token }) => accepted.has(token))
    const isLate = taken !== undefined && ofJob.some(({ claims, isPutOff }) => claims > taken.claims && !isPutOff)
    promise(!isLate, () => `job ${id}: a result was accepted after another node had its lease`)
    const done = ofJob.filter(({ isPutOff }) => !isPutOff).length
    for (const [index, { startedAt }] of ofJob.entries()) {
      const { againAt } = ofJob[index - 1] ?? { againAt: startedAt }
      promise(
        !isCalm || !hasRoom || startedAt === againAt,
        () => `job ${id} began again ${startedAt - againAt} ms late`,
      )
    }
    promise(!isCalm || done <= 1, () => `job ${id} was done ${done} times`)
    promise(!ofJob.some(({ isCrowded }) => isCrowded), () => `job ${id} had no slot, and began`)
  }
}

/** Requires that acknowledged events are there, once, and refused ones are not. */
function checkAnswers(
  { accepted, rejected }: Claims,
  journals: ReadonlyMap<string, readonly Entry[]>,
  seen: ReadonlyMap<string, string>,
): void {
  for (const [token, { id, version }] of accepted) {
    promise(seen.get(token) === id, () => `${token} was acknowledged, and is not in the journal of ${id}`)
    if (version === null) continue
    const entry = journals.get(id)?.[version - 1]
    const isThere = entry !== undefined && readToken(JSON.parse(entry.event)) === token
    promise(isThere, () => `${token} is not entry ${version}`)
  }
  for (const token of rejected) promise(!seen.has(token), () => `${token} was refused, and is in a journal`)
}

function join(values: readonly string[]): string {
  return values.toSorted().join()
}

function check(database: Database.Database, claims: Claims): void {
  const all = <T>(sql: string): readonly T[] => database.prepare<[], T>(sql).all()
  const journals = Map.groupBy(all<Entry>('SELECT * FROM journal ORDER BY actor_id, sequence'), one => one.actor_id)
  const parcels = all<ActorRow>('SELECT * FROM parcels')
  const notices = all<ActorRow>('SELECT * FROM notices')
  const notes = all<{ readonly parcel_id: string; readonly token: string }>('SELECT parcel_id, token FROM notes')
  const seen = new Map<string, string>()
  for (const id of claims.created)
    promise(
      parcels.some(one => one.id === id),
      () => `${id} was acknowledged, and is gone`,
    )
  for (const actor of [...parcels, ...notices]) {
    const { id } = actor
    const followed = checkActor(actor, journals.get(id) ?? [], claims)
    for (const token of followed.tokens) {
      promise(!seen.has(token), () => `${token} is accepted twice`)
      seen.set(token, id)
    }
    if (actor.parcel_id !== undefined) continue
    const written = notes.filter(note => note.parcel_id === id).map(({ token }) => token)
    promise(join(written) === join(followed.notes), () => `${id} has the notes ${written}, not ${followed.notes}`)
    const made = notices.filter(notice => notice.parcel_id === id).length
    promise(made === followed.announcements, () => `${id} has ${made} notices of ${followed.announcements}`)
  }
  const actors = new Set([...parcels, ...notices].map(({ id }) => id))
  for (const id of journals.keys()) promise(actors.has(id), () => `${id}: a journal without an actor`)
  promise(claims.contended * lostRaces <= claims.races(), () => 'a unit was given up before it had lost its races')
  promise(claims.fault === null, () => `a client’s call failed by a fault: ${claims.fault}`)
  promise(!claims.isKnownDenied, () => 'it was said of a parcel that there is none, and there was')
  promise(!claims.isCalm || claims.unavailable === 0, () => 'the database was said to be away, and was not')
  checkAnswers(claims, journals, seen)
  checkRuns(claims, seen)
}

const readySql = `SELECT queue, lane, COUNT(*) AS ready FROM scheduled_jobs
  WHERE lease IS NULL AND ready_at <= ? AND queue <> 'timer' GROUP BY queue, lane`

/** Returns the queue in whose only node a job waits while a slot is free, and nothing happens; null where there is none. */
export function findForgotten(
  database: Database.Database,
  { runs }: Claims,
  slots: number,
  now: number,
): string | null {
  const ready = database.prepare<[number], { queue: string; lane: string }>(readySql).all(now)
  if (ready.length === 0) return null
  const busy = [...runs.values()].flat().filter(({ isUnderWay }) => isUnderWay)
  const forgotten = ready.find(({ queue, lane }) => {
    const ofQueue = busy.filter(run => run.queue === queue)
    const isLaneFree = queue === 'carry' || ofQueue.filter(run => run.lane === lane).length < limitLane(slots)
    return ofQueue.length < slots && isLaneFree
  })
  return forgotten === undefined ? null : `a job of ${forgotten.queue} is ready, a slot is free, and nobody begins it`
}

/** Returns the first promise of the core that a world has broken; null where it kept all of them. */
export function checkWorld(database: Database.Database, claims: Claims): string | null {
  try {
    check(database, claims)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
