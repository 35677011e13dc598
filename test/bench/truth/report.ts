import { type Kind, kinds, type Outcome } from './cases.ts'
import { written } from './intervals.ts'

/** A column of a kind's table: a check, and what it is called. */
type Column = readonly [check: string, title: string]

const columns: Readonly<Record<Kind, readonly Column[]>> = {
  mrz: [
    ['exact', 'zone exact'],
    ['refused', 'not read'],
    ['wrong_but_accepted', 'a field wrong but accepted'],
    ['wrong_and_silent', 'and silently'],
  ],
  document: [],
  face: [],
  liveness: [],
  limits: [],
}

const titles: Readonly<Record<Kind, string>> = {
  mrz: 'Machine-readable zone',
  document: 'Document and portrait',
  face: 'Faces',
  liveness: 'Liveness',
  limits: 'Limits',
}

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0

const cpu = (outcomes: readonly Outcome[]): string => {
  const totals = outcomes.map(({ cpu_ms }) => Object.values(cpu_ms).reduce((sum, part) => sum + part, 0))
  return `${quantile(totals, 0.5)} / ${quantile(totals, 1)}`
}

const row = (name: string, outcomes: readonly Outcome[], of: readonly Column[]): string => {
  const cells = of.map(([check]) => {
    const tried = outcomes.map(({ checks }) => checks[check]).filter(found => found !== null && found !== undefined)
    return written(tried.filter(Boolean).length, tried.length)
  })
  return `| ${[name, ...cells, cpu(outcomes)].join(' | ')} |`
}

const groupBy = (outcomes: readonly Outcome[], key: (outcome: Outcome) => string): [string, Outcome[]][] => [
  ...Map.groupBy(outcomes, key),
]

const tableOf = (kind: Kind, outcomes: readonly Outcome[]): string => {
  const of = columns[kind]
  const usable = outcomes.filter(({ condition }) => condition !== 'unusable')
  const rows = [
    ...groupBy(outcomes, ({ condition }) => condition).map(([name, some]) => row(name, some, of)),
    ...groupBy(usable, ({ format }) => format).map(([name, some]) => row(`${name}, usable`, some, of)),
    row('**all usable**', usable, of),
  ]
  const head = [titles[kind], ...of.map(([, title]) => title), 'CPU ms, median / most']
  return [`| ${head.join(' | ')} |`, `|${' - |'.repeat(head.length)}`, ...rows].join('\n')
}

/** The tables of what was measured, as Markdown: counts with 95 % confidence intervals. */
export const report = (outcomes: readonly Outcome[]): string =>
  kinds
    .map(kind => ({ kind, of: outcomes.filter(outcome => outcome.kind === kind) }))
    .filter(({ of }) => of.length > 0)
    .map(({ kind, of }) => tableOf(kind, of))
    .join('\n\n')
