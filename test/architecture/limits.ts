import type { MeasuredLimit } from '@attestor/vision/testing'
import { ruleOfThree, wilson } from '../../src/cli/intervals.ts'

/** A list of `bench/pictures`, as far as it says whom it shows. */
export interface PeopleList {
  readonly shows?: string
  readonly pictures: readonly { readonly subject: string }[]
}

/** What is wrong with where a limit's cost was measured; null where nothing is. */
function findFault({ loss }: Partial<MeasuredLimit>, lists: ReadonlyMap<string, PeopleList>): string | null {
  if (loss === undefined) return 'names nobody on whom it was measured'
  const { set, people, tried, lost, below } = loss
  const list = lists.get(set)
  if (list === undefined) return `names ${set}, which is no list of bench/pictures`
  if (list.shows !== 'people in colour video' && list.shows !== 'people in colour')
    return `names ${set}, which shows no people in colour`
  if (people < 1 || people > new Set(list.pictures.map(({ subject }) => subject)).size)
    return `names more or fewer people than ${set} has`
  const high = 100 * (lost === 0 ? ruleOfThree(tried) : wilson(lost, tried).high)
  return Math.abs(high - below) <= 0.01 * below + 0.01
    ? null
    : `ends its interval at ${below} %, not at ${high.toFixed(2)} %`
}

/** The limits that nobody knows the cost of, each with what is missing. */
export function findUnmeasured(
  limits: Readonly<Record<string, Partial<MeasuredLimit>>>,
  lists: ReadonlyMap<string, PeopleList>,
): readonly string[] {
  return Object.entries(limits).flatMap(([name, limit]) => {
    const fault = findFault(limit, lists)
    return fault === null ? [] : [`${name} ${fault}`]
  })
}
