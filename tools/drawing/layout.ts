import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ElkLabel, ElkNode, ElkPoint } from 'elkjs/lib/elk.bundled.js'
import elkPackage from 'elkjs/package.json' with { type: 'json' }
import { edgeId, elkGraph, isBackward } from './elk_graph.ts'
import type { ChartGraph, ChartTransition } from './graph.ts'

/** A rectangle of a drawing, in pixels from its upper left corner. */
export interface Box extends Readonly<ElkPoint> {
  readonly width: number
  readonly height: number
}

/** A line between two states, with its label; the line from the dot to the initial state has no transition. */
export interface LaidOutEdge {
  readonly transition: ChartTransition | null
  readonly points: readonly Readonly<ElkPoint>[]
  readonly label: Box | null
}

/** Positions of all parts of a chart. */
export interface ChartLayout {
  readonly graph: ChartGraph
  readonly width: number
  readonly height: number
  /** Boxes of the states, by path. */
  readonly states: ReadonlyMap<string, Box>
  /** The dots at which the states begin, by the path of the state that they are in. */
  readonly dots: ReadonlyMap<string, Box>
  readonly edges: readonly LaidOutEdge[]
}

function toBox({ x = 0, y = 0, width = 0, height = 0 }: ElkNode | ElkLabel): Box {
  return { x, y, width, height }
}

function allNodes(node: ElkNode): readonly ElkNode[] {
  return [node, ...(node.children ?? []).flatMap(allNodes)]
}

function findBoxes(nodes: readonly ElkNode[], prefix: string): ReadonlyMap<string, Box> {
  return new Map(
    nodes.filter(({ id }) => id.startsWith(prefix)).map(node => [node.id.slice(prefix.length), toBox(node)]),
  )
}

const cache = join(import.meta.dirname, '../../node_modules/.cache/layouts')

/** ELK makes the same of the same graph, in up to two seconds of CPU: so its layouts are kept from run to run. */
async function layOut(graph: ElkNode): Promise<ElkNode> {
  const name = hash('sha256', JSON.stringify([elkPackage.version, graph]))
  const file = join(cache, `${name}.json`)
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as ElkNode
  const { default: Elk } = await import('elkjs/lib/elk.bundled.js')
  const made = await new Elk.default().layout(graph)
  mkdirSync(cache, { recursive: true })
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(made))
  renameSync(`${file}.${process.pid}`, file)
  return made
}

/** Lays out a chart. The same chart gets the same layout everywhere: nothing is measured by a font that is installed. */
export async function layoutChart(graph: ChartGraph): Promise<ChartLayout> {
  const root = await layOut(elkGraph(graph))
  const nodes = allNodes(root)
  const transitions = new Map(graph.transitions.map(transition => [edgeId(transition), transition]))
  const edges = nodes
    .flatMap(({ edges = [] }) => edges)
    .map(({ id, sections = [], labels = [] }): LaidOutEdge => {
      const points = sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [
        startPoint,
        ...bendPoints,
        endPoint,
      ])
      const transition = transitions.get(id) ?? null
      const forward = transition !== null && isBackward(graph, transition) ? points.toReversed() : points
      return { transition, points: forward, label: labels[0] ? toBox(labels[0]) : null }
    })
  const size = toBox(root)
  return {
    graph,
    width: Math.ceil(size.width),
    height: Math.ceil(size.height),
    states: findBoxes(nodes, 'state:'),
    dots: findBoxes(nodes, 'dot:'),
    edges,
  }
}
