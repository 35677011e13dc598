import type { MeasuredLimit } from '@attestor/vision/testing'
import { ruleOfThree, wilson } from '../../src/cli/intervals.ts'

/** A list of `bench/pictures`, as far as it names the people whom it shows. */
export interface PeopleList {
  readonly shows?: string
  readonly pictures: readonly { readonly subject: string }[]
}

/** Returns the fault of a limit's measured cost; null if there is none. */
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

/** Lists the limits whose cost was not measured, each with the missing part. */
export function findUnmeasured(
  limits: Readonly<Record<string, Partial<MeasuredLimit>>>,
  lists: ReadonlyMap<string, PeopleList>,
): readonly string[] {
  return Object.entries(limits).flatMap(([name, limit]) => {
    const fault = findFault(limit, lists)
    return fault === null ? [] : [`${name} ${fault}`]
  })
}

/** A number that is given to a limit's name, or to a false match rate as its distance. */
const bareLimit = /(\b\w*(?:threshold|limit|_below|_above|same_picture|continuity|nearest)|'0\.\d+)\w*'?\s*[:=]\s*-?\d/i

/**
 * Lists the lines of source files that give a limit as a number alone, without the people on whom it was measured
 * beside it.
 */
export function findBareLimits(sources: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(sources).flatMap(([file, source]) =>
    source.split('\n').flatMap((line, n) => {
      const [, name] = line.includes('loss:') ? [] : (bareLimit.exec(line) ?? [])
      return name === undefined ? [] : [`${file}:${n + 1} ${name} has no people beside it`]
    }),
  )
}
