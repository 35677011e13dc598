import type { MrzFormat } from '@attestor/rules'
import { type Condition, conditions } from './conditions.ts'
import { faceConditions } from './heads.ts'

/** The kinds of cases, each with its own way to make and to measure one. */
export const kinds = ['mrz', 'document', 'face', 'liveness'] as const

/** One of `kinds`. */
export type Kind = (typeof kinds)[number]

/** A format of a zone, or a driving licence with a barcode. */
export type DocumentFormat = MrzFormat | 'AAMVA'

/** One thing to make and to measure; everything about it follows from these. */
export interface Case {
  readonly kind: Kind
  readonly seed: number
  readonly condition: Condition
  readonly format: DocumentFormat
}

/** The outcome of a case, of a user's photo or of a pair of selfies. */
export interface Outcome {
  readonly kind: Kind | 'pair' | 'picture' | 'blink'
  /** The case's seed, or the photo's place in the user's labels. */
  readonly seed: number
  readonly condition: string
  readonly format: string
  /** The side of the split that a labelled picture is on: limits may be set by `calibration` alone. */
  readonly split?: string | undefined
  /** A check is null if it could not be made. */
  readonly checks: Readonly<Record<string, boolean | null>>
  /** CPU milliseconds by stage. */
  readonly cpu_ms: Readonly<Record<string, number>>
  /** Details of a case that failed, for a developer. */
  readonly detail: Readonly<Record<string, unknown>>
}

/** The formats in turn: those that Attestor accepts come more often. */
const zones: readonly MrzFormat[] = ['TD3', 'TD1', 'TD2', 'TD3', 'TD1', 'TD2', 'MRVA', 'MRVB', 'FRENCH_ID']

/** Only whole documents have a barcode; a visa identifies nobody, and is left to the zone's table. */
const documents: readonly DocumentFormat[] = ['TD3', 'TD1', 'TD2', 'TD3', 'TD1', 'AAMVA', 'FRENCH_ID']

/** Number of cases of each kind for one of the zone. */
const shares: Readonly<Record<Kind, number>> = { mrz: 1, document: 0.2, face: 0.4, liveness: 0.12 }

/** Published figures come from seeds from here on; measure with others when you change the engine (`--seed`). */
export const firstPublishedSeed = 1_000_000

/** The seeds of the kinds are this far apart. */
const stride = 100_000

/** Lists the cases of a kind: conditions and formats in turn, `typical` four times as often as each other. */
export function casesOf(
  kind: Kind,
  { seed, cases, chosen }: { readonly seed: number; readonly cases: number; readonly chosen: readonly Condition[] },
): Case[] {
  const apt = kind === 'face' || kind === 'liveness' ? chosen.filter(one => faceConditions.includes(one)) : chosen
  const deck = apt.flatMap(one => (one === 'typical' ? [one, one, one, one] : [one]))
  const first = seed + kinds.indexOf(kind) * stride
  const formats = kind === 'document' ? documents : zones
  return Array.from({ length: deck.length === 0 ? 0 : Math.round(cases * shares[kind]) }, (_, n) => ({
    kind,
    seed: first + n,
    condition: deck[n % deck.length] ?? 'typical',
    format: formats[(n + Math.floor(n / deck.length)) % formats.length] ?? 'TD3',
  }))
}

/**
 * Merges several lists into one in which each goes on evenly, so that all kinds have had their share wherever a run
 * ends.
 */
export function interleaved(lists: readonly (readonly Case[])[]): Case[] {
  return lists
    .flatMap(list => list.map((one, at) => ({ one, at: (at + 0.5) / list.length })))
    .sort((first, second) => first.at - second.at)
    .map(({ one }) => one)
}

function named<T extends string>(option: string, given: string | undefined, known: readonly T[]): readonly T[] {
  return given === undefined
    ? known
    : given.split(',').map(name => {
        const found = known.find(one => one === name)
        if (found === undefined) throw new Error(`--${option}: ${name} is none of ${known.join(', ')}`)
        return found
      })
}

/** Returns all conditions, or those named; throws for a name that is none. */
export function conditionsNamed(names: string | undefined): readonly Condition[] {
  return named('conditions', names, conditions)
}

/** Returns all kinds, or those named; throws for a name that is none. */
export function kindsNamed(names: string | undefined): readonly (Kind | 'limits')[] {
  return named('only', names, [...kinds, 'limits'])
}
