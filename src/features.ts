import type { DocumentPolicy } from '@attestor/rules'
import type { Statement, Store } from 'durable-xstate-sql'
import type { z } from 'zod'
import type { StepProgress } from '../machines/capture.ts'
import type { TransactionContext } from '../machines/transaction.ts'
import { attestation } from './attestation/feature.ts'
import { mapValues } from './base/collections.ts'
import { chip } from './chip/feature.ts'
import { duplicates } from './duplicates/feature.ts'
import type { Feature, FeatureCapture, RecordCase, ReportPart } from './feature.ts'
import { handoff } from './handoff/feature.ts'
import { wallet } from './wallet/feature.ts'

/** All features, in the order of the documentation. */
const all = { chip, wallet, duplicates, handoff, attestation } as const

export type FeatureName = keyof typeof all

type All = (typeof all)[FeatureName]

/** The types of one part, of the features that have it. */
type Part<K extends keyof Feature, F = All> = F extends Readonly<Record<K, infer P>> ? P : never

type Joined<U> = (U extends unknown ? (of: U) => void : never) extends (of: infer I) => void ? I : never
type Argument<U> = Joined<U extends (of: infer A) => unknown ? A : never>
type Answer<U> = U extends (...of: never) => infer R ? R : never

const features: readonly Feature[] = Object.values(all)

/** Joins the members that features have in one part. */
function join<
  K extends
    | 'settings'
    | 'policy'
    | 'session'
    | 'document'
    | 'result'
    | 'metadata'
    | 'reactions'
    | 'switches'
    | 'counters'
    | 'rates'
    | 'scenes',
>(part: K): Joined<Part<K>> {
  return Object.assign({}, ...features.map(feature => feature[part]))
}

/** Returns a function that calls all features which have this one, and joins the members that they answer. */
function joinAnswers<K extends 'config' | 'stored' | 'limits' | 'limitsOf'>(
  name: K,
): (of: Argument<Part<K>>) => Joined<Answer<Part<K>>> {
  return of =>
    Object.assign(
      {},
      ...features.map(feature => (feature[name] as undefined | ((of: object) => object))?.(of as object)),
    )
}

export const featureSettings = join('settings')
export const featurePolicy = join('policy')
export const featureSession = join('session')
export const featureDocument = join('document')
export const featureResult = join('result')
export const featureMetadata = join('metadata')
export const featureReactions = join('reactions')
export const featureSwitches = join('switches')
export const featureCounters = join('counters')
export const featureRates = join('rates')
export const featureScenes = join('scenes')
export const readFeatureConfig = joinAnswers('config')
export const readFeatureStored = joinAnswers('stored')
export const readFeatureLimits = joinAnswers('limits')
export const readLimitsOf = joinAnswers('limitsOf')

/** The members of `config` as they are stored. */
export type FeatureConfig = z.output<z.ZodObject<ReturnType<typeof readFeatureConfig>>>

/** The members of the stored configuration that no call sets. */
export type FeatureStored = ReturnType<typeof readFeatureStored>

type Capture = Part<'capture'>

export type FeatureStep = Capture['step']

/** The kinds of rows of features' captures. */
export type FeatureKind = Capture['kind']

/** Captures beside the pictures. */
export const featureCaptures = Object.values(all).flatMap((feature): readonly (FeatureCapture & Capture)[] =>
  'capture' in feature ? [feature.capture] : [],
)

export const featureSteps = featureCaptures.map(({ step }) => step)

/** The uploads that a limit counts. */
export const uploadsInWords = ['images', ...featureCaptures.flatMap(({ words }) => words.files)].join(' and ')

/** Steps that a person is sent to. */
export const askedSteps = featureCaptures.flatMap(({ is_asked, step }) =>
  is_asked ? [step] : [],
) satisfies readonly StepProgress['step'][]

/** The steps of captures, by the kinds of their rows. */
export const featureStepOf = Object.fromEntries(featureCaptures.map(({ kind, step }) => [kind, step])) as {
  readonly [C in Capture as C['kind']]: C['step']
}

/** The events that take captures back, by their steps. */
export const featureDrops = Object.fromEntries(featureCaptures.map(({ step, drop }) => [step, drop])) as {
  readonly [C in Capture as C['step']]: C['drop']
}

/** Lists the features' steps before the pictures. */
export function listStepsBefore(context: TransactionContext): readonly StepProgress[] {
  return features.flatMap(feature => feature.stepBefore?.(context) ?? [])
}

/** Lists the features' steps after the pictures, which are never required. */
export function listStepsAfter(of: Argument<Part<'stepAfter'>>) {
  return Object.values(all).flatMap(feature => ('stepAfter' in feature ? (feature.stepAfter(of) ?? []) : []))
}

/** Returns the first field that an `AGE` transaction can't have, and the rule; null if there is none. */
export function refuseAge(policy: DocumentPolicy) {
  return features.map(feature => feature.refuseAge?.(policy) ?? null).find(refused => refused !== null) ?? null
}

/** Captures that say something of the device. */
export const featureReports: readonly ReportPart[] = features.flatMap(({ report }) => report ?? [])

export type FeatureCounter = keyof typeof featureCounters

export type FeatureSwitch = keyof typeof featureSwitches

/** The switches of an account, as a transaction that is opened now has them. */
export type FeatureSwitches = Readonly<Record<FeatureSwitch, boolean>>

export const featureSwitchNames = Object.keys(featureSwitches) as FeatureSwitch[]

/** The columns of `selectSwitches`. */
export const switchColumns = mapValues(featureSwitches, () => 'count' as const)

/** Returns SQL that selects the switches of the account of this id, after other columns. */
export function selectSwitches(id: string): string {
  return featureSwitchNames.map(name => `, (${featureSwitches[name].count(id)}) AS ${name}`).join('')
}

function listRows(part: 'erased' | 'removed') {
  return features.flatMap(feature =>
    Object.entries(feature[part] ?? {}).flatMap(([table, columns]) => columns.map(column => ({ table, column }))),
  )
}

/** The columns that name a transaction in features' tables whose rows are deleted when it is erased. */
export const erasedRows = listRows('erased')

/** The same of all rows, which are deleted when the transaction is removed. */
export const removedRows = [...erasedRows, ...listRows('removed')]

/** Returns the statements that take an erased face out of features' tables. */
export function removeFeatureFace(account_id: string, customer_id: string): readonly Statement[] {
  return features.flatMap(feature => feature.removeFace?.(account_id, customer_id) ?? [])
}

/** Returns the features' members of a session. */
export async function describeFeatures(
  of: Argument<Part<'describe'>>,
): Promise<Joined<Awaited<Answer<Part<'describe'>>>>> {
  return Object.assign({}, ...(await Promise.all(Object.values(all).map(one => 'describe' in one && one.describe(of)))))
}

/** Returns the features' members of a transaction's record for operators. */
export async function readFeatureRecord(
  store: Store,
  of: RecordCase,
): Promise<Joined<Awaited<Answer<Part<'record'>>>>> {
  return Object.assign({}, ...(await Promise.all(features.map(feature => feature.record?.(store, of)))))
}
