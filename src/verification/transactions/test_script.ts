import {
  type AgePolicy,
  type Decision,
  decisions,
  defaultFraudPolicy,
  devicePolicyNames,
  type FraudPolicy,
  findAction,
  type JudgeInput,
  judge,
  judgeAge,
  type ResultData,
  transactionTypes,
} from '@attestor/rules'
import type { AnalysisRequest } from '@attestor/vision'
import { ApiError } from '../../base/api_error.ts'
import type { Scene } from '../../engines/scene.ts'
import { scriptedFace } from '../../engines/scripted.ts'
import { toIdentityType } from './age.ts'
import type { RequestedTest, TestScript, TransactionConfig, TransactionRequest } from './config.ts'
import { createScene, type ScriptedCode, scriptedCodes } from './scenes.ts'

export interface ScriptContext {
  readonly is_test: boolean
  readonly is_enrolled: boolean
  readonly today: string
}

/** A call whose policies are complete. */
type ScriptedCall = TransactionRequest & Pick<TransactionConfig, 'fraud_policy'>

type RehearsalInput = Pick<
  ScriptedCall,
  'transaction_type' | 'device_policy' | 'fraud_policy' | 'document_policy' | 'expected_data' | 'age'
> &
  Pick<ScriptContext, 'is_enrolled' | 'today'>

/** The issues of a decision that is requested without issues. */
function pickIssues(decision: Decision, { transaction_type, is_enrolled }: RehearsalInput): readonly ScriptedCode[] {
  if (decision === 'APPROVED') return []
  if (transaction_type === 'AGE') return decision === 'REJECTED' ? ['AGE_NOT_REACHED'] : ['AGE_NOT_EVALUABLE']
  const isCompared = transaction_type === 'DOCUMENT_AND_BIOMETRIC' || is_enrolled
  if (decision === 'REJECTED') return isCompared ? ['FACE_MISMATCH'] : ['LIVENESS_CHALLENGE_FAILED']
  if (transaction_type === 'DOCUMENT_AND_BIOMETRIC') return ['DOCUMENT_NOT_READABLE']
  return isCompared ? ['FACE_MATCH_INCONCLUSIVE'] : ['FACE_NOT_ENROLLED']
}

/** The script of an approval. */
export const plainScript: TestScript = { issues: [], second_issues: [], failure: null, delay_seconds: 0, webhook: null }

const plainRequest: RequestedTest = { ...plainScript, decision: null }

function invalidField(field: string, message: string): ApiError {
  return new ApiError('invalid_field', `${field}: ${message}`)
}

/**
 * Parses a magic `reference`, for integrations that can't send `config.test`: `test:rejected`, `test:failed`,
 * `test:expired_document` and so on. Null for any other reference.
 */
function parseReferenceScript(reference: string | null): RequestedTest | null {
  const word = /^test:([a-z_]{1,60})$/.exec(reference ?? '')?.[1]?.toUpperCase()
  if (word === undefined) return null
  if (word === 'FAILED') return { ...plainRequest, failure: 'ANALYSIS_ERROR' }
  const decision = decisions.find(known => known === word)
  if (decision !== undefined) return { ...plainRequest, decision }
  const issue = scriptedCodes.find(code => code === word)
  if (issue === undefined)
    throw invalidField('config.reference', 'test: must be followed by a decision, failed or an issue')
  return { ...plainRequest, issues: [issue] }
}

/** Creates the scene of a script; the ordinary rules judge it. */
export function createScriptedScene(
  { issues }: Pick<TestScript, 'issues'>,
  request: AnalysisRequest,
  expected_data: TransactionRequest['expected_data'],
  today: string,
): Scene {
  return createScene(issues, { request, expected_data, today })
}

const noCaptures = { document_front: null, document_back: null, selfie: null, challenge: null }

type RehearsedResult = Pick<ResultData, 'decision' | 'issues'>

const exampleAge: AgePolicy = { over: 18 }

/** Judges the scene in advance. */
function rehearse(issues: readonly ScriptedCode[], of: RehearsalInput): RehearsedResult {
  const { device_policy, fraud_policy, document_policy, expected_data, is_enrolled, today } = of
  const transaction_type = toIdentityType(of.transaction_type)
  const enrolled_face = is_enrolled ? scriptedFace : null
  const request: AnalysisRequest = { ...noCaptures, enrolled_face, transaction_id: '', transaction_type }
  const scene = createScriptedScene({ issues }, request, expected_data, today)
  const input: JudgeInput = {
    ...scene,
    transaction_type,
    device_policy,
    fraud_policy,
    document_policy,
    expected_data,
    today,
    liveness_attempts: 1,
  }
  if (of.transaction_type !== 'AGE') return judge(input).result_data
  return judgeAge(input, of.age ?? exampleAge).result_data
}

const examplePerson = {
  first_name: 'Ana',
  last_name: 'Pérez',
  date_of_birth: '1980-02-29',
  document_number: 'X1234567',
} as const

function onlyGiven<T extends object>(data: T): Partial<{ [K in keyof T]: NonNullable<T[K]> }> {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null)) as Partial<{
    [K in keyof T]: NonNullable<T[K]>
  }>
}

/** Each precondition that the call lacks, with the same call changed to have it. */
function listRemedies(of: RehearsalInput): readonly (readonly [needs: string, remedied: RehearsalInput])[] {
  const { transaction_type, device_policy, fraud_policy, is_enrolled } = of
  const expected_data = of.expected_data ?? {
    first_name: null,
    last_name: null,
    date_of_birth: null,
    document_number: null,
  }
  const fraudMembers = Object.keys(defaultFraudPolicy) as (keyof FraudPolicy)[]
  const others = transactionTypes.filter(type => type !== transaction_type)
  return [
    ...(['first_name', 'last_name', 'date_of_birth', 'document_number'] as const)
      .filter(name => expected_data[name] === null)
      .map(name => {
        const remedied = { ...of, expected_data: { ...expected_data, [name]: examplePerson[name] } }
        return [`config.expected_data.${name}`, remedied] as const
      }),
    [
      'config.document_policy.unknown_document of MATCH_EXPECTED with all of config.expected_data',
      {
        ...of,
        document_policy: { ...of.document_policy, unknown_document: 'MATCH_EXPECTED' },
        expected_data: { ...examplePerson, ...onlyGiven(expected_data) },
      },
    ] as const,
    ...devicePolicyNames
      .filter(name => device_policy[name] === 'IGNORE' || device_policy[name] === undefined)
      .map(name => {
        const usual = findAction(name, {})
        const action = usual === 'IGNORE' ? 'WARN' : usual
        const remedied = { ...of, device_policy: { ...device_policy, [name]: action } }
        return [`config.device_policy.${name} other than IGNORE`, remedied] as const
      }),
    ...fraudMembers
      .filter(name => fraud_policy[name] === 'IGNORE')
      .map(name => {
        const remedied = { ...of, fraud_policy: { ...fraud_policy, [name]: 'WARN' as const } }
        return [`config.fraud_policy.${name} other than IGNORE`, remedied] as const
      }),
    ...(is_enrolled ? [] : [['a customer with an enrolled face', { ...of, is_enrolled: true }] as const]),
    ...others.map(type => [`transaction_type ${type}`, { ...of, transaction_type: type }] as const),
  ]
}

/** The first precondition that makes the outcome possible, in words; empty if none does. */
function findRemedy(
  issues: readonly ScriptedCode[],
  of: RehearsalInput,
  isReached: (result: RehearsedResult) => boolean,
): string {
  return listRemedies(of).find(([, remedied]) => isReached(rehearse(issues, remedied)))?.[0] ?? ''
}

/** The fields of the call that errors name. */
interface ScriptFields {
  readonly issues: string
  readonly decision: string
}

/**
 * Rejects an impossible script when the transaction is opened. @throws {ApiError} `invalid_field`, which names the
 * missing part
 */
function requirePossible(requested: RequestedTest, of: RehearsalInput, fields: ScriptFields): void {
  const { issues, decision } = requested
  const result = rehearse(issues, of)
  const hasIssue =
    (code: ScriptedCode) =>
    (judged: RehearsedResult): boolean =>
      judged.issues.some(issue => issue.code === code)
  const absent = issues.find(code => !hasIssue(code)(result))
  if (absent !== undefined) {
    const lacks = findRemedy(issues, of, hasIssue(absent))
    const why = lacks === '' ? 'is impossible with the other issues, this type and policy' : `needs ${lacks}`
    throw invalidField(fields.issues, `${absent} ${why}`)
  }
  if (decision === null || decision === result.decision) return
  const lacks = findRemedy(issues, of, judged => judged.decision === decision)
  const needs = lacks === '' ? '' : `; ${decision} needs ${lacks}`
  throw invalidField(fields.decision, `these issues come to ${result.decision}${needs}`)
}

/**
 * The script of a test account's transaction; null if its captures decide.
 * @throws {ApiError} `invalid_field` for an impossible script, and for any script of a live account
 */
export function createScript(call: ScriptedCall, context: ScriptContext): TestScript | null {
  const { is_test, is_enrolled, today } = context
  if (call.requested_test !== null && !is_test)
    throw invalidField('config.test', 'must be absent: only a test account takes it')
  const requested = is_test ? (call.requested_test ?? parseReferenceScript(call.reference)) : null
  if (requested === null) return null
  const { transaction_type, device_policy, fraud_policy, document_policy, expected_data, age } = call
  const of: RehearsalInput = {
    transaction_type,
    device_policy,
    fraud_policy,
    document_policy,
    expected_data,
    age,
    is_enrolled,
    today,
  }
  const { decision, ...script } = requested
  const issues = decision !== null && script.issues.length === 0 ? pickIssues(decision, of) : script.issues
  const fields =
    call.requested_test === null
      ? { issues: 'config.reference', decision: 'config.reference' }
      : { issues: 'config.test.issues', decision: 'config.test.decision' }
  requirePossible({ ...requested, issues }, of, fields)
  const second = { issues: 'config.test.second_issues', decision: 'config.test.decision' }
  requirePossible({ ...requested, issues: script.second_issues, decision: null }, of, second)
  return { ...script, issues }
}
