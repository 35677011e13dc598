export type {
  Action,
  ActionContext,
  ActorDefinition,
  ActorState,
  CommitOptions,
  NewActor,
  SendOptions,
} from './actors/definition.ts'
export { createHost, type Host } from './actors/host.ts'
export { findUnknownChart, requireValidCharts } from './actors/known_charts.ts'
export { type DurableClock, machineClock } from './clock.ts'
export type { CrashHook } from './crash_points.ts'
export { DurableError } from './errors.ts'
export type { WorkerDeps, WorkerLog } from './jobs/deps.ts'
export {
  createLanePolicy,
  type Job,
  JobError,
  type JobHandler,
  type JobResult,
  type LanePolicy,
  PostponeJob,
} from './jobs/handler.ts'
export { startWorker, type Worker } from './jobs/worker.ts'
export { createDataSource } from './store/data_source.ts'
export type { DatabaseAddress, DatabaseSchema } from './store/database_address.ts'
export { migrate, openStore } from './store/source.ts'
export { run, runAll, runLater, type Statement, selectAll, selectFirst, type Unit } from './store/statement.ts'
export { readAll, readFirst, type Store } from './store/store.ts'
export { actorColumns, defineSchema, durableTables, journalColumns } from './store/tables.ts'
