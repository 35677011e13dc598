import { atMost, conclude, type RuleResult } from './decision.ts'
import type { PolicyAction } from './device_policy.ts'
import type { TransactionType } from './findings.ts'
import { createIssue, createIssueOfType, type IssueCode, type IssueDetails } from './issues.ts'

export const defaultFraudPolicy = {
  on_document_of_another_customer: 'WARN',
  on_image_of_another_transaction: 'WARN',
  // Only of an account that searches its faces.
  on_face_of_another_customer: 'IGNORE',
} satisfies Readonly<Record<string, PolicyAction>>

/** `config.fraud_policy`, complete. */
export type FraudPolicy = Readonly<Record<keyof typeof defaultFraudPolicy, PolicyAction>>

/** What a transaction shares with those of the account's other customers. */
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
  /** By it, less than one search in a thousand among so many faces of strangers finds one. */
  readonly limit: number
  /** The distance of the nearest face; null where none was searched. */
  readonly nearest: number | null
}

/** What other customers of the account have in common with this one. Null: not looked for, or not evaluable. */
export interface Duplicates {
  readonly document: DocumentUses | null
  readonly images: SharedWithOthers | null
  readonly face: FaceMatches | null
}

interface Rule {
  readonly policy: keyof FraudPolicy
  readonly find: (duplicates: Duplicates) => SharedWithOthers | null
  readonly found: IssueCode
  readonly missing: IssueCode
}

const documentRule: Rule = {
  policy: 'on_document_of_another_customer',
  find: ({ document }) => document,
  found: 'DOCUMENT_OF_ANOTHER_CUSTOMER',
  missing: 'DOCUMENT_OF_ANOTHER_CUSTOMER_NOT_EVALUABLE',
}

const otherRules: readonly Rule[] = [
  {
    policy: 'on_image_of_another_transaction',
    find: ({ images }) => images,
    found: 'IMAGE_OF_ANOTHER_TRANSACTION',
    missing: 'IMAGE_OF_ANOTHER_TRANSACTION_NOT_EVALUABLE',
  },
  {
    policy: 'on_face_of_another_customer',
    find: ({ face }) => face,
    found: 'FACE_OF_ANOTHER_CUSTOMER',
    missing: 'FACE_OF_ANOTHER_CUSTOMER_NOT_EVALUABLE',
  },
]

function applyRule(rule: Rule, duplicates: Duplicates, policy: FraudPolicy): readonly RuleResult[] {
  const action = policy[rule.policy]
  if (action === 'IGNORE') return []
  const found = rule.find(duplicates)
  if (found === null) return [conclude(rule.policy, 'NOT_EXECUTED', [createIssue(rule.missing)])]
  const measured = atMost({ score: found.customers, threshold: 0 })
  if (found.customers === 0) return [conclude(rule.policy, 'PASSED', [], measured)]
  const details = Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null)) as IssueDetails
  return [conclude(rule.policy, 'REJECTED', [createIssueOfType(rule.found, action, details)], measured)]
}

/** Applies a policy to what was found. A rule that is IGNORE has no result; a step-up shows no document. */
export function applyFraudPolicy(
  duplicates: Duplicates,
  type: TransactionType,
  policy: FraudPolicy,
): readonly RuleResult[] {
  const rules = type === 'BIOMETRIC_ONLY' ? otherRules : [documentRule, ...otherRules]
  return rules.flatMap(rule => applyRule(rule, duplicates, policy))
}
