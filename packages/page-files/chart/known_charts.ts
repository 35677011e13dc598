import { charts } from '../../../machines/charts.ts'

/** One version of a chart that this build knows. */
export interface KnownChart {
  readonly name: string
  readonly version: number
  readonly definition: object
  /** Its drawings in `machines/drawings`, without the ending. */
  readonly file: string
}

/**
 * A chart's definition as JSON, which is also what Stately's inspection protocol carries: functions (parameters made at run
 * time) are left out. XState's own `definition` is not it: that leaves `always` out.
 */
export function toDefinition({ config }: { readonly config: unknown }): object {
  return JSON.parse(JSON.stringify(config))
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
