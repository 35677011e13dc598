import { atMost, conclude, type RuleResult } from './decision.ts'
import type { PolicyAction } from './device_policy.ts'
import { createIssue, createIssueOfType, type IssueDetails } from './issues.ts'
import type { IdentityType } from './words.ts'

/**
 * The specification has no such policy: nothing is searched, and nothing is stored for a search, until an integrator
 * asks.
 */
export const defaultFraudPolicy = {
  on_document_of_another_customer: 'IGNORE',
  on_image_of_another_transaction: 'IGNORE',
  // Applies only to an account that searches its faces.
  on_face_of_another_customer: 'IGNORE',
} satisfies Readonly<Record<string, PolicyAction>>

/** `config.fraud_policy`, complete. */
export type FraudPolicy = Readonly<Record<keyof typeof defaultFraudPolicy, PolicyAction>>

export function isAnySearched(policy: FraudPolicy): boolean {
  return Object.values(policy).some(action => action !== 'IGNORE')
}

/** The account's other customers and transactions that share something with a transaction. */
export interface SharedWithOthers {
  readonly customers: number
  /** The newest of their transactions. */
  readonly transaction_ids: readonly string[]
}

/** The account's transactions with the same document, this one included. */
export interface DocumentUses extends SharedWithOthers {
  readonly transactions_24_hours: number
  readonly transactions_30_days: number
}

/** The account's other enrolled faces that are nearer to the selfie than a limit. */
export interface FaceMatches extends SharedWithOthers {
  readonly faces_searched: number
  /**
   * The largest distance that counts. Less than one search in a thousand finds a stranger below it, among so many
   * faces.
   */
  readonly limit: number
  /** The distance of the nearest face; null where none was searched. */
  readonly nearest: number | null
}

/** The data that other customers of the account have in common with this one. Null: not searched, or not evaluable. */
export interface Duplicates {
  readonly document: DocumentUses | null
  readonly images: SharedWithOthers | null
  readonly face: FaceMatches | null
}

/**
 * Selects the findings that a policy asks for. A result has nothing about a rule that is IGNORE, in spite of any
 * findings.
 */
export function selectSearched(duplicates: Duplicates, policy: FraudPolicy): Duplicates {
  return {
    document: policy.on_document_of_another_customer === 'IGNORE' ? null : duplicates.document,
    images: policy.on_image_of_another_transaction === 'IGNORE' ? null : duplicates.images,
    face: policy.on_face_of_another_customer === 'IGNORE' ? null : duplicates.face,
  }
}

/** Finds the shared data; then the issue of a match. Another issue reports that it could not be evaluated. */
type Rule = readonly [find: (duplicates: Duplicates) => SharedWithOthers | null, found: FraudCode]

type FraudCode = 'DOCUMENT_OF_ANOTHER_CUSTOMER' | 'IMAGE_OF_ANOTHER_TRANSACTION' | 'FACE_OF_ANOTHER_CUSTOMER'

const rules: Readonly<Record<keyof FraudPolicy, Rule>> = {
  on_document_of_another_customer: [({ document }) => document, 'DOCUMENT_OF_ANOTHER_CUSTOMER'],
  on_image_of_another_transaction: [({ images }) => images, 'IMAGE_OF_ANOTHER_TRANSACTION'],
  on_face_of_another_customer: [({ face }) => face, 'FACE_OF_ANOTHER_CUSTOMER'],
}

function applyRule(name: keyof FraudPolicy, duplicates: Duplicates, policy: FraudPolicy): readonly RuleResult[] {
  const action = policy[name]
  if (action === 'IGNORE') return []
  const [find, code] = rules[name]
  const found = find(duplicates)
  if (found === null) return [conclude(name, 'NOT_EXECUTED', [createIssue(`${code}_NOT_EVALUABLE`)])]
  const measured = atMost({ score: found.customers, threshold: 0 })
  if (found.customers === 0) return [conclude(name, 'PASSED', [], measured)]
  const details = Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null)) as IssueDetails
  return [conclude(name, 'REJECTED', [createIssueOfType(code, action, details)], measured)]
}

/** Applies a policy to the findings. A rule that is IGNORE has no result; a step-up shows no document. */
export function applyFraudPolicy(
  duplicates: Duplicates,
  type: IdentityType,
  policy: FraudPolicy,
): readonly RuleResult[] {
  const names = Object.keys(rules) as readonly (keyof FraudPolicy)[]
  const applied = names.filter(name => type !== 'BIOMETRIC_ONLY' || name !== 'on_document_of_another_customer')
  return applied.flatMap(name => applyRule(name, duplicates, policy))
}
