import type { ChartGraph, ChartState, ChartTransition } from './graph.ts'
import { stateText, transitionText } from './text.ts'

/** A state's name in Mermaid, where a dot has a meaning of its own. */
export function mermaidId(path: string): string {
  return path.replaceAll('.', '_')
}

/** Mermaid ends a label at these. */
function plain(text: string): string {
  return text.replaceAll(/[;#]/g, ',')
}

function arrow({ source, target, ...rest }: ChartTransition): string {
  return `${mermaidId(source)} --> ${mermaidId(target)}: ${plain(transitionText({ source, target, ...rest }))}`
}

/** All that is written in a state's box but its name; its description is one line. */
function innerText(graph: ChartGraph, state: ChartState): readonly string[] {
  return [
    ...(state.description === null ? [] : [state.description]),
    ...stateText(state)
      .filter(({ style }) => style === 'action')
      .map(({ text }) => text),
    ...graph.transitions.filter(({ internal, source }) => internal && source === state.path).map(transitionText),
  ]
}

function leafLines(graph: ChartGraph, state: ChartState): readonly string[] {
  const id = mermaidId(state.path)
  return [
    `state "${plain(state.key)}" as ${id}`,
    ...innerText(graph, state).map(text => `${id}: ${plain(text)}`),
    ...(state.type === 'final' ? [`${id} --> [*]`] : []),
  ]
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map(line => `  ${line}`)
}

function groupLines(graph: ChartGraph, state: ChartState): readonly string[] {
  const id = mermaidId(state.path)
  const inside = state.states.map(inner => stateLines(graph, inner))
  const parts =
    state.type === 'parallel' ? inside.flatMap((lines, index) => (index > 0 ? ['--', ...lines] : lines)) : null
  const start = state.initial === null ? [] : [`[*] --> ${mermaidId(state.initial)}`]
  const text = innerText(graph, state)
  return [
    `state "${plain(state.key)}" as ${id} {`,
    ...indented([...start, ...(parts ?? inside.flat())]),
    '}',
    ...(text.length > 0 ? [`note right of ${id}`, ...indented(text.map(plain)), 'end note'] : []),
  ]
}

function stateLines(graph: ChartGraph, state: ChartState): readonly string[] {
  return state.states.length > 0 ? groupLines(graph, state) : leafLines(graph, state)
}

/** A chart as Mermaid's `stateDiagram-v2`, with everything that the SVG shows. */
export function drawMermaid(graph: ChartGraph): string {
  const { root, transitions } = graph
  const start = root.initial === null ? [] : [`[*] --> ${mermaidId(root.initial)}`]
  const arrows = transitions.filter(({ internal }) => !internal).map(arrow)
  const lines = [...start, ...root.states.flatMap(state => stateLines(graph, state)), ...arrows]
  return `${['stateDiagram-v2', ...indented(lines)].join('\n')}\n`
}
