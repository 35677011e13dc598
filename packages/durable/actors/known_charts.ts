import { toPlaceholders } from '../store/statement.ts'
import { readFirst, type Store } from '../store/store.ts'
import { actorColumns } from '../store/tables.ts'
import { InvalidChartError, requireValidChart } from './chart_lint.ts'
import type { AnyActorDefinition } from './definition.ts'
import { timerQueue } from './rows.ts'
import { requireChart } from './units.ts'

/** The actions of a definition's charts that the definition must write: all but assignments, which change the context. */
function listEffects({ charts }: AnyActorDefinition): ReadonlySet<string> {
  return new Set(
    Object.values(charts).flatMap(({ implementations }) =>
      Object.entries(implementations.actions)
        .filter(([, action]) => !(action && 'type' in action))
        .map(([name]) => name),
    ),
  )
}

function listEvents({ charts }: AnyActorDefinition): readonly string[] {
  return Object.values(charts).flatMap(({ events }) => events)
}

/** An action without an implementation would be lost, and so would an implementation without an action. */
function findFaults(definition: AnyActorDefinition): readonly string[] {
  const effects = listEffects(definition)
  const written = Object.keys(definition.actions)
  return [
    ...[...effects].filter(name => !written.includes(name)).map(name => `nothing is written for its action ${name}`),
    ...written.filter(name => !effects.has(name)).map(name => `${name} is not an action that writes`),
    ...definition.journalOnly
      .filter(name => listEvents(definition).includes(name))
      .map(name => `${name} is an event of it, and not for its journal only`),
  ].map(fault => `chart ${definition.name}: ${fault}`)
}

function requireNone(faults: readonly string[]): void {
  if (faults.length > 0) throw new InvalidChartError(faults.join('; '))
}

/** Checks every chart that this build could run, and the implementations of its actions. @throws {InvalidChartError} */
export function requireValidCharts(definitions: readonly AnyActorDefinition[]): void {
  for (const { charts } of definitions) for (const chart of Object.values(charts)) requireValidChart(chart)
  requireNone(definitions.flatMap(findFaults))
}

function listJobs({ charts }: AnyActorDefinition): ReadonlySet<string> {
  return new Set(Object.values(charts).flatMap(({ implementations }) => Object.keys(implementations.actors)))
}

function findRepeated(names: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  return names.filter(name => seen.size === seen.add(name).size)
}

/**
 * `queues` are those that have a handler, on this node or on another; those of `withoutLanes` are handled in one line. A
 * job without a handler would wait for ever, and so would one in a lane that nobody looks for; a handler without a job would
 * never run, and if two definitions shared a queue, jobs of one would reach the handler of the other.
 * @throws {InvalidChartError}
 */
export function requireJobHandlers(
  definitions: readonly AnyActorDefinition[],
  queues: readonly string[],
  withoutLanes: readonly string[],
): void {
  const jobs = definitions.flatMap(definition =>
    [...listJobs(definition)].map(job => ({ job, name: definition.name, hasLanes: definition.lane !== undefined })),
  )
  requireNone([
    ...jobs
      .filter(({ job }) => !queues.includes(job))
      .map(({ job, name }) => `chart ${name}: nobody handles its job ${job}`),
    ...jobs
      .filter(({ job, hasLanes }) => hasLanes && withoutLanes.includes(job))
      .map(({ job, name }) => `chart ${name}: the handler of its job ${job} has no lanes`),
    ...queues.filter(queue => !jobs.some(({ job }) => job === queue)).map(queue => `no chart has a job ${queue}`),
    ...findRepeated(queues).map(queue => `two handlers for the job ${queue}`),
    ...findRepeated([timerQueue, ...jobs.map(({ job }) => job)]).map(job => `${job} is the name of two queues`),
  ])
}

/**
 * Why this build can't run every existing actor: a newer build made some, and another chart could corrupt them. Null
 * where it can. Versions are consecutive, so two looks at an index for each definition are enough.
 */
export async function findUnknownChart(
  store: Store,
  definitions: readonly AnyActorDefinition[],
): Promise<string | null> {
  for (const { name, table, charts, terminalStatuses } of definitions) {
    const versions = Object.keys(charts).map(Number)
    for (const [beyond, limit] of [
      ['<', Math.min(...versions)],
      ['>', Math.max(...versions)],
    ] as const) {
      const alive = terminalStatuses.length === 0 ? '' : ` AND status NOT IN (${toPlaceholders(terminalStatuses)})`
      const sql = `SELECT chart_version FROM ${table.name} WHERE chart_version ${beyond} ?${alive} LIMIT 1`
      const columns = { chart_version: actorColumns.chart_version }
      const row = await readFirst(store, { sql, values: [limit, ...terminalStatuses], columns })
      if (row !== null)
        return `this build does not know version ${row.chart_version} of the ${name} chart: run a newer build`
    }
  }
  return null
}

/**
 * Checks a job's chart before its handler begins: the result of a job of a newer chart could not be sent, and the job
 * would run again and again until a newer node takes it. @throws {DurableError} `unavailable`
 */
export function requireKnownChart(
  definition: AnyActorDefinition,
  { chart_version }: { readonly chart_version: number },
): void {
  void requireChart(definition, chart_version)
}
