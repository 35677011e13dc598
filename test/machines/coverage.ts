/** `npm run machines:coverage` draws how often the paths that the tests walk take each transition of each chart. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toDefinition } from '@attestor/page-files/testing'
import { type AnyStateMachine, initialTransition } from 'xstate'
import { captureMachine } from '../../machines/capture.ts'
import { deliveryMachine } from '../../machines/delivery.ts'
import { transactionMachine } from '../../machines/transaction.ts'
import { type ChartGraph, type ChartTransition, chartGraph } from '../../tools/drawing/graph.ts'
import { layoutChart } from '../../tools/drawing/layout.ts'
import { drawSvg } from '../../tools/drawing/svg.ts'
import { capturePaths, deliveryPaths, transactionPaths } from './generated_paths.ts'
import { covering, declaredTransitions, type GeneratedPath, longest, restingStates } from './paths.ts'

/** The coverage by a chart's generated paths. */
export interface Coverage {
  readonly machine: AnyStateMachine
  readonly paths: readonly GeneratedPath[]
  /**
   * Number of situations in which each declared transition is taken: a state, the known parts of its context, and an
   * event.
   */
  readonly counts: ReadonlyMap<string, number>
  /** The states in which the chart can rest, and whether some path does. */
  readonly rests: ReadonlyMap<string, boolean>
}

/** Every path begins in the first state; one without events is not among them. */
function firstStates(machine: AnyStateMachine, paths: readonly GeneratedPath[]): readonly string[] {
  return paths.flatMap(({ input }) => [...initialTransition(machine, input as never)[0]._nodes]).map(({ id }) => id)
}

function coverageOf(machine: AnyStateMachine, paths: readonly GeneratedPath[]): Coverage {
  const taken = paths.flatMap(({ transitions }) => transitions)
  const counts = declaredTransitions(machine).map(name => [name, taken.filter(one => one === name).length] as const)
  const states = new Set([...paths.flatMap(path => path.states), ...firstStates(machine, paths)])
  const below = restingStates(machine).filter(id => id !== machine.root.id)
  const rests = below.map(id => [id, states.has(id)] as const)
  return { machine, paths, counts: new Map(counts), rests: new Map(rests) }
}

/** The coverage of every chart. */
export const coverages: readonly Coverage[] = [
  coverageOf(transactionMachine as AnyStateMachine, transactionPaths()),
  coverageOf(deliveryMachine as AnyStateMachine, deliveryPaths()),
  coverageOf(captureMachine as AnyStateMachine, capturePaths()),
]

/** Folder of the pictures. */
export const coverageFolder = join(import.meta.dirname, '../../docs/develop/coverage')

const style = [
  '.chart .covered .edge{stroke:#1a7f37}.chart .covered .note{fill:#1a7f37}',
  '.chart .uncovered .edge{stroke:#cf222e;stroke-width:2.4}.chart .uncovered .note{fill:#cf222e}',
  '@media(prefers-color-scheme:dark){.chart .covered .edge{stroke:#3fb950}.chart .covered .note{fill:#3fb950}',
  '.chart .uncovered .edge{stroke:#f85149}.chart .uncovered .note{fill:#f85149}}',
].join('')

function withCounts(graph: ChartGraph, { counts }: Coverage): ChartGraph {
  return {
    ...graph,
    transitions: graph.transitions.map(transition => {
      const count = counts.get(transition.id) ?? 0
      return { ...transition, note: count === 0 ? 'not covered' : `× ${count}` }
    }),
  }
}

/** The chart with each transition marked. */
export async function drawCoverage(coverage: Coverage): Promise<string> {
  const { machine, paths, counts } = coverage
  const graph = withCounts(chartGraph(toDefinition(machine)), coverage)
  const covered = [...counts.values()].filter(count => count > 0).length
  const title = `${paths.length} generated paths cover ${covered} of ${counts.size} transitions of the ${machine.id} chart`
  const toClass = ({ id }: ChartTransition): string => ((counts.get(id) ?? 0) > 0 ? 'covered' : 'uncovered')
  return drawSvg(await layoutChart(graph), { title, style, toClass })
}

function eventCount(paths: readonly GeneratedPath[]): number {
  return paths.reduce((sum, { events }) => sum + events.length, 0)
}

/** The figures, a row for each chart. */
export function coverageTable(): string {
  return [
    '| Chart | Transitions taken | States rested in | Generated paths | Of these, no beginning of another | Few that take every transition |',
    '|-|-|-|-|-|-|',
    ...coverages.map(({ machine, paths, counts, rests }) => {
      const few = covering(paths)
      const taken = [...counts.values()].filter(count => count > 0).length
      const long = longest(paths)
      return `| ${[
        machine.id,
        `${taken} of ${counts.size}`,
        `${[...rests.values()].filter(Boolean).length} of ${rests.size}`,
        paths.length,
        `${long.length} (${eventCount(long)} events)`,
        `${few.length} (${eventCount(few)} events)`,
      ].join(' | ')} |`
    }),
  ].join('\n')
}

if (import.meta.main) {
  mkdirSync(coverageFolder, { recursive: true })
  for (const coverage of coverages)
    writeFileSync(join(coverageFolder, `${coverage.machine.id}.svg`), await drawCoverage(coverage))
  console.log(coverageTable())
}
