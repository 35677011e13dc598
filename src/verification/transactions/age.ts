import type { FraudPolicy, IdentityType, TransactionType } from '@attestor/rules'
import { ApiError } from '../../base/api_error.ts'
import { refuseAge } from '../../features.ts'
import type { TransactionRequest } from './config.ts'

function invalid(field: string, rule: string): ApiError {
  return new ApiError('invalid_field', `config.${field}: ${rule}`)
}

function findSearch(policy: Partial<FraudPolicy> | null): string | null {
  return Object.entries(policy ?? {}).find(([, action]) => action !== undefined && action !== 'IGNORE')?.[0] ?? null
}

/**
 * An AGE transaction asks for an age and for nothing else, and keeps nothing that another could be compared with.
 * @throws {ApiError} `invalid_field`
 */
export function requireAgeAlone(call: TransactionRequest): void {
  const { transaction_type, age, expected_data, document_policy } = call
  if (transaction_type !== 'AGE') {
    if (age !== null) throw invalid('age', 'must be absent: only an AGE transaction asks for an age')
    return
  }
  if (age === null) throw invalid('age.over', 'is required')
  if (expected_data !== null) throw invalid('expected_data', 'must be absent: an AGE transaction compares no identity')
  const refused = refuseAge(document_policy)
  if (refused !== null) throw invalid(...refused)
  if (document_policy.unknown_document !== 'IGNORE')
    throw invalid('document_policy.unknown_document', 'must be IGNORE: an AGE transaction compares no identity')
  const search = findSearch(call.fraud_policy)
  if (search !== null)
    throw invalid(`fraud_policy.${search}`, 'must be IGNORE: an AGE transaction keeps nothing to compare with')
}

/**
 * Returns the type that engines and rules treat a transaction as: an age is proven by the same captures as an
 * onboarding.
 */
export function toIdentityType(type: TransactionType): IdentityType {
  return type === 'AGE' ? 'DOCUMENT_AND_BIOMETRIC' : type
}
