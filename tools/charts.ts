import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { transactionMachine } from '../machines/transaction.ts'

interface Edge {
  readonly from: AnyStateNode
  readonly to: AnyStateNode
  readonly label: string
}

const guardName = (guard: unknown): string =>
  typeof guard === 'object' && guard !== null && 'type' in guard ? String(guard.type) : String(guard)

/** `xstate.after.TTL.transaction.open` reads `after TTL`, `xstate.done.actor.analysis` reads `analysis done`. */
const eventName = (event: string): string => {
  const [, kind, second, third] = event.split('.')
  if (event.startsWith('xstate.after.')) return `after ${second}`
  if (event.startsWith('xstate.done.actor.') || event.startsWith('xstate.error.actor.'))
    return `${third} ${kind === 'done' ? 'done' : 'failed'}`
  return event
}

const listEdges = (node: AnyStateNode): Edge[] => {
  const transitions = [...node.transitions.values(), node.always ?? []].flat()
  return transitions.flatMap(({ target, eventType, guard }) =>
    (target ?? []).map(to => ({
      from: node,
      to,
      label: [eventType === '' ? '' : eventName(eventType), guard === undefined ? '' : `[${guardName(guard)}]`]
        .join(' ')
        .trim(),
    })),
  )
}

const withDescendants = (node: AnyStateNode): AnyStateNode[] => [
  node,
  ...Object.values(node.states).flatMap(withDescendants),
]

/** Edges between the same two states share an arrow. */
const arrows = (edges: readonly { readonly from: string; readonly to: string; readonly label: string }[]): string[] => {
  const labels = Map.groupBy(edges, ({ from, to }) => `${from} --> ${to}`)
  return [...labels].map(([arrow, same]) => {
    const label = [...new Set(same.map(edge => edge.label).filter(text => text !== ''))].join(' / ')
    return `  ${arrow}${label === '' ? '' : `: ${label}`}`
  })
}

const mermaid = (lines: readonly string[]): string => ['```mermaid', 'stateDiagram-v2', ...lines, '```'].join('\n')

const findStatus = (node: AnyStateNode): string | null =>
  node.tags[0] ?? (node.parent === undefined ? null : findStatus(node.parent))

/** A state above statuses has all of them. */
const findStatuses = (node: AnyStateNode): string[] => {
  const own = findStatus(node)
  const inner = withDescendants(node).flatMap(({ tags }) => tags)
  return own === null ? [...new Set(inner)] : [own]
}

/** The chart of the public statuses, without the states inside them. */
export const statusChart = (machine: AnyStateMachine): string => {
  const nodes = withDescendants(machine.root)
  const edges = nodes.flatMap(listEdges).flatMap(({ from, to, label }) => {
    const [target = ''] = findStatuses(to)
    return findStatuses(from).map(source => ({ from: source, to: target, label }))
  })
  const initial = nodes.find(({ tags }) => tags.length > 0)?.tags[0] ?? ''
  const finals = nodes.filter(({ type }) => type === 'final').map(({ key }) => `  ${key} --> [*]`)
  return mermaid([`  [*] --> ${initial}`, ...arrows(edges.filter(({ from, to }) => from !== to)), ...finals])
}

const region = (parent: AnyStateNode): string[] => {
  const name = ({ key }: AnyStateNode): string => `${parent.key}_${key}`
  const nodes = Object.values(parent.states)
  const edges = nodes
    .flatMap(listEdges)
    .filter(({ from, to }) => from !== to)
    .map(({ from, to, label }) => ({ from: name(from), to: name(to), label }))
  const [initial] = parent.initial.target
  return [
    ...nodes.map(node => `  state "${node.key.replaceAll('_', ' ')}" as ${name(node)}`),
    ...(initial === undefined ? [] : [`  [*] --> ${name(initial)}`]),
    ...arrows(edges),
  ]
}

/** The regions of a parallel state, side by side. */
export const parallelChart = (node: AnyStateNode): string => {
  const regions = Object.values(node.states).map(child => [
    `  state ${child.key} {`,
    ...region(child).map(line => `  ${line}`),
    '  }',
  ])
  return mermaid(regions.flat())
}

export const initiated = (): AnyStateNode => {
  const node = withDescendants(transactionMachine.root).find(({ key }) => key === 'INITIATED')
  if (node === undefined) throw new Error('the transaction chart has no INITIATED')
  return node
}
