import { charts } from '../../../machines/charts.ts'
import { type ChartDefinition, toDefinition } from './definition.ts'

/** One version of a chart that this build knows. */
export interface KnownChart {
  readonly name: string
  readonly version: number
  readonly definition: ChartDefinition
  /** Its drawings in `machines/drawings`, without the ending. */
  readonly file: string
}

/** Every version of every chart that this build knows, the oldest first. */
export const knownCharts: readonly KnownChart[] = Object.entries(charts).flatMap(([name, versions]) =>
  Object.entries(versions).map(([version, machine]) => ({
    name,
    version: Number(version),
    file: `${name}.v${version}`,
    definition: toDefinition(machine),
  })),
)
