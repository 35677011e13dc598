import { written } from '../../../../src/cli/intervals.ts'
import { getFaceLimits } from '../../face/comparison.ts'
import { mobileFaceNet } from '../../face/mobile_face_net.ts'
import { type FalseMatchRate, falseMatchRates } from '../../port.ts'
import type { Outcome } from './cases.ts'

/** Distances between two pictures of faces: of one person, and of two. */
export interface Distances {
  readonly same: readonly number[]
  readonly other: readonly number[]
}

/** Distances by the side of the split that both pictures are on; the name is empty if there is no split. */
export type SplitDistances = ReadonlyMap<string, Distances>

const limits = [0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7]

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '-'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

function titled(title: string, split: string): string {
  return split === '' ? title : `${title}, ${split}`
}

function counted(list: readonly number[], holds: (distance: number) => boolean): string {
  return written(list.filter(holds).length, list.length)
}

/**
 * Returns the detection error trade-off (ISO/IEC 19795-1) as Markdown: both errors of each limit that could have been
 * set.
 */
export function tradeOff(sides: SplitDistances): string {
  const names = [...sides.keys()]
  const head = ['false match', 'false non-match'].flatMap(title => names.map(name => titled(title, name)))
  const rows = limits.map(limit => [
    limit.toFixed(2),
    ...[...sides.values()].map(({ other }) => counted(other, distance => distance <= limit)),
    ...[...sides.values()].map(({ same }) => counted(same, distance => distance > limit)),
  ])
  return table(['Limit of the distance', ...head], rows)
}

/**
 * Returns the number of pairs that fall between the two limits of each false match rate, where a comparison is
 * inconclusive.
 */
export function bandTable(sides: SplitDistances): string {
  const head = [
    'one person, inconclusive',
    'one person, reported as two',
    'two people, inconclusive',
    'two people, accepted',
  ]
  const rowOf = (rate: FalseMatchRate, [split, { same, other }]: [string, Distances]): string[] => {
    const { accept_below, reject_above } = getFaceLimits(mobileFaceNet, rate)
    const inBand = (distance: number): boolean => distance > accept_below && distance <= reject_above
    return [
      titled(`${rate}: ${accept_below} to ${reject_above}`, split),
      counted(same, inBand),
      counted(same, distance => distance > reject_above),
      counted(other, inBand),
      counted(other, distance => distance <= accept_below),
    ]
  }
  return table(
    ['False match rate, and its band', ...head],
    falseMatchRates.flatMap(rate => [...sides].map(side => rowOf(rate, side))),
  )
}

function distancesOf(pairs: readonly Outcome[]): Distances {
  const of = (same: boolean): number[] =>
    pairs
      .filter(({ checks }) => (checks.same_not_passed !== null) === same)
      .map(({ detail }) => Number(detail.distance))
  return { same: of(true), other: of(false) }
}

function splitDistances(pairs: readonly Outcome[]): SplitDistances {
  return new Map(
    [...Map.groupBy(pairs, ({ split }) => split ?? '')]
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([split, some]) => [split, distancesOf(some)]),
  )
}

/** Conditions of labelled pictures that are ordinary photographs, in colour and not from a laboratory. */
const photographs = ['photo', 'portrait', 'small', 'turned', 'selfie', 'press photo']

function arePhotographs({ detail }: Outcome): boolean {
  return (detail.conditions as readonly string[]).every(condition => photographs.includes(condition))
}

/** Returns the pairs of two people of one group who are taken for one, at the limit of each false match rate. */
function groupTable(pairs: readonly Outcome[]): string {
  const accepted = falseMatchRates.map(rate => getFaceLimits(mobileFaceNet, rate).accept_below)
  const rows = [...Map.groupBy(pairs, ({ detail }) => detail.group as string | undefined)]
    .filter(([group]) => group !== undefined)
    .map(([group, some]) => {
      const { other } = distancesOf(some)
      return [group ?? '', ...accepted.map(limit => counted(other, distance => distance <= limit))]
    })
    .sort()
  return table(['Two people of', ...accepted.map(limit => `accepted at ${limit}`)], rows)
}

/**
 * Returns both tables of all pairs, of those of two photographs in colour, and of those in each condition that has any
 * of one person.
 */
export function pairTables(pairs: readonly Outcome[]): string {
  const byCondition = [...Map.groupBy(pairs, ({ condition }) => condition)].filter(([, some]) =>
    some.some(({ checks }) => checks.same_not_passed !== null),
  )
  const groups = new Map([
    ['All pairs', pairs],
    ['Two photographs in colour', pairs.filter(arePhotographs)],
    ...byCondition,
  ])
  return [...groups]
    .filter(([name, some]) => some.length > 0 && (name === 'All pairs' || some.length < pairs.length))
    .map(([name, some]) => [name, splitDistances(some)] as const)
    .map(([name, sides]) => `${name}:\n\n${tradeOff(sides)}\n\n${bandTable(sides)}`)
    .concat(groupTable(pairs))
    .join('\n\n')
}
