import { allStates, type ChartGraph, type ChartState, type ChartTransition } from './graph.ts'

function closed(state: ChartState): ChartState {
  return {
    ...state,
    entry: [],
    exit: [],
    invokes: [],
    description: state.tags.length > 0 ? state.description : null,
    ...(state.tags.length > 0
      ? { states: [], initial: null, type: state.type === 'final' ? 'final' : 'atomic' }
      : { states: state.states.map(closed) }),
  }
}

/** The state that is still drawn, of those that `path` is in. */
function shownAt(paths: ReadonlySet<string>, path: string): string {
  return paths.has(path) ? path : shownAt(paths, path.split('.').slice(0, -1).join('.'))
}

/** Whether a line is the first of its kind: a second one adds nothing. */
function isFirst(one: ChartTransition, index: number, all: readonly ChartTransition[]): boolean {
  return (
    all.findIndex(
      ({ source, target, trigger, name }) =>
        source === one.source && target === one.target && trigger === one.trigger && name === one.name,
    ) === index
  )
}

/**
 * Creates the outside view of a chart: its statuses, without the states inside them, and the transitions between them.
 */
export function createOverview(graph: ChartGraph): ChartGraph {
  const root = closed(graph.root)
  const paths = new Set(allStates(root).map(({ path }) => path))
  const transitions = graph.transitions
    .map(one => ({
      ...one,
      source: shownAt(paths, one.source),
      target: shownAt(paths, one.target),
      guard: null,
      otherwise: false,
      actions: [],
    }))
    .filter(({ source, target }) => source !== target)
    .filter(isFirst)
  return { ...graph, root, transitions }
}
