import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AnyStateMachine } from 'xstate'
import { deliveryChartVersion, deliveryMachine } from '../../machines/delivery.ts'
import { transactionChartVersion, transactionMachine } from '../../machines/transaction.ts'
import { type ChartSurface, readChartSurface } from './chart_surface.ts'

/** The persisted names of each chart, by its version. A version that has been released never changes. */
export type Golden = Readonly<Record<string, Readonly<Record<string, ChartSurface>>>>

/** A chart as it is in the source, under the version that the source gives it. */
export interface CurrentChart {
  readonly name: string
  readonly version: number
  readonly machine: AnyStateMachine
  readonly version_name: string
  readonly surface: ChartSurface
}

export const goldenFile = join(import.meta.dirname, '../golden/charts.json')

export function readGolden(): Golden {
  return JSON.parse(readFileSync(goldenFile, 'utf8')) as Golden
}

function current(machine: AnyStateMachine, version: number, version_name: string): CurrentChart {
  return {
    name: machine.id,
    version,
    machine,
    version_name,
    surface: readChartSurface(machine),
  }
}

export const currentCharts: readonly CurrentChart[] = [
  current(transactionMachine, transactionChartVersion, 'transactionChartVersion'),
  current(deliveryMachine, deliveryChartVersion, 'deliveryChartVersion'),
]

function differences(kind: string, before: readonly string[], after: readonly string[]): string[] {
  return [
    ...before.filter(name => !after.includes(name)).map(name => `${kind} ${name} is gone`),
    ...after.filter(name => !before.includes(name)).map(name => `${kind} ${name} is new`),
  ]
}

/** Returns the differences between the chart's surface and the golden file's; empty if they agree. */
export function surfaceChanges(before: ChartSurface, after: ChartSurface): readonly string[] {
  return [
    ...differences('state', before.states, after.states),
    ...differences('timer', before.timers, after.timers),
    ...differences('job', before.jobs, after.jobs),
    ...differences('event', before.events, after.events),
  ]
}

/** The message for a developer who changed a chart under a version that may have live snapshots. */
export function howToBump({ name, version, version_name }: CurrentChart): string {
  return (
    `Version ${version} of the ${name} chart may be in databases. Keep its file as it was under another name, raise ` +
    `${version_name} to ${version + 1}, list both versions in machines/charts.ts, and run node test/golden/write.ts.`
  )
}

/** The golden file with the current charts added. @throws {Error} where a known version has another surface */
export function withCurrent(golden: Golden, charts: readonly CurrentChart[]): Golden {
  const result: Record<string, Record<string, ChartSurface>> = structuredClone(golden) as never
  for (const chart of charts) {
    const known = result[chart.name]?.[chart.version]
    const changes = known === undefined ? [] : surfaceChanges(known, chart.surface)
    if (changes.length > 0) throw new Error(`${changes.join('; ')}. ${howToBump(chart)}`)
    result[chart.name] = { ...result[chart.name], [chart.version]: chart.surface }
  }
  return result
}
