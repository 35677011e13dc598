import type Database from 'better-sqlite3'
import type { ActorDefinition } from '../../actors/definition.ts'
import { createHost, type Host } from '../../actors/host.ts'
import type { CrashHook, CrashPoint } from '../../crash_points.ts'
import { DurableError } from '../../errors.ts'
import { type Job, JobError, type JobHandler, PostponeJob } from '../../jobs/handler.ts'
import { postponeMs } from '../../jobs/run_job.ts'
import { startWorker, type Worker } from '../../jobs/worker.ts'
import { newId } from '../../random.ts'
import { createServerStore } from '../../store/mysql.ts'
import { createSqliteStore } from '../../store/sqlite.ts'
import { runLater } from '../../store/statement.ts'
import type { Store } from '../../store/store.ts'
import { type Carried, noticeMachine, type ParcelMachine, parcelMachines } from './chart.ts'
import type { Draws } from './draws.ts'
import type { CountFault } from './faults.ts'
import type { Life, Schedule } from './schedule.ts'
import type { Servers } from './server.ts'
import { schema } from './tables.ts'

interface ParcelTypes {
  readonly chart: ParcelMachine
  readonly columns: typeof schema.tables.parcels.columns
  readonly reads: never
  readonly journalOnly: { readonly type: 'ERASED'; readonly token: string }
  readonly procedures: Record<never, never>
}

interface NoticeTypes {
  readonly chart: typeof noticeMachine
  readonly columns: typeof schema.tables.notices.columns
  readonly reads: 'account_id'
  readonly journalOnly: never
  readonly procedures: Record<never, never>
}

export const endedParcels: readonly string[] = ['EXPIRED', 'CANCELLED', 'LOST', 'RETURNED', 'FETCHED']
export const endedNotices: readonly string[] = ['DELIVERED', 'FAILED']

export type Build = 1 | 2

const notice: ActorDefinition<NoticeTypes> = {
  name: 'notice',
  table: schema.actorTable('notices'),
  charts: { 1: noticeMachine },
  currentVersion: 1,
  terminalStatuses: endedNotices,
  reads: ['account_id'],
  lane: 'account_id',
  journalOnly: [],
  repeatsSteps: true,
  actions: {},
  procedures: {},
  onStatus: () => ({}),
}

/** Two builds: the older one does not know the second version of a parcel's chart. */
export function createDefinitions(build: Build, findHost: () => Pick<Host, 'createInTransaction'>) {
  const charts: Readonly<Record<number, ParcelMachine>> =
    build === 1 ? { 1: parcelMachines[1] } : { 1: parcelMachines[1], 2: parcelMachines[2] }
  const parcel: ActorDefinition<ParcelTypes> = {
    name: 'parcel',
    table: schema.actorTable('parcels'),
    charts,
    currentVersion: build,
    terminalStatuses: endedParcels,
    reads: [],
    journalOnly: ['ERASED'],
    actions: {
      *note({ actor_id, params }) {
        yield* runLater([schema.insert('notes', { id: newId(), parcel_id: actor_id, token: params.token })])
      },
      *announce({ actor_id, account_id }) {
        const made = { id: newId(), account_id, input: {}, columns: { parcel_id: actor_id } }
        yield* findHost().createInTransaction(notice, made)
      },
    },
    procedures: {},
    onStatus: (status, now) => (endedParcels.includes(status) ? { ended_at: now } : {}),
  }
  return { parcel, notice }
}

export type Definitions = ReturnType<typeof createDefinitions>

/** The definitions of one run of a node, and its host. */
interface Role {
  readonly definitions: Definitions
  host: Host | null
}

function createRole(build: Build): Role {
  const role: Role = {
    host: null,
    definitions: createDefinitions(build, () => {
      if (role.host === null) throw new Error('the node has no host yet')
      return role.host
    }),
  }
  return role
}

const roles: Readonly<Record<Build, Role[]>> = { 1: [], 2: [] }
const takenRoles = { 1: 0, 2: 0 }

/** Texts of statements are made for a definition, so the next world's nodes have the same ones. */
function takeRole(build: Build): Role {
  const role = roles[build][takenRoles[build]] ?? createRole(build)
  roles[build][takenRoles[build]++] = role
  return role
}

/** The world has ended: no node needs its definitions any more. */
export function freeRoles(): void {
  takenRoles[1] = 0
  takenRoles[2] = 0
}

/** One run of a node, from its start to its crash or its end. */
export interface Node {
  readonly life: Life
  readonly host: Host
  readonly definitions: Definitions
  readonly worker: Worker
}

/** The likelihoods of a job's faults. */
export interface JobFaults {
  readonly fails: number
  readonly throws: number
  readonly postpones: number
  readonly unavailable: number
  /** It takes as long as a lease, or longer. */
  readonly hangs: number
  /** Its node stands still for longer than the lease, after the work and before the answer. */
  readonly pauses: number
}

export const noJobFaults: JobFaults = { fails: 0, throws: 0, postpones: 0, unavailable: 0, hangs: 0, pauses: 0 }

/** The error of a job that could not be done: it has no result. */
export const awayMessage = 'somebody is away'

export const leaseMs = 6_000
export const pollMs = 4_000

/** One run of a job by a node. */
export interface Run {
  readonly token: string
  /** Number of the job's claim: each claim adds one, and a postponement subtracts one. */
  readonly claims: number
  readonly startedAt: number
  readonly queue: string
  readonly lane: string
  readonly node: Life
  /** Whether its node had no slot for it, or its lane had its share. */
  readonly isCrowded: boolean
  /** Whether it takes a slot of its node. */
  isUnderWay: boolean
  /** Whether it was released, to be done again. */
  isPutOff: boolean
  /** The instant from which it is to be done again, by its node's clock. */
  againAt: number
}

export interface NodeParts {
  /** The jobs of each queue that a node does at a time. */
  readonly slots: number
  /** Every run of each job, by its id, in the order in which they began. */
  readonly runs: Map<string, Run[]>
  readonly schedule: Schedule
  readonly draws: Draws
  readonly build: Build
  readonly admits: boolean
  readonly jobFaults: () => JobFaults
  readonly countFault: CountFault
  /** Called at each crash point; true ends the node there. */
  readonly crashes: (point: CrashPoint) => boolean
  /** One file that the nodes of a world share, or the servers. */
  readonly database: Database.Database | Servers
  /** A token that no other event of the world has. */
  readonly createToken: () => string
  readonly isDiskFull: () => boolean
}

function openWorldStore(life: Life, { schedule, database, isDiskFull }: NodeParts, crashHook: CrashHook): Store {
  if ('connect' in database)
    return createServerStore(
      database.connect(life),
      { clock: life.clock, limitMs: Number.MAX_SAFE_INTEGER },
      crashHook,
      ms => new Promise(resolve => life.clock.setTimer(ms, resolve)),
    )
  const hook: CrashHook = point => {
    crashHook(point)
    // The rest of the commit is synchronous, so only an exception keeps a dead node from doing it.
    if (!life.isAlive()) throw new Error('the node is dead')
    if (point === 'commit.written' && isDiskFull()) throw Object.assign(new Error('disk full'), { code: 'SQLITE_FULL' })
  }
  const store = createSqliteStore({
    database,
    crashHook: hook,
    checkpointer: { look: () => {}, idle: async () => {}, close: async () => {} },
    writer: null,
    defer: go => void schedule.wait(life, 'commits').then(go),
  })
  const read: Store['read'] = async statement => {
    await schedule.wait(life, 'reads')
    return store.read(statement)
  }
  return { ...store, read }
}

/** The jobs of a lane that a node does at a time. */
export function limitLane(slots: number): number {
  return Math.ceil(slots / 2)
}

/** Does a job in the way that the world draws: well, badly, late, or not at all. */
async function work(
  life: Life,
  { token, putOff }: { readonly token: string; readonly putOff: (error: Error, againAt: number) => Error },
  signal: AbortSignal,
  { draws, jobFaults, countFault, schedule }: NodeParts,
): Promise<{ readonly output: Carried }> {
  const { clock } = life
  // A job may outlast the storm, and brings no trouble after it.
  const has = (kind: keyof JobFaults): boolean => {
    const isDrawn = draws.chance(jobFaults()[kind])
    if (isDrawn) countFault(`a job ${kind}`)
    return isDrawn
  }
  const sleep = (ms: number): Promise<void> => new Promise(resolve => clock.setTimer(ms, resolve))
  if (has('hangs')) {
    // It answers late, whether or not anybody still wants it; or it ends as soon as nobody does.
    const aborted = new Promise<never>((_, reject) => {
      if (draws.chance(0.5)) signal.addEventListener('abort', () => reject(new Error('aborted')))
    })
    await Promise.race([sleep((leaseMs / 2) * (1 + draws.draw(4))), aborted])
  } else if (draws.chance(0.5)) await sleep(500 * (1 + draws.draw(4)))
  if (has('pauses')) {
    life.pausedUntil = schedule.now() + leaseMs + 500 * draws.draw(8)
    await schedule.wait(life, 'answers late')
  }
  if (has('fails')) throw new JobError('FAILED', 'it failed', { detail: { token } })
  if (has('throws')) throw new Error('a fault')
  if (has('postpones')) throw putOff(new PostponeJob(clock.now() + 1000), clock.now() + 1000)
  if (has('unavailable')) throw putOff(new DurableError('unavailable', awayMessage), clock.now() + postponeMs)
  return { output: { token } }
}

/** Whether so many jobs are under way on the node that it should not have begun another one. */
function isCrowded(life: Life, queue: string, lane: string, { runs, slots }: NodeParts): boolean {
  const busy = [...runs.values()].flat().filter(run => run.isUnderWay && run.node === life && run.queue === queue)
  const ofLane = busy.filter(run => run.lane === lane).length
  return busy.length >= slots || (queue !== 'carry' && ofLane >= limitLane(slots))
}

async function doJob(
  life: Life,
  { id, claims, queue, lane }: Job,
  signal: AbortSignal,
  parts: NodeParts,
): Promise<{ readonly output: Carried }> {
  const token = parts.createToken()
  const startedAt = parts.schedule.now()
  const run: Run = {
    token,
    claims,
    startedAt,
    queue,
    lane,
    node: life,
    isCrowded: isCrowded(life, queue, lane, parts),
    isUnderWay: true,
    isPutOff: false,
    againAt: 0,
  }
  parts.runs.set(id, [...(parts.runs.get(id) ?? []), run])
  const putOff = (error: Error, againAt: number): Error => {
    run.isPutOff = true
    run.againAt = againAt
    return error
  }
  await parts.schedule.wait(life, 'works')
  try {
    return await work(life, { token, putOff }, signal, parts)
  } finally {
    run.isUnderWay = false
  }
}

export function startNode(life: Life, parts: NodeParts): Node {
  const laneLimit = limitLane(parts.slots)
  const crashHook: CrashHook = point => {
    if (life.isAlive() && parts.crashes(point)) life.end()
  }
  const store = openWorldStore(life, parts, crashHook)
  const host: Host = createHost(store, life.clock)
  const role = takeRole(parts.build)
  role.host = host
  const { definitions } = role
  const carry: JobHandler<ParcelMachine, 'carry'> = {
    queue: 'carry',
    slots: () => parts.slots,
    handle: (job, signal) => doJob(life, job, signal, parts),
  }
  const deliver: JobHandler<typeof noticeMachine, 'deliver'> = {
    queue: 'deliver',
    slots: () => parts.slots,
    lanes: {
      share: ({ lanes, under_way, free }) => {
        const now = life.clock.now()
        const open = lanes.filter(({ lane, ready_at }) => ready_at <= now && (under_way.get(lane) ?? 0) < laneLimit)
        const later = lanes.map(({ ready_at }) => ready_at).filter(ready_at => ready_at > now)
        return {
          portions: open.slice(0, free).map(({ lane }) => ({ lane, limit: laneLimit - (under_way.get(lane) ?? 0) })),
          again_at: Math.min(...later, Number.POSITIVE_INFINITY),
        }
      },
      admits: (lane, { under_way }) => parts.admits && (under_way.get(lane) ?? 0) < laneLimit,
    },
    handle: (job, signal) => doJob(life, job, signal, parts),
  }
  const worker = startWorker({
    store,
    host,
    clock: life.clock,
    log: { warn: () => {}, error: () => {} },
    definitions: [definitions.parcel, definitions.notice],
    handlers: [carry, deliver],
    leaseMs,
    pollMs,
    crashHook,
    defer: go => void parts.schedule.wait(life, 'looks').then(go),
  })
  return { life, host, definitions, worker }
}
