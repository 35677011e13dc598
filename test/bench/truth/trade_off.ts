import type { Outcome } from './cases.ts'
import { written } from './intervals.ts'

/** Distances between two pictures of faces: of one person, and of two. */
export interface Distances {
  readonly same: readonly number[]
  readonly other: readonly number[]
}

const limits = [0.3, 0.35, 0.4, 0.45, 0.49, 0.5, 0.52, 0.54, 0.56, 0.58, 0.6, 0.64, 0.7]

/** Detection error trade-off (ISO/IEC 19795-1): both errors of each limit that could have been set, as Markdown. */
export const tradeOff = ({ same, other }: Distances): string => {
  const rows = limits.map(limit => {
    const matched = other.filter(distance => distance <= limit).length
    const missed = same.filter(distance => distance > limit).length
    return `| ${limit.toFixed(2)} | ${written(matched, other.length)} | ${written(missed, same.length)} |`
  })
  return ['| Limit of the distance | false match | false non-match |', '| - | - | - |', ...rows].join('\n')
}

/** The distances of the pairs among the outcomes. */
export const distancesOf = (outcomes: readonly Outcome[]): Distances => {
  const pairs = outcomes.filter(({ kind }) => kind === 'pair')
  const of = (same: boolean): number[] =>
    pairs
      .filter(({ checks }) => (checks.same_not_passed !== null) === same)
      .map(({ detail }) => Number(detail.distance))
  return { same: of(true), other: of(false) }
}
