import type { ElkExtendedEdge, ElkNode, LayoutOptions } from 'elkjs/lib/elk.bundled.js'
import { allStates, type ChartGraph, type ChartState, type ChartTransition } from './graph.ts'
import { computeSize, internalTransitions, padding, stateText, transitionLines } from './text.ts'

const dotSize = 10

const sharedOptions: LayoutOptions = {
  'elk.algorithm': 'layered',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.nodePlacement.favorStraightEdges': 'true',
  'elk.layered.spacing.nodeNodeBetweenLayers': '26',
  'elk.layered.spacing.edgeNodeBetweenLayers': '14',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '12',
  'elk.spacing.nodeNode': '22',
  'elk.spacing.edgeNode': '14',
  'elk.spacing.edgeEdge': '12',
  'elk.spacing.edgeLabel': '4',
  'elk.spacing.labelNode': '8',
}

const rootOptions: LayoutOptions = {
  ...sharedOptions,
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
}

/** Keeps states inside states on one line, and the picture narrow; straight edges would pull them apart. */
const nestedOptions: LayoutOptions = { 'elk.layered.nodePlacement.strategy': 'LINEAR_SEGMENTS' }

function isWithin(path: string, group: string): boolean {
  return group === '' || path.startsWith(`${group}.`)
}

/** Whether no transition goes in or out of the states inside: such a group is laid out by itself. */
function isClosed({ transitions }: ChartGraph, { path }: ChartState): boolean {
  return transitions.every(({ source, target }) => isWithin(source, path) === isWithin(target, path))
}

/** Returns the number of states, each inside the one before, whose borders lines cross. */
function openDepth(graph: ChartGraph, state: ChartState): number {
  return state.states.length === 0 || (state.path !== '' && isClosed(graph, state))
    ? 0
    : 1 + Math.max(...state.states.map(inner => openDepth(graph, inner)))
}

/** Keeps states and lines in the order of the file. ELK fails if lines cross more borders than these. */
function orderOptions(graph: ChartGraph): LayoutOptions {
  return openDepth(graph, graph.root) > 3 ? {} : { 'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES' }
}

/** Names an edge of the layout. */
export function edgeId({ id }: ChartTransition): string {
  return `transition:${id}`
}

function dotId(path: string): string {
  return `dot:${path}`
}

function stateId(path: string): string {
  return `state:${path}`
}

/** The innermost state that both are in. */
function findContainer(source: string, target: string): string {
  const one = source.split('.').slice(0, -1)
  const other = target.split('.').slice(0, -1)
  const end = one.findIndex((key, index) => key !== other[index])
  return one.slice(0, end < 0 ? one.length : end).join('.')
}

/**
 * Whether a transition leads back to a state that was defined before. Such edges are laid out from their target, so that
 * every chart reads from its first state to its last. (ELK's own `MODEL_ORDER` fails on states inside states.)
 */
export function isBackward({ root }: ChartGraph, { source, target }: ChartTransition): boolean {
  const paths = allStates(root).map(({ path }) => path)
  return paths.indexOf(target) < paths.indexOf(source)
}

function toEdge(graph: ChartGraph, transition: ChartTransition): ElkExtendedEdge {
  return {
    id: edgeId(transition),
    sources: [stateId(isBackward(graph, transition) ? transition.target : transition.source)],
    targets: [stateId(isBackward(graph, transition) ? transition.source : transition.target)],
    labels: [
      {
        ...computeSize(transitionLines(transition)),
        text: transition.id,
        layoutOptions: { 'elk.edgeLabels.inline': 'true', 'elk.edgeLabels.placement': 'CENTER' },
      },
    ],
  }
}

function edgesIn(graph: ChartGraph, path: string): readonly ElkExtendedEdge[] {
  return graph.transitions
    .filter(({ internal, source, target }) => !internal && findContainer(source, target) === path)
    .map(transition => toEdge(graph, transition))
}

function groupOptions(graph: ChartGraph, state: ChartState, header: number): LayoutOptions {
  return {
    ...sharedOptions,
    ...orderOptions(graph),
    'elk.direction': 'DOWN',
    'elk.padding': `[top=${header + 14},left=14,bottom=14,right=14]`,
    'elk.hierarchyHandling': isClosed(graph, state) ? 'SEPARATE_CHILDREN' : 'INCLUDE_CHILDREN',
    ...(state.type === 'parallel' && isClosed(graph, state)
      ? {
          'elk.algorithm': 'rectpacking',
          'elk.rectpacking.widthApproximation.targetWidth': '1060',
          'elk.rectpacking.widthApproximation.strategy': 'TARGET_WIDTH',
        }
      : {}),
  }
}

function toNode(graph: ChartGraph, state: ChartState): ElkNode {
  const lines = [...stateText(state), ...internalTransitions(graph, state).flatMap(transitionLines)]
  const text = computeSize(lines)
  const gaps = internalTransitions(graph, state).length * 6
  const size = { width: text.width + 2 * padding, height: text.height + 2 * padding + gaps }
  const last = state.type === 'final' ? { 'elk.layered.layering.layerConstraint': 'LAST' } : {}
  if (state.states.length === 0) return { id: stateId(state.path), ...size, layoutOptions: last }
  return {
    id: stateId(state.path),
    layoutOptions: {
      ...groupOptions(graph, state, size.height),
      'elk.nodeSize.constraints': 'MINIMUM_SIZE',
      'elk.nodeSize.minimum': `(${size.width},${size.height})`,
    },
    ...toContent(graph, state),
  }
}

function toContent(graph: ChartGraph, state: ChartState): Pick<ElkNode, 'children' | 'edges'> {
  const dot = state.initial === null ? [] : [{ id: dotId(state.path), width: dotSize, height: dotSize }]
  const start = dot.map(({ id }) => ({
    id: `start:${state.path}`,
    sources: [id],
    targets: [stateId(state.initial ?? '')],
  }))
  return {
    children: [...dot, ...state.states.map(inner => toNode(graph, inner))],
    edges: [...start, ...edgesIn(graph, state.path)],
  }
}

/** Converts a chart for ELK. */
export function elkGraph(graph: ChartGraph): ElkNode {
  const isNested = graph.root.states.some(({ states }) => states.length > 0)
  const layoutOptions = { ...rootOptions, ...orderOptions(graph), ...(isNested ? nestedOptions : {}) }
  return { id: 'root', layoutOptions, ...toContent(graph, graph.root) }
}
