import { written } from '../../../../src/cli/intervals.ts'
import type { Outcome } from './cases.ts'

/** Lists the gates that refused a selfie; without one face that is used, no gate measures anything. */
function refusalsOf({ detail, checks }: Outcome): string[] {
  const gates = (detail.faults as { readonly name: string }[]).map(({ name }) => `\`${name}\``)
  return checks.found === true || gates.length > 0 ? [...new Set(gates)] : ['not one face']
}

const columns = ['refuses of the usable', 'of which alone', 'refuses of the unfit', 'of which alone']

/**
 * Returns a row for each gate, as Markdown: the fit selfies that it costs, the unfit ones that it stops, and those of
 * them that no other gate would.
 */
function gateTable(selfies: readonly Outcome[], title: string): string {
  const refused = selfies.map(one => ({ usable: one.detail.expect === 'usable', by: refusalsOf(one) }))
  const sides = [true, false].map(usable => refused.filter(one => one.usable === usable))
  const rows = [...new Set(refused.flatMap(({ by }) => by))].sort().map(gate => {
    const cells = sides.flatMap(some => {
      const stopped = some.filter(({ by }) => by.includes(gate))
      const alone = stopped.filter(({ by }) => by.length === 1)
      return [written(stopped.length, some.length), some.length === 0 ? '–' : String(alone.length)]
    })
    return `| ${[gate, ...cells].join(' | ')} |`
  })
  return [`| ${[title, ...columns].join(' | ')} |`, '| - | - | - | - | - |', ...rows].join('\n')
}

/**
 * Returns the gates of labelled selfies, of each side of a split and of all; empty if no label names the expected
 * finding.
 */
export function gateTables(outcomes: readonly Outcome[]): string {
  const labelled = outcomes.filter(({ kind, detail }) => kind === 'face' && detail.expect !== undefined)
  if (labelled.length === 0) return ''
  const sides = [...Map.groupBy(labelled, ({ split }) => split ?? '')].sort(([one], [other]) =>
    one.localeCompare(other),
  )
  return [
    ...(sides.length > 1 ? sides.map(([split, some]) => gateTable(some, `Gate, ${split}`)) : []),
    gateTable(labelled, 'Gate'),
  ].join('\n\n')
}
