import { ApiError } from '../base/api_error.ts'
import type { Decision } from '../decision/decision.ts'
import { type DevicePolicy, defaultDevicePolicy } from '../decision/device_policy.ts'
import { type JudgeInput, judge, type ResultData } from '../decision/judge.ts'
import type { AnalysisRequest } from '../engines/port.ts'
import { createScene, type Scene, type ScriptedCode, scriptedCodes } from '../engines/scenarios.ts'
import { scriptedFace } from '../engines/scripted.ts'
import type { RequestedTest, TransactionRequest, TestScript } from './config.ts'

/** What the script of a call depends on, beside the call. */
export interface ScriptContext {
  readonly is_test: boolean
  /** Whether the customer has a face to compare with. */
  readonly is_enrolled: boolean
  readonly today: string
}

type RehearsalInput = Pick<TransactionRequest, 'transaction_type' | 'device_policy' | 'expected_data'> &
  Pick<ScriptContext, 'is_enrolled' | 'today'>

/** What a decision rests on where a script names no issue. */
const pickIssues = (decision: Decision, { transaction_type, is_enrolled }: RehearsalInput): readonly ScriptedCode[] => {
  if (decision === 'APPROVED') return []
  const is_compared = transaction_type === 'DOCUMENT_AND_BIOMETRIC' || is_enrolled
  if (decision === 'REJECTED') return is_compared ? ['FACE_MISMATCH'] : ['LIVENESS_CHALLENGE_FAILED']
  if (transaction_type === 'DOCUMENT_AND_BIOMETRIC') return ['DOCUMENT_NOT_READABLE']
  return is_compared ? ['FACE_MATCH_INCONCLUSIVE'] : ['FACE_NOT_ENROLLED']
}

/** A script that changes nothing of an approval. */
export const plainScript: TestScript = { issues: [], failure: null, delay_seconds: 0, webhook: null }

const plainRequest: RequestedTest = { ...plainScript, decision: null }

const invalidField = (field: string, says: string): ApiError => new ApiError('invalid_field', `${field}: ${says}`)

/**
 * The script that a magic `reference` stands for, for integrations that can't send `config.test`: `test:rejected`,
 * `test:failed`, `test:expired_document` and so on. Null for any other reference.
 */
const parseReferenceScript = (reference: string | null): RequestedTest | null => {
  const word = /^test:([a-z_]{1,60})$/.exec(reference ?? '')?.[1]?.toUpperCase()
  if (word === undefined) return null
  if (word === 'FAILED') return { ...plainRequest, failure: 'ANALYSIS_ERROR' }
  const decision = (['APPROVED', 'REJECTED', 'UNDETERMINED'] as const).find(known => known === word)
  if (decision !== undefined) return { ...plainRequest, decision }
  const issue = scriptedCodes.find(code => code === word)
  if (issue === undefined) throw invalidField('config.reference', 'test: must be followed by a decision, failed or an issue')
  return { ...plainRequest, issues: [issue] }
}

/** The scene of a script; the rules judge it as they judge every other. */
export const createScriptedScene = (
  { issues }: Pick<TestScript, 'issues'>,
  request: AnalysisRequest,
  expected_data: TransactionRequest['expected_data'],
  today: string,
): Scene => createScene(issues, { request, expected_data, today })

const noCaptures = { document_front: null, document_back: null, selfie: null, challenge: null }

/** Judges the scene as it will be judged. */
const rehearse = (issues: readonly ScriptedCode[], of: RehearsalInput): ResultData => {
  const { transaction_type, device_policy, expected_data, is_enrolled, today } = of
  const enrolled_face = is_enrolled ? scriptedFace : null
  const request: AnalysisRequest = { ...noCaptures, enrolled_face, transaction_id: '', transaction_type }
  const scene = createScriptedScene({ issues }, request, expected_data, today)
  const input: JudgeInput = {
    ...{ ...scene, transaction_type, device_policy, expected_data, today },
    liveness_attempts: 1,
  }
  return judge(input).result_data
}

const examplePerson = { first_name: 'Ana', last_name: 'Pérez', date_of_birth: '1980-02-29' } as const

/** Each thing that a script can lack, by its field, with the same call that has it. */
const listRemedies = (of: RehearsalInput): readonly (readonly [needs: string, remedied: RehearsalInput])[] => {
  const { transaction_type, device_policy, is_enrolled } = of
  const expected_data = of.expected_data ?? { first_name: null, last_name: null, date_of_birth: null }
  const members = Object.keys(defaultDevicePolicy) as (keyof DevicePolicy)[]
  const others = (['DOCUMENT_AND_BIOMETRIC', 'BIOMETRIC_ONLY'] as const).filter(type => type !== transaction_type)
  return [
    ...(['first_name', 'last_name', 'date_of_birth'] as const)
      .filter(name => expected_data[name] === null)
      .map(name => {
        const remedied = { ...of, expected_data: { ...expected_data, [name]: examplePerson[name] } }
        return [`config.expected_data.${name}`, remedied] as const
      }),
    ...members
      .filter(name => device_policy[name] === 'IGNORE')
      .map(name => {
        const remedied = { ...of, device_policy: { ...device_policy, [name]: defaultDevicePolicy[name] } }
        return [`config.device_policy.${name} other than IGNORE`, remedied] as const
      }),
    ...(is_enrolled ? [] : [['a customer with an enrolled face', { ...of, is_enrolled: true }] as const]),
    ...others.map(type => [`transaction_type ${type}`, { ...of, transaction_type: type }] as const),
  ]
}

/** The first thing whose lack keeps the outcome from coming about, in words. */
const findRemedy = (issues: readonly ScriptedCode[], of: RehearsalInput, comesAbout: (result: ResultData) => boolean): string =>
  listRemedies(of).find(([, remedied]) => comesAbout(rehearse(issues, remedied)))?.[0] ?? ''

/** The fields that a script came in, for who has to put it right. */
interface ScriptFields {
  readonly issues: string
  readonly decision: string
}

/** What can't come about is said now, by the call that asks for it, and with what it lacks. @throws {ApiError} `invalid_field` */
const requirePossible = (asked: RequestedTest, of: RehearsalInput, fields: ScriptFields): void => {
  const { issues, decision } = asked
  const result = rehearse(issues, of)
  const finds =
    (code: ScriptedCode) =>
    (found: ResultData): boolean =>
      found.issues.some(issue => issue.code === code)
  const absent = issues.find(code => !finds(code)(result))
  if (absent !== undefined) {
    const lacks = findRemedy(issues, of, finds(absent))
    const why = lacks === '' ? "can't come about with the other issues, this type and policy" : `needs ${lacks}`
    throw invalidField(fields.issues, `${absent} ${why}`)
  }
  if (decision === null || decision === result.decision) return
  const lacks = findRemedy(issues, of, found => found.decision === decision)
  const needs = lacks === '' ? '' : `; ${decision} needs ${lacks}`
  throw invalidField(fields.decision, `these issues come to ${result.decision}${needs}`)
}

/**
 * The script of a test account's transaction; null where its captures are to be looked at.
 * @throws {ApiError} `invalid_field` for a script that can't come about, or of an account that is not for tests
 */
export const createScript = (call: TransactionRequest, context: ScriptContext): TestScript | null => {
  const { is_test, is_enrolled, today } = context
  if (call.requested_test !== null && !is_test) throw invalidField('config.test', 'must be absent: the account is not for tests')
  const asked = is_test ? (call.requested_test ?? parseReferenceScript(call.reference)) : null
  if (asked === null) return null
  const { transaction_type, device_policy, expected_data } = call
  const of: RehearsalInput = { transaction_type, device_policy, expected_data, is_enrolled, today }
  const { decision, ...script } = asked
  const issues = decision !== null && script.issues.length === 0 ? pickIssues(decision, of) : script.issues
  const fields =
    call.requested_test === null
      ? { issues: 'config.reference', decision: 'config.reference' }
      : { issues: 'config.test.issues', decision: 'config.test.decision' }
  requirePossible({ ...asked, issues }, of, fields)
  return { ...script, issues }
}
