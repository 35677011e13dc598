import type { AnyEventObject, AnyStateMachine } from 'xstate'
import { DurableError, unavailable } from '../errors.ts'
import { removeHeldJob } from '../store/scheduled_jobs.ts'
import {
  ConflictError,
  recordNothing,
  run,
  runAll,
  runLater,
  type Statement,
  type StatementResult,
  type Unit,
} from '../store/statement.ts'
import type { ActorRow } from './actor_sql.ts'
import type {
  Action,
  ActionContext,
  ActorState,
  AnyActorDefinition,
  CommitMoment,
  CommitOptions,
  NewActor,
  ProcedureCall,
  SendOptions,
} from './definition.ts'
import {
  insertActor,
  type JournalWrites,
  jobStatements,
  journalWrites,
  nextJournalEvent,
  readActorRow,
  removeSpentJob,
  selectActor,
  updateActor,
  updateJournal,
} from './rows.ts'
import { type StoredStep, takeFirstStep, takeNextStep, takeRepeatedStep } from './stored_step.ts'
import { type ActorWriteContext, actorWriteContext, findLane } from './write_context.ts'
import { readJobName, type Step } from './xstate.ts'

/** The chart of that version. @throws {DurableError} `unavailable`: another chart could corrupt the actor. */
export function requireChart({ name, charts }: AnyActorDefinition, version: number): AnyStateMachine {
  const chart = charts[version]
  if (chart === undefined) throw unavailable(`this build does not know version ${version} of the ${name} chart`)
  return chart
}

type ActionTable = Readonly<Record<string, Action>>

/** The context of actions and procedures, without their parameters. */
function toActionContext(context: ActorWriteContext, step: Step, row: ActorRow): Omit<ActionContext, 'params'> {
  const { actor_id, account_id, time, clock_offset_ms, beside } = context
  return {
    actor_id,
    account_id,
    time,
    clock_offset_ms,
    beside,
    row: row as ActionContext['row'],
    context: step.context,
  }
}

function* runActions(context: ActorWriteContext, step: Step, row: ActorRow): Unit<void> {
  const actions = context.definition.actions as ActionTable
  for (const effect of step.effects) {
    if (effect.type !== 'action') continue
    const action = actions[effect.name]
    // Assignments have already changed the context; they write nothing themselves.
    if (action === undefined) continue
    yield* action({ ...toActionContext(context, step, row), params: effect.params })
  }
}

function* runProcedure(context: ActorWriteContext, step: Step, row: ActorRow, call?: ProcedureCall): Unit<void> {
  if (call === undefined) return
  const { name, procedures } = context.definition
  const procedure = (procedures as ActionTable)[call.name]
  if (procedure === undefined) throw new Error(`${name}: there is no procedure ${call.name}`)
  yield* procedure({ ...toActionContext(context, step, row), params: call.params })
}

function createState(
  { definition, actor_id: id, account_id }: ActorWriteContext,
  step: Step,
  version: number,
): ActorState {
  return {
    actor_type: definition.name,
    id,
    account_id,
    version,
    status: step.status,
    step,
  }
}

export function* createUnit(
  definition: AnyActorDefinition,
  actor: NewActor,
  { wall, traceparent }: CommitMoment,
  { procedure, writes = [] }: CommitOptions,
): Unit<ActorState> {
  const { id, account_id, named = {}, columns, clock_offset_ms = 0 } = actor
  const { currentVersion: chart_version } = definition
  const now = wall + clock_offset_ms
  const step = takeFirstStep(requireChart(definition, chart_version), actor.input)
  const context: ActorWriteContext = {
    definition,
    actor_id: id,
    account_id,
    time: { wall, actor: now },
    clock_offset_ms,
    lane: findLane(definition, { account_id, ...columns }),
    traceparent,
    beside: [],
  }
  // The entry holds the actor's input, so that the events lead to the same states even after settings have changed.
  const event = { type: 'CREATE', ...named, input: actor.input }
  const journal = journalWrites(context, { sequence: 1, event, status: step.status, chart_version, previousHash: '' })
  const row = {
    id,
    account_id,
    clock_offset_ms: clock_offset_ms === 0 ? null : clock_offset_ms,
    snapshot: step.stored,
    version: 1,
    chart_version,
    status: step.status,
    created_at: now,
    held_job: null,
    ...definition.onStatus(step.status, now),
    ...columns,
    ...journal.columns,
  }
  const jobs = jobStatements(step, context, null)
  yield* runProcedure(context, step, row, procedure)
  yield* runLater([...writes, insertActor(definition, row, jobs), ...journal.insertion, ...jobs])
  yield* runActions(context, step, row)
  return createState(context, step, row.version)
}

/** The actor's new state, or why its chart did not accept the event. */
export type SendOutcome = { readonly actor: ActorState } | { readonly rejected: string }

/** An event for an actor. */
export interface SendRequest extends CommitMoment {
  /** The machine's time, in epoch milliseconds: read once more when the actor's row is locked, as that may have taken long. */
  readonly now: () => number
  readonly definition: AnyActorDefinition
  readonly id: string
  readonly event: AnyEventObject
  readonly lock: string
  readonly options: SendOptions
}

/** Without an outcome the server has locked the row, which then still has the version that was read. */
function requireWritten(updated: StatementResult | undefined, { name }: AnyActorDefinition, id: string): void {
  if (updated?.changed === 0) throw new ConflictError(`${name} ${id} was changed by another node`)
}

/** A step of an actor's row that is about to be written, or is. */
interface StepOfRow {
  readonly row: ActorRow
  readonly step: StoredStep
  readonly journal: JournalWrites
  readonly update: Statement
  /** Its changes of timers and jobs. */
  readonly jobs: readonly Statement[]
}

/** Null where the chart does not accept the event. */
function takeStep(request: SendRequest, row: ActorRow): StepOfRow | null {
  const { definition, event, options } = request
  const take = definition.repeatsSteps ? takeRepeatedStep : takeNextStep
  const step = take(requireChart(definition, row.chart_version), row.snapshot, event)
  if (step === null) return null
  const context = actorWriteContext(definition, row, request)
  const journal = journalWrites(context, nextJournalEvent(row, event, step.status))
  const jobs = jobStatements(step, context, options.fence === undefined ? null : readJobName(event))
  const columns = { ...journal.columns, ...options.columns }
  const update = updateActor(context, row, step, { columns, jobs, spent: options.fence?.held ?? null })
  return { row, step, journal, update, jobs }
}

/** Writes the effects of a step, after its row. */
function* writeRest(
  request: SendRequest,
  { row, step, journal, jobs }: StepOfRow,
  beside: readonly StatementResult[],
): Unit<SendOutcome> {
  const { procedure, writes = [], record = recordNothing } = request.options
  const context = actorWriteContext(request.definition, row, request, beside)
  yield* runProcedure(context, step, row, procedure)
  yield* runLater([...journal.insertion, ...jobs, ...writes])
  yield* runActions(context, step, row)
  yield* record()
  return { actor: createState(context, step, row.version + 1) }
}

/**
 * The step of a row that the caller has read before the commit: the UPDATE says whether it still is the latest. Null
 * where it is not, or where its state doesn't accept the event: nothing is written then.
 */
function* sendToKnown(request: SendRequest, known: ActorRow, reads: readonly Statement[]): Unit<SendOutcome | null> {
  const taken = takeStep(request, known)
  if (taken === null) return null
  const [updated, ...beside] = yield* runAll([taken.update, ...reads])
  return updated?.changed === 1 ? yield* writeRest(request, taken, beside) : null
}

/** A rejected event writes nothing; only the job of a fenced one is removed. */
export function* sendUnit(request: SendRequest): Unit<SendOutcome> {
  const { definition, id, event, lock, options } = request
  const { fence, known } = options
  const reads = definition.readsBeside?.(id, event, lock) ?? []
  const sent = known === undefined ? null : yield* sendToKnown(request, known as ActorRow, reads)
  if (sent !== null) return sent
  const held = fence?.held ?? null
  const ofFence = fence === undefined || held !== null ? [] : [removeSpentJob(fence, id)]
  const [actor, ...others] = yield* runAll([selectActor(definition, id, lock), ...ofFence, ...reads])
  if (actor?.rows[0] === undefined) throw new DurableError('not_found', `${definition.name}: not found`)
  const row = readActorRow(definition, actor.rows[0])
  const isLate = held === null ? ofFence.length > 0 && others[0]?.changed !== 1 : row.held_job !== held
  if (isLate) return { rejected: 'its result came too late' }
  const locked = { ...request, wall: request.now() }
  const taken = takeStep(locked, row)
  if (taken === null) {
    if (held !== null) yield* runLater([removeHeldJob(definition.table.name, id, held)])
    return { rejected: `it is ${row.status}` }
  }
  const [updated] = yield* runLater([taken.update])
  requireWritten(updated, definition, id)
  return yield* writeRest(locked, taken, others.slice(ofFence.length))
}

/** Adds an event that is not its chart's to an actor's journal. @throws {DurableError} `not_found` */
export function* appendToJournalUnit(request: Omit<SendRequest, 'options' | 'now'>): Unit<void> {
  const { definition, id, event, lock } = request
  const { rows } = yield* run(selectActor(definition, id, lock))
  if (rows[0] === undefined) throw new DurableError('not_found', `${definition.name}: not found`)
  const row = readActorRow(definition, rows[0])
  const context = actorWriteContext(definition, row, request)
  const journal = journalWrites(context, nextJournalEvent(row, event, row.status))
  const [updated] = yield* runLater([updateJournal(context, row, journal), ...journal.insertion])
  requireWritten(updated, definition, id)
}
