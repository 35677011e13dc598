import { get, type Query } from '../api.ts'
import { el, fill } from '../dom.ts'
import type { MatchCounts } from '../shapes.ts'
import { word } from '../words.ts'

export const outcomes = ['approved', 'rejected', 'undetermined', 'failed', 'expired', 'open', 'erased'] as const

const numbers = new Intl.NumberFormat('en-GB')

export function formatCount(count: number): string {
  return numbers.format(count)
}

function describe({ total, is_cut, ...counts }: MatchCounts): string {
  if (total === 0) return ''
  const parts = outcomes
    .filter(outcome => counts[outcome] > 0)
    .map(outcome => `${formatCount(counts[outcome])} ${word('overview', outcome).toLowerCase()}`)
  const all = formatCount(total)
  return `${is_cut ? `${all} or more found; of the newest ${all}` : `${all} found`}: ${parts.join(', ')}`
}

/** A line that counts the results of a search. */
export function totalsLine(query: () => Query, signal: AbortSignal) {
  const element = el('p', { class: 'totals', role: 'status' })
  let generation = 0
  return {
    element,
    async reload(): Promise<void> {
      const own = ++generation
      const counts = await get<MatchCounts>('/transaction-count', query(), signal)
      if (own === generation) fill(element, describe(counts))
    },
  }
}
