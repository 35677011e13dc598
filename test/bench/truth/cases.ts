import type { MrzFormat } from '../../../src/analysis/port.ts'
import { type Condition, conditions } from './conditions.ts'

/** What is measured. */
export const kinds = ['mrz', 'document', 'face', 'liveness', 'limits'] as const

/** One of `kinds`. */
export type Kind = (typeof kinds)[number]

/** One thing to make and to measure; everything about it follows from these. */
export interface Case {
  readonly kind: Kind
  readonly seed: number
  readonly condition: Condition
  readonly format: MrzFormat
}

/** What came of a case. A check is null where it could not be made. */
export interface Outcome extends Case {
  readonly checks: Readonly<Record<string, boolean | null>>
  /** CPU milliseconds by stage. */
  readonly cpu_ms: Readonly<Record<string, number>>
  /** What a developer wants to see of a case that failed. */
  readonly detail: Readonly<Record<string, unknown>>
}

/** How often each format comes: those that Attestor accepts more often. */
const formats: readonly [MrzFormat, ...MrzFormat[]] = [
  'TD3',
  'TD1',
  'TD2',
  'TD3',
  'TD1',
  'TD2',
  'MRVA',
  'MRVB',
  'FRENCH_ID',
]

/** How many cases of a kind stand beside a thousand of the zone, which are the cheapest. */
const shares: Readonly<Record<Kind, number>> = { mrz: 1, document: 0.15, face: 0.1, liveness: 0.1, limits: 0 }

/** Published figures come from seeds from here on; whoever changes the engine measures with others (`--seed`). */
export const first_published_seed = 1_000_000

/** So far apart are the seeds of the kinds. */
const stride = 100_000

/** The cases of a kind: conditions and formats in turn, `typical` four times as often as each other. */
export const casesOf = (
  kind: Kind,
  { seed, cases, chosen }: { seed: number; cases: number; chosen: readonly Condition[] },
): Case[] => {
  const deck = chosen.flatMap(condition =>
    condition === 'typical' ? [condition, condition, condition, condition] : [condition],
  )
  const first = seed + kinds.indexOf(kind) * stride
  return Array.from({ length: Math.round(cases * shares[kind]) }, (_, n) => ({
    kind,
    seed: first + n,
    condition: deck[n % deck.length] ?? 'typical',
    format: formats[(n + Math.floor(n / deck.length)) % formats.length] ?? 'TD3',
  }))
}

/** All conditions, or those named; throws for a name that is none. */
export const conditionsNamed = (names: string | undefined): readonly Condition[] => {
  if (names === undefined) return conditions
  return names.split(',').map(name => {
    const found = conditions.find(condition => condition === name)
    if (found === undefined) throw new Error(`--conditions: ${name} is none of ${conditions.join(', ')}`)
    return found
  })
}
