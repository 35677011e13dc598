export { activeStates } from './actors/active_states.ts'
export { chainHash } from './actors/chain.ts'
export type { JobInput, JobQueue } from './actors/chart_types.ts'
export type { ActorCharts, AnyActorDefinition, OwnColumns } from './actors/definition.ts'
export { requireKnownChart } from './actors/known_charts.ts'
export { ReplayError, type ReplayedDefinition, replayEntry } from './actors/replay.ts'
export { timerQueue } from './actors/rows.ts'
export { type Effect, jobDone, type PersistedSnapshot, readContext, readJobName, type Step } from './actors/xstate.ts'
export { noCrash } from './crash_points.ts'
export { asError, ignoreUnavailable, isUnavailable, readErrorCode } from './errors.ts'
export { newId } from './random.ts'
export {
  listColumns,
  type RowOf,
  readRow,
  requireValue,
  type Tables,
  toNullableColumns,
  wordOf,
  wordOrNullOf,
} from './store/columns.ts'
export { type DatabaseClock, followDatabaseClock } from './store/database_clock.ts'
export type { Dialect } from './store/dialect.ts'
export { findUsableHost } from './store/host_health.ts'
export type { HostTime } from './store/host_time.ts'
export {
  countServerConnections,
  countServerRows,
  dropServerTables,
  findUnknownMigrations,
  readMigrations,
} from './store/inventory.ts'
export type { LaneDetails, WaitingLane } from './store/lanes.ts'
export type { MysqlAddress, MysqlTls } from './store/mysql_address.ts'
export { readQueueDepths } from './store/queue_depth.ts'
export { claimPostponed, type Portion, type ScheduledJob } from './store/scheduled_jobs.ts'
export { hasPendingMigrations, isEmptyDatabase } from './store/source.ts'
export { copySqlite, inspectSqlite, settleSqliteFile } from './store/sqlite_backup.ts'
export { makeSqliteFile, peek } from './store/sqlite_file.ts'
export {
  type CommitRecord,
  ConflictError,
  findsRow,
  type Query,
  recordNothing,
  type StatementResult,
  toPlaceholders,
  type Value,
  type WritesOf,
} from './store/statement.ts'
export { commitNew, rowExists } from './store/store.ts'
export type { SchemaRow } from './store/tables.ts'
export { requireWritable } from './store/writable.ts'
