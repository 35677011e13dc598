import type { StatementResult } from '../store/statement.ts'
import type { ActorRow } from './actor_sql.ts'
import type { ActorTime, AnyActorDefinition, CommitMoment } from './definition.ts'

/** The actor whose rows a commit writes, and the time of the commit. */
export interface ActorWriteContext {
  readonly definition: AnyActorDefinition
  readonly actor_id: string
  readonly account_id: string
  readonly time: ActorTime
  readonly clock_offset_ms: number
  /** The lane in which its jobs wait; empty for a definition without lanes. */
  readonly lane: string
  readonly traceparent: string | null
  readonly beside: readonly StatementResult[]
}

/** The lane of an actor's jobs, by its row as it was read or as it will be written. */
export function findLane(definition: AnyActorDefinition, row: object): string {
  return definition.lane === undefined ? '' : String(Reflect.get(row, definition.lane) ?? '')
}

export function actorWriteContext(
  definition: AnyActorDefinition,
  row: ActorRow,
  { wall, traceparent }: CommitMoment,
  beside: readonly StatementResult[] = [],
): ActorWriteContext {
  const clock_offset_ms = row.clock_offset_ms ?? 0
  const time = { wall, actor: Math.max(wall + clock_offset_ms, row.journal_at ?? 0) }
  return {
    definition,
    actor_id: row.id,
    account_id: row.account_id,
    time,
    clock_offset_ms,
    lane: findLane(definition, row),
    traceparent,
    beside,
  }
}
