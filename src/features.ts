import type { DocumentPolicy, IssueCode } from '@attestor/rules'
import type { z } from 'zod'
import type { StepProgress } from '../machines/capture.ts'
import type { TransactionContext } from '../machines/transaction.ts'
import { chip } from './chip/feature.ts'
import type { SceneChange } from './engines/scene.ts'
import type { Feature, FeatureCase, FieldTypes } from './feature.ts'
import { wallet } from './wallet/feature.ts'

const all = { chip, wallet } as const satisfies Readonly<Record<string, Feature>>

type All = typeof all
type Name = keyof All

/** Makes types refuse a list that a feature is missing from. */
type Each<T> = Readonly<Record<Name, T>>

export const features: readonly Feature[] = Object.values(all)

/** The uploads that a limit counts. */
export const uploadsInWords = ['images', ...features.flatMap(({ words }) => words.files)].join(' and ')

/** Settings, in the order of the documentation. */
export const featureSettings = { ...chip.settings, ...wallet.settings }

/** Members of a session. */
export const sessionMembers = { chip: chip.schemas.session, wallet: wallet.schemas.session } satisfies Each<z.ZodType>

/** Members of the data of a document. */
export const documentMembers = {
  wallet: wallet.schemas.document,
  chip: chip.schemas.document,
} satisfies Each<z.ZodType>

/** Members of `config.document_policy`. */
export const documentPolicyMembers = { ...chip.schemas.document_policy, ...wallet.schemas.document_policy }

/** Members of `config`. */
export function configMembers(types: FieldTypes) {
  return { ...chip.schemas.config(types), ...wallet.schemas.config() }
}

/** The members of `config` as they are stored. */
export type FeatureConfig = z.output<z.ZodObject<ReturnType<typeof configMembers>>>

/** A scene for each issue code that a feature raises. */
export const featureScenes = { ...chip.scenes, ...wallet.scenes } satisfies Partial<Record<IssueCode, SceneChange>>

export type FeatureStep = All[Name]['capture']['step']

/** The kinds of rows of features' captures. */
export type FeatureKind = All[Name]['capture']['kind']

export const featureSteps: readonly FeatureStep[] = Object.values(all).map(({ capture }) => capture.step)

type AskedStep = Extract<FeatureStep, StepProgress['step']>

/** Steps that a person is sent to. */
export const askedSteps = Object.values(all).flatMap(({ capture }) =>
  capture.is_asked ? [capture.step] : [],
) satisfies readonly AskedStep[]

type DropEvents = { readonly [N in Name as All[N]['capture']['step']]: All[N]['capture']['drop'] }

/** The steps of captures, by the kinds of their rows. */
export const featureStepOf: { readonly [N in Name as All[N]['capture']['kind']]: All[N]['capture']['step'] } = {
  [chip.capture.kind]: chip.capture.step,
  [wallet.capture.kind]: wallet.capture.step,
}

/** The events that take captures back, by their steps. */
export const featureDrops: DropEvents = {
  [chip.capture.step]: chip.capture.drop,
  [wallet.capture.step]: wallet.capture.drop,
}

/** A transaction, as far as features describe it. */
export type DescribedCase = Parameters<typeof chip.describe>[0] & Parameters<typeof wallet.describe>[0]

/** Returns the features' members of a session. */
export function describeFeatures(of: DescribedCase) {
  return { chip: chip.describe(of), wallet: wallet.describe(of) } satisfies Each<object | null>
}

/** Lists the features' steps before the pictures. */
export function listStepsBefore(context: TransactionContext): readonly StepProgress[] {
  return features.flatMap(feature => feature.stepBefore(context) ?? [])
}

/** Lists the features' steps after the pictures, which are never required. */
export function listStepsAfter(of: DescribedCase) {
  return [chip.stepAfter(of), wallet.stepAfter()].filter(step => step !== null)
}

/** Returns the limits of every transaction that features have. */
export function readFeatureLimits(settings: Parameters<typeof wallet.limits>[0]) {
  return { ...chip.limits(), ...wallet.limits(settings) }
}

/** Returns the limits of one transaction that features have. */
export function readLimitsOf(config: FeatureCase['config']) {
  return { ...chip.limitsOf(), ...wallet.limitsOf(config) }
}

/** Returns the first field that an `AGE` transaction can't have, and the rule; null if there is none. */
export function refuseAge(policy: DocumentPolicy) {
  return features.map(feature => feature.refuseAge(policy)).find(refused => refused !== null) ?? null
}
