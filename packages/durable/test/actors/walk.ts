import { createHash } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import type { AnyEventObject, AnyStateMachine, AnyStateNode } from 'xstate'
import type { TransactionContext } from '../../../../machines/transaction.ts'
import { newId } from '../../../../src/base/ids.ts'
import { type ManualClock, manualClock } from '../../../../test/clock.ts'
import { limits } from '../../../../test/machines/events.ts'
import { number, text } from '../../../../test/raw_row.ts'
import type { AnyActorDefinition, Fence, NewActor } from '../../actors/definition.ts'
import { replayEntry } from '../../actors/replay.ts'
import { nextStep, type Step } from '../../actors/xstate.ts'
import { DurableError } from '../../errors.ts'
import { type Row, run, type Unit } from '../../store/statement.ts'
import type { Store } from '../../store/store.ts'
import { deliveriesOf, journalOf, type OpenCharts, openCharts, readScheduledJobs, rowOf, untyped } from './charts.ts'

/** One actor that is walked along a path, with a clock of its own. */
export interface Walk {
  readonly t: ExecutionContext
  readonly store: Store
  readonly clock: ManualClock
  readonly charts: OpenCharts
  readonly kind: AnyActorDefinition
  readonly machine: AnyStateMachine
  readonly id: string
  readonly created_at: number
  /** Instants that the events so far have set: the scheduled jobs and the timestamps must show them. */
  readonly instants: Map<string, number>
  readonly sent: AnyEventObject[]
  readonly input: unknown
}

interface Saved {
  readonly value: unknown
  readonly status: string
  readonly context: TransactionContext & { retry_delay_ms: number }
}

function snapshotIn(row: Row): Saved {
  return JSON.parse(text(row, 'snapshot')) as Saved
}

/** The active states, found from the persisted value alone. */
function activeStates(node: AnyStateNode, value: unknown): readonly AnyStateNode[] {
  if (typeof value === 'string') return [node, ...(node.states[value] === undefined ? [] : [node.states[value]])]
  return [
    node,
    ...Object.entries((value ?? {}) as object).flatMap(([key, below]) => {
      const child = node.states[key]
      return child === undefined ? [] : activeStates(child, below)
    }),
  ]
}

/** The name of the instant at which a state that is active was entered. */
function entryOf({ id }: AnyStateNode): string {
  return `entry of ${id}`
}

/** When each timer of the charts fires, from the instants of the walk and the limits of the test. */
function firesAt(walk: Walk, node: AnyStateNode, delay: string, saved: Saved): number {
  const at = (name: string): number => walk.instants.get(name) ?? Number.NaN
  switch (delay) {
    case 'TTL':
      return walk.created_at + limits.ttl_ms
    case 'CHALLENGE_TTL':
      return at('CHALLENGE_ISSUED') + limits.challenge_ms
    case 'WALLET_TTL':
      return at('WALLET_REQUESTED') + limits.wallet_ms
    case 'ATTESTATION_TTL':
      return at('ATTESTATION_CHALLENGED') + limits.attestation_ms
    case 'ANALYSIS_DEADLINE':
      return at(entryOf(node)) + limits.analysis_deadline_ms
    case 'ANALYSIS_BACKOFF':
      return at('last') + limits.analysis_backoff_ms
    case 'RESUBMISSION_DEADLINE':
      return at(entryOf(node)) + (saved.context.resubmission?.expires_in_ms ?? Number.NaN)
    case 'REVIEW_DEADLINE':
      return at('last') + (limits.review_ms ?? Number.NaN)
    case 'RETRY':
      return at('last') + saved.context.retry_delay_ms
    default:
      throw new Error(`the test knows no delay ${delay}`)
  }
}

function invokesOf(node: AnyStateNode): readonly { id: string; src: string }[] {
  return ([node.config.invoke ?? []] as unknown[]).flat() as { id: string; src: string }[]
}

/**
 * Returns the rows that `scheduled_jobs` must have: one for each `after` and each `invoke` of the active states, and
 * none for an ended actor. Jobs are ready at once; every event that these charts accept while a job runs ends it, so it
 * began with the last event.
 */
function impliedJobs(walk: Walk, row: Row): readonly (readonly [string, string, number])[] {
  const saved = snapshotIn(row)
  if (saved.status !== 'active') return []
  const rows = activeStates(walk.machine.root, saved.value).flatMap(node => [
    ...Object.keys(node.config.after ?? {}).map(
      delay => [`xstate.after.${delay}.${node.id}`, 'timer', firesAt(walk, node, delay, saved)] as const,
    ),
    ...invokesOf(node).map(({ id, src }) => [id, src, walk.instants.get('last') ?? Number.NaN] as const),
  ])
  return rows.sort(([a], [b]) => (a < b ? -1 : 1))
}

const timestamps: Readonly<Record<string, string>> = {
  INITIATED: 'initiated_at',
  COMPLETED: 'completed_at',
  PROCESSING: 'processing_at',
  FINISHED: 'finished_at',
  FAILED: 'finished_at',
}

function checkTimestamps(walk: Walk, row: Row): void {
  if (walk.kind.name !== 'transaction') return
  for (const column of new Set(Object.values(timestamps)))
    walk.t.is(row[column] ?? null, walk.instants.get(column) ?? null, column)
}

/** Checks that the row, its scheduled jobs and its journal follow from the chart's state. */
async function checkRows(walk: Walk): Promise<void> {
  const { t, store, kind, id, sent } = walk
  const row = await rowOf(store, kind.table.name, id)
  const jobs = await readScheduledJobs(store, id)
  const found = jobs.map(one => [text(one, 'name'), text(one, 'queue'), number(one, 'ready_at')] as const)
  t.deepEqual(found, impliedJobs(walk, row), `due after ${sent.at(-1)?.type ?? 'CREATE'}`)
  t.is(number(row, 'version'), sent.length + 1)
  const tags = activeStates(walk.machine.root, snapshotIn(row).value).flatMap(node => node.tags)
  t.deepEqual([row.status], tags as never)
  checkTimestamps(walk, row)
}

/** Records the instants that an event sets: from here on the test expects them, whatever the host does. */
async function record(walk: Walk, event: AnyEventObject, before: string): Promise<void> {
  const now = walk.clock.now()
  const row = await rowOf(walk.store, walk.kind.table.name, walk.id)
  walk.instants.set(event.type, now).set('last', now)
  const entries = activeStates(walk.machine.root, snapshotIn(row).value).map(entryOf)
  const left = [...walk.instants.keys()].filter(name => name.startsWith('entry of ') && !entries.includes(name))
  for (const name of left) walk.instants.delete(name)
  for (const name of entries) if (!walk.instants.has(name)) walk.instants.set(name, now)
  const status = text(row, 'status')
  const column = timestamps[status]
  if (status !== before && column !== undefined && walk.kind.name === 'transaction') walk.instants.set(column, now)
}

/** The fence of a timer or of a job, which some worker has leased meanwhile. */
async function fenceOf({ store, id, clock }: Walk, event: AnyEventObject): Promise<Fence> {
  const name = event.type.startsWith('xstate.after.') ? event.type : String(event.actorId)
  const row = (await readScheduledJobs(store, id)).find(one => one.name === name)
  if (row === undefined) throw new Error(`${event.type} has no scheduled job`)
  const job_id = text(row, 'id')
  if (row.queue === 'timer') {
    await clock.advance(Math.max(0, number(row, 'ready_at') - clock.now()))
    return { job_id, lease: null }
  }
  const lease = newId()
  await store.commit(function* (): Unit<void> {
    yield* run({ sql: 'UPDATE scheduled_jobs SET lease = ? WHERE id = ?', values: [lease, job_id] })
  })
  return { job_id, lease }
}

/** An event that the state doesn't accept is rejected, and nothing changes. */
async function checkRejected(walk: Walk, event: AnyEventObject): Promise<void> {
  const { t, store, kind, id, charts } = walk
  const before = [
    await rowOf(store, kind.table.name, id),
    await readScheduledJobs(store, id),
    await journalOf(store, id),
  ]
  const error = await t.throwsAsync(charts.host.send(untyped(kind), id, event), { instanceOf: DurableError })
  t.is(error.code, 'not_allowed_in_state', event.type)
  t.deepEqual(
    [await rowOf(store, kind.table.name, id), await readScheduledJobs(store, id), await journalOf(store, id)],
    before,
  )
}

/** Checks that each entry's hash covers it and the hash before; the last one is on the actor's row. */
async function checkChain({ t, store, kind, id }: Walk, journal: readonly Row[]): Promise<void> {
  let hash = ''
  for (const entry of journal) {
    const { actor_id, sequence, actor_type: name, event, status, occurred_at, chart_version } = entry
    const covered = [hash, actor_id, sequence, name, event, status, occurred_at, chart_version]
    hash = createHash('sha256').update(JSON.stringify(covered)).digest('hex')
    t.is(entry.hash, hash)
  }
  t.is((await rowOf(store, kind.table.name, id)).journal_hash, hash)
}

/** Keeps what a journal's first entries led to. */
interface Replayed {
  readonly step: Step | null
  readonly entries: number
}

/**
 * Checks that the journal alone leads to every status on the way, and to the snapshot that is stored. Goes on
 * from what is known of its first entries.
 */
export async function checkReplay(
  { t, store, kind, id }: Pick<Walk, 't' | 'store' | 'kind' | 'id'>,
  known: Replayed = { step: null, entries: 0 },
): Promise<Replayed> {
  const journal = await journalOf(store, id)
  let { step } = known
  for (const row of journal.slice(known.entries)) {
    const sequence = number(row, 'sequence')
    const chart_version = number(row, 'chart_version')
    step = replayEntry(kind, step, { sequence, event: text(row, 'event'), chart_version })
    t.is(step.status, text(row, 'status'), `entry ${sequence}`)
  }
  const { snapshot, status } = await rowOf(store, kind.table.name, id)
  t.deepEqual([step?.status ?? ''], [status] as never)
  t.is(JSON.stringify(step?.snapshot), String(snapshot))
  return { step, entries: journal.length }
}

/**
 * Checks that there is one journal entry for each accepted event, in order, and a delivery for each status after
 * CREATED.
 */
async function checkJournal(walk: Walk): Promise<void> {
  const { t, store, id, sent, instants } = walk
  const journal = await journalOf(store, id)
  await checkChain(walk, journal)
  t.deepEqual(
    journal.map(entry => [entry.sequence, JSON.parse(text(entry, 'event'))]),
    [{ type: 'CREATE', input: walk.input }, ...sent].map((event, index) => [index + 1, event]),
  )
  const statuses = journal.map(entry => text(entry, 'status'))
  const changes = statuses.filter((status, index) => index > 0 && status !== statuses[index - 1])
  const deliveries = await deliveriesOf(store, id)
  t.deepEqual(
    deliveries.map(({ sequence, notified_status }) => [sequence, notified_status]),
    changes.map((status, index) => [index + 1, status]),
  )
  for (const { notified_status, occurred_at } of deliveries)
    t.is(occurred_at, instants.get(timestamps[String(notified_status)] ?? 'last') ?? null)
}

export interface WalkOf {
  readonly t: ExecutionContext
  readonly store: Store
  readonly kind: 'transaction' | 'delivery'
  readonly actor: NewActor
  /** The version of its chart; the current one where absent. */
  readonly version?: number
  /** External events, of which those that a state doesn't accept are tried on the way. */
  readonly others: readonly AnyEventObject[]
}

/** Walks one generated path through the real host on a real database, and looks at every row after every event. */
export async function walkPath(of: WalkOf, events: readonly AnyEventObject[]): Promise<void> {
  const clock = manualClock()
  const charts = openCharts(of.store, clock)
  const kind: AnyActorDefinition = {
    ...charts[of.kind],
    ...(of.version === undefined ? {} : { currentVersion: of.version }),
  }
  const machine = kind.charts[kind.currentVersion]
  if (machine === undefined) throw new Error('no chart')
  const { id } = of.actor
  const walk: Walk = {
    t: of.t,
    store: of.store,
    clock,
    charts,
    kind,
    machine,
    id,
    created_at: clock.now(),
    instants: new Map(),
    sent: [],
    input: of.actor.input,
  }
  await charts.host.create(untyped(kind), of.actor)
  await record(walk, { type: 'CREATE' }, '')
  await checkRows(walk)
  let replayed: Replayed | undefined
  for (const [index, event] of events.entries()) {
    const snapshot = JSON.parse(text(await rowOf(of.store, kind.table.name, id), 'snapshot'))
    const untaken = of.others.filter(other => nextStep(machine, snapshot, other) === null)
    const refused = untaken[index % untaken.length]
    if (refused !== undefined) await checkRejected(walk, refused)
    await clock.advance(1000)
    const before = text(await rowOf(of.store, kind.table.name, id), 'status')
    const fence = event.type.startsWith('xstate.') ? { fence: await fenceOf(walk, event) } : {}
    await charts.host.send(untyped(kind), id, event, fence)
    walk.sent.push(event)
    await record(walk, event, before)
    await checkRows(walk)
    if (of.kind === 'transaction') replayed = await checkReplay(walk, replayed)
  }
  if (of.kind === 'transaction') await checkJournal(walk)
  else of.t.deepEqual(await journalOf(of.store, id), [], 'a delivery keeps no journal: its attempts are its record')
}
