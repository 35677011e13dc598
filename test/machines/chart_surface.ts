import { listStates } from 'durable-xstate-sql/testing'
import type { AnyStateMachine } from 'xstate'

/**
 * The names that a chart puts into the database. Changing one under live snapshots can restore them silently into the
 * wrong state, so the golden file holds them for each version.
 */
export interface ChartSurface {
  readonly states: readonly string[]
  readonly timers: readonly string[]
  readonly jobs: readonly string[]
  readonly events: readonly string[]
}

function jobIds(invoke: unknown): readonly string[] {
  return (Array.isArray(invoke) ? invoke : invoke === undefined ? [] : [invoke]).map(({ id, src }) => `${id} (${src})`)
}

/** The surface of one version of a chart. */
export function readChartSurface(machine: AnyStateMachine): ChartSurface {
  const nodes = listStates(machine.root)
  const timers = nodes.flatMap(node =>
    Object.keys(node.config.after ?? {}).map(name => `xstate.after.${name}.${node.id}`),
  )
  return {
    states: nodes.map(({ id }) => id),
    timers,
    jobs: nodes.flatMap(node => jobIds(node.config.invoke)),
    events: [...new Set(nodes.flatMap(node => Object.keys(node.config.on ?? {})))].sort(),
  }
}
