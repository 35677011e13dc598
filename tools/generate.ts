import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { deliveryMachine } from '../machines/delivery.ts'
import { transactionMachine } from '../machines/transaction.ts'
import { secret_settings, settings } from '../src/config.ts'
import { issueCatalogue } from '../src/decision/issues.ts'
import { warningCatalogue } from '../src/images/warnings.ts'
import { type LockedPackage, noticeOf, type ShippedPackage, shippedPackages } from './licences.ts'

/**
 * `npm run generate`: writes the parts of README.md that are made from the program, between their markers, and NOTICE from
 * the lock file, so that they can't drift apart. A test compares them.
 */

const row = (cells: readonly string[]): string => `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => '-')), ...rows.map(row)].join('\n')

const code = (text: string): string => (text === '' ? '' : `\`${text}\``)

const settingsTable = (): string =>
  table(
    ['Setting', 'Default', 'Meaning'],
    Object.entries(settings).map(([name, { default: text, description }]) => [
      code(name),
      code(text),
      secret_settings.includes(name)
        ? `${description} \`${name}_FILE\` names a file that holds it instead.`
        : description,
    ]),
  )

const issuesTable = (): string =>
  table(
    ['Code', 'Type', 'About', 'Message'],
    Object.entries(issueCatalogue).map(([name, { types, section, message }]) => [
      code(name),
      types.length > 1 ? `${types.join(' or ')}, as the policy says` : types.join(),
      section,
      message,
    ]),
  )

const warningsTable = (): string =>
  table(
    ['Code', 'Advice'],
    Object.entries(warningCatalogue).map(([name, advice]) => [code(name), advice]),
  )

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

const edgesOf = (node: AnyStateNode): Edge[] => {
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

const statusOf = (node: AnyStateNode): string | null =>
  node.tags[0] ?? (node.parent === undefined ? null : statusOf(node.parent))

/** A state that stands above statuses speaks for all of them. */
const statusesOf = (node: AnyStateNode): string[] => {
  const own = statusOf(node)
  const inner = withDescendants(node).flatMap(({ tags }) => tags)
  return own === null ? [...new Set(inner)] : [own]
}

/** The chart as the outside sees it: a box for each status, whatever happens inside. */
const statusChart = (machine: AnyStateMachine): string => {
  const nodes = withDescendants(machine.root)
  const edges = nodes.flatMap(edgesOf).flatMap(({ from, to, label }) => {
    const [target = ''] = statusesOf(to)
    return statusesOf(from).map(source => ({ from: source, to: target, label }))
  })
  const initial = nodes.find(({ tags }) => tags.length > 0)?.tags[0] ?? ''
  const finals = nodes.filter(({ type }) => type === 'final').map(({ key }) => `  ${key} --> [*]`)
  return mermaid([`  [*] --> ${initial}`, ...arrows(edges.filter(({ from, to }) => from !== to)), ...finals])
}

const region = (parent: AnyStateNode): string[] => {
  const name = ({ key }: AnyStateNode): string => `${parent.key}_${key}`
  const nodes = Object.values(parent.states)
  const edges = nodes
    .flatMap(edgesOf)
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
const parallelChart = (node: AnyStateNode): string => {
  const regions = Object.values(node.states).map(child => [
    `  state ${child.key} {`,
    ...region(child).map(line => `  ${line}`),
    '  }',
  ])
  return mermaid(regions.flat())
}

const initiated = (): AnyStateNode => {
  const node = withDescendants(transactionMachine.root).find(({ key }) => key === 'INITIATED')
  if (node === undefined) throw new Error('the transaction chart has no INITIATED')
  return node
}

const parts: Readonly<Record<string, () => string>> = {
  settings: settingsTable,
  issues: issuesTable,
  warnings: warningsTable,
  'transaction chart': () => statusChart(transactionMachine),
  'capture chart': () => parallelChart(initiated()),
  'delivery chart': () => statusChart(deliveryMachine),
}

/** The text of a document with its generated parts made anew. @throws {Error} when a part has no place in it. */
export const regenerate = (text: string): string =>
  Object.entries(parts).reduce((before, [name, make]) => {
    const [start, end] = [`<!-- generated: ${name} -->`, '<!-- /generated -->']
    const from = before.indexOf(start)
    const to = before.indexOf(end, from)
    if (from < 0 || to < 0) throw new Error(`README.md has no place for the generated ${name}`)
    return `${before.slice(0, from + start.length)}\n${make()}\n${before.slice(to)}`
  }, text)

const root = join(import.meta.dirname, '..')

/** The document that has generated parts. */
export const readme_file = join(root, 'README.md')

/** Names every package that the service ships, with its licence. */
export const notice_file = join(root, 'NOTICE')

/** What is installed in production, as the lock file says. */
export const shipped = (): readonly ShippedPackage[] => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return shippedPackages(lock.packages as Readonly<Record<string, LockedPackage>>)
}

if (import.meta.main) {
  writeFileSync(readme_file, regenerate(readFileSync(readme_file, 'utf8')))
  writeFileSync(notice_file, noticeOf(shipped()))
}
