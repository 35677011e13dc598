import { unavailable } from '../../base/api_error.ts'
import { actor_columns } from '../../database/tables.ts'
import { readFirst, type Store } from '../store/store.ts'
import { InvalidChartError, requireValidChart } from './chart_lint.ts'
import type { AnyActorDefinition } from './definition.ts'
import { timerQueue } from './rows.ts'

/** The actions of a kind's charts that are the host's to write: all but assignments, which work on the context. */
const effectsOf = ({ charts }: AnyActorDefinition): ReadonlySet<string> =>
  new Set(
    Object.values(charts).flatMap(({ implementations }) =>
      Object.entries(implementations.actions)
        .filter(([, action]) => !(action && 'type' in action))
        .map(([name]) => name),
    ),
  )

const eventsOf = ({ charts }: AnyActorDefinition): readonly string[] =>
  Object.values(charts).flatMap(({ events }) => events)

/** The step of an action that nobody writes, and whatever is written for an action that there is not, would be lost. */
const kindFaults = (kind: AnyActorDefinition): readonly string[] => {
  const effects = effectsOf(kind)
  const written = Object.keys(kind.actions)
  return [
    ...[...effects].filter(name => !written.includes(name)).map(name => `nothing is written for its action ${name}`),
    ...written.filter(name => !effects.has(name)).map(name => `${name} is no action of it that writes`),
    ...kind.notes.filter(note => eventsOf(kind).includes(note)).map(note => `${note} is an event of it, and no note`),
  ].map(fault => `chart ${kind.name}: ${fault}`)
}

const refuse = (faults: readonly string[]): void => {
  if (faults.length > 0) throw new InvalidChartError(faults.join('; '))
}

/** Lints every chart that this build could step, and what is written for its actions. @throws {InvalidChartError} */
export const requireValidCharts = (kinds: readonly AnyActorDefinition[]): void => {
  for (const { charts } of kinds) for (const chart of Object.values(charts)) requireValidChart(chart)
  refuse(kinds.flatMap(kindFaults))
}

const jobsOf = ({ charts }: AnyActorDefinition): ReadonlySet<string> =>
  new Set(Object.values(charts).flatMap(({ implementations }) => Object.keys(implementations.actors)))

/**
 * A job that no queue is served for would wait for ever, a queue that no chart has would be looked at in vain, and one
 * that two kinds share would bring jobs of the one to who does those of the other. @throws {InvalidChartError}
 */
export const requireJobHandlers = (
  kinds: readonly AnyActorDefinition[],
  handlers: readonly { readonly queue: string }[],
): void => {
  const queues = handlers.map(({ queue }) => queue)
  const jobs = kinds.flatMap(kind => [...jobsOf(kind)].map(job => ({ job, kind: kind.name })))
  const twice = (names: readonly string[]): readonly string[] =>
    names.filter((name, index) => names.indexOf(name) !== index)
  refuse([
    ...jobs
      .filter(({ job }) => !queues.includes(job))
      .map(({ job, kind }) => `chart ${kind}: nobody does its job ${job}`),
    ...queues.filter(queue => !jobs.some(({ job }) => job === queue)).map(queue => `no chart has a job ${queue}`),
    ...twice(queues).map(queue => `two do the job ${queue}`),
    ...twice([timerQueue, ...jobs.map(({ job }) => job)]).map(job => `${job} is the name of two queues`),
  ])
}

/**
 * An actor that a newer build made would be guessed at by this one; so the node says that it is not ready instead.
 * Null when the chart of every actor that is not ended is known. Versions are consecutive, which keeps this to two looks at an index.
 */
export const unknownChart = async (store: Store, kinds: readonly AnyActorDefinition[]): Promise<string | null> => {
  for (const { name, table, charts, ended } of kinds) {
    const versions = Object.keys(charts).map(Number)
    for (const [beyond, limit] of [
      ['<', Math.min(...versions)],
      ['>', Math.max(...versions)],
    ] as const) {
      const alive = ended.length === 0 ? '' : ` AND status NOT IN (${ended.map(() => '?').join(', ')})`
      const sql = `SELECT chart_version FROM ${table} WHERE chart_version ${beyond} ?${alive} LIMIT 1`
      const columns = { chart_version: actor_columns.chart_version }
      const row = await readFirst(store, { sql, values: [limit, ...ended], columns })
      if (row !== null)
        return `this build does not know version ${row.chart_version} of the ${name} chart: run a newer build`
    }
  }
  return null
}

/**
 * Asked before a job is begun: what it did for an actor of a newer chart could not be told, and would be done again and
 * again until a newer node takes the job. @throws {ApiError} `unavailable`
 */
export const requireKnownChart = (
  { name, charts }: AnyActorDefinition,
  row: { readonly chart_version: number },
): void => {
  const version = row.chart_version
  if (charts[version] === undefined)
    throw unavailable(`this build does not know version ${version} of the ${name} chart`)
}
