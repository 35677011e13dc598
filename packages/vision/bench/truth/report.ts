import { written } from '../../../../src/cli/intervals.ts'
import type { Outcome } from './cases.ts'
import { gateTables } from './gate_table.ts'
import { pairTables } from './trade_off.ts'

/** A column of a table: a check, and its title. */
type Column = readonly [check: string, title: string]

interface Table {
  readonly title: string
  readonly columns: readonly Column[]
  readonly by_format: boolean
}

const zone: readonly Column[] = [
  ['exact', 'zone exact'],
  ['refused', 'not read'],
  ['rejected', 'rejected'],
  ['wrong_but_accepted', 'field wrong, accepted'],
  ['wrong_and_silent', 'of which silently'],
]

const tables: Readonly<Record<Outcome['kind'], Table>> = {
  mrz: { title: 'Machine-readable zone', columns: zone, by_format: true },
  document: {
    title: 'Document, both sides, with a selfie',
    columns: [
      ['exact', 'zone exact'],
      ['accepted', 'accepted'],
      ['rejected', 'rejected'],
      ['wrong_but_accepted', 'field wrong, accepted'],
      ['portrait_found', 'portrait found'],
      ['holder_passed', 'holder matched'],
      ['holder_rejected', 'holder rejected'],
      ['impostor_passed', 'impostor matched'],
    ],
    by_format: true,
  },
  picture: {
    title: 'Labelled picture of a document',
    columns: [
      ['exact', 'read exactly'],
      ['wrong_and_taken', 'read wrong and accepted'],
      ['not_read', 'not read'],
      ['malformed_taken', 'malformed, accepted'],
      ['malformed_wrong', 'of which misread'],
      ['copy_suspected', 'without colour, copy suspected'],
      ['colour_suspected', 'in colour, copy suspected'],
      ['portrait_found', 'portrait found'],
      ['surname_mismatch', 'surname mismatch'],
      ['wrong_but_accepted', 'field wrong, accepted'],
      ['holder_passed', 'holder matched'],
      ['holder_rejected', 'holder rejected'],
    ],
    by_format: true,
  },
  face: {
    title: 'Selfie',
    columns: [
      ['found', 'one face found'],
      ['usable', 'usable'],
      ['honest_refused', 'usable, but refused'],
      ['unfit_refused', 'unfit and refused'],
    ],
    by_format: false,
  },
  blink: {
    title: 'Answer to BLINK',
    columns: [
      ['blinked', 'eyes shut, passed'],
      ['other_blinked', 'another expression, passed'],
      ['neutral_missing', 'not measured, for want of a neutral picture'],
    ],
    by_format: false,
  },
  pair: {
    title: 'Pairs of selfies',
    columns: [
      ['same_not_passed', 'false non-match'],
      ['same_rejected', 'of which rejected'],
      ['other_passed', 'false match'],
      ['other_not_rejected', 'other person not rejected'],
    ],
    by_format: false,
  },
  liveness: {
    title: 'Challenge',
    columns: [
      ['genuine', 'person passed'],
      ['genuine_TURN_LEFT', 'person turned left'],
      ['genuine_TURN_RIGHT', 'turned right'],
      ['genuine_BLINK', 'blinked'],
      ['genuine_OPEN_MOUTH', 'opened the mouth'],
      ['genuine_LOOK_UP', 'looked up'],
      ['flat_photo', 'flat photo passed'],
      ['wrong_person', 'wrong person passed'],
      ['swapped', 'swapped frames passed'],
      ['replayed', 'replayed frame passed'],
    ],
    by_format: false,
  },
}

function quantile(values: readonly number[], share: number): number {
  return (
    [...values].sort((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0
  )
}

function stages(outcomes: readonly Outcome[]): string[] {
  return [...new Set(outcomes.flatMap(({ cpu_ms }) => Object.keys(cpu_ms)))]
}

function spread(spent: readonly number[]): string {
  return `${quantile(spent, 0.5)} / ${quantile(spent, 1)}`
}

function whole({ cpu_ms }: Outcome): number {
  return Object.values(cpu_ms).reduce((sum, part) => sum + part, 0)
}

/** Returns the CPU time of each stage if there are several, otherwise their sum. */
function cpu(outcomes: readonly Outcome[], byStage: boolean): string {
  const sum = spread(outcomes.map(whole))
  const names = stages(outcomes)
  if (!byStage || names.length < 2) return sum
  const each = names.map(stage => `${stage} ${spread(outcomes.flatMap(({ cpu_ms }) => cpu_ms[stage] ?? []))}`)
  return `${sum}; ${each.join(', ')}`
}

/** Returns the share of a check's outcomes that are true, out of those in which it could be made. */
function counted(outcomes: readonly Outcome[], check: string): string {
  const tried = outcomes.map(({ checks }) => checks[check]).filter(found => found !== null && found !== undefined)
  return written(tried.filter(Boolean).length, tried.length)
}

function row(name: string, outcomes: readonly Outcome[], of: readonly Column[], last = false): string {
  const cells = of.map(([check]) => counted(outcomes, check))
  return `| ${[name, ...cells, ...(stages(outcomes).length > 0 ? [cpu(outcomes, last)] : [])].join(' | ')} |`
}

function rowsBy(outcomes: readonly Outcome[], key: 'condition' | 'format', of: readonly Column[]): string[] {
  return [...Map.groupBy(outcomes, outcome => outcome[key])].map(([name, some]) => row(name, some, of))
}

function tableOf(kind: Outcome['kind'], outcomes: readonly Outcome[]): string {
  const { columns, by_format } = tables[kind]
  const split = outcomes[0]?.split
  const title = split === undefined ? tables[kind].title : `${tables[kind].title}, ${split}`
  const usable = outcomes.filter(({ condition }) => condition !== 'unusable')
  const rows = [
    ...rowsBy(outcomes, 'condition', columns),
    ...(by_format ? rowsBy(usable, 'format', columns) : []),
    row('**all usable**', usable, columns, true),
  ]
  const timed = stages(outcomes).length > 0 ? ['CPU ms, median / most'] : []
  const head = [title, ...columns.map(([, name]) => name), ...timed]
  return [`| ${head.join(' | ')} |`, `|${' - |'.repeat(head.length)}`, ...rows].join('\n')
}

/**
 * Returns the tables of the measurements, as Markdown, for each side of a split its own: counts with 95 % confidence
 * intervals.
 */
export function report(outcomes: readonly Outcome[]): string {
  return (Object.keys(tables) as Outcome['kind'][])
    .flatMap(kind => {
      const some = outcomes.filter(outcome => outcome.kind === kind)
      if (some.length === 0) return []
      const sides = [...Map.groupBy(some, ({ split }) => split).values()].map(of => tableOf(kind, of))
      return [...sides, kind === 'face' ? gateTables(some) : '', kind === 'pair' ? pairTables(some) : '']
    })
    .filter(part => part !== '')
    .join('\n\n')
}

/** Returns all counts in one table: in typical photos, in all that are usable, and in those that are not. */
export function summary(outcomes: readonly Outcome[]): string {
  const groups = [
    outcomes.filter(({ condition }) => condition === 'typical'),
    outcomes.filter(({ condition }) => condition !== 'unusable'),
    outcomes.filter(({ condition }) => condition === 'unusable'),
  ]
  const rows = (Object.keys(tables) as Outcome['kind'][]).flatMap(kind => {
    const { title, columns } = tables[kind]
    if (!outcomes.some(outcome => outcome.kind === kind)) return []
    return columns.map(([check, name]) => {
      const cells = groups.map(group =>
        counted(
          group.filter(outcome => outcome.kind === kind),
          check,
        ),
      )
      return `| ${[`${title}: ${name}`, ...cells].join(' | ')} |`
    })
  })
  return ['| | typical | all usable | unusable |', '| - | - | - | - |', ...rows].join('\n')
}
