import type { Decision } from '../analysis/decision.ts'
import { judge } from '../analysis/judge.ts'
import type { AnalysisRequest } from '../analysis/port.ts'
import { type Scene, type ScriptedCode, sceneOf, scripted_codes } from '../analysis/scenarios.ts'
import { Refusal } from '../base/refusal.ts'
import type { AskedTest, OpenTransaction, TestScript } from './config.ts'

/** What a decision rests on where a script names no issue. */
const issues_of = {
  APPROVED: { DOCUMENT_AND_BIOMETRIC: [], BIOMETRIC_ONLY: [] },
  REJECTED: { DOCUMENT_AND_BIOMETRIC: ['FACE_MISMATCH'], BIOMETRIC_ONLY: ['FACE_MISMATCH'] },
  UNDETERMINED: { DOCUMENT_AND_BIOMETRIC: ['DOCUMENT_NOT_READABLE'], BIOMETRIC_ONLY: ['FACE_MATCH_INCONCLUSIVE'] },
} as const satisfies Record<Decision, Record<AnalysisRequest['transaction_type'], readonly ScriptedCode[]>>

const plain: AskedTest = { decision: null, issues: [], failure: null, delay_seconds: 0, webhook: null }

/**
 * The script that a magic `reference` stands for, for integrations that can't send `config.test`: `test:rejected`,
 * `test:failed`, `test:expired_document` and so on. Null for any other reference.
 */
const scriptOfReference = (reference: string | null): AskedTest | null => {
  const word = /^test:([a-z_]{1,60})$/.exec(reference ?? '')?.[1]?.toUpperCase()
  if (word === undefined) return null
  if (word === 'FAILED') return { ...plain, failure: 'ANALYSIS_ERROR' }
  const decision = (['APPROVED', 'REJECTED', 'UNDETERMINED'] as const).find(known => known === word)
  if (decision !== undefined) return { ...plain, decision }
  const issue = scripted_codes.find(code => code === word)
  if (issue === undefined) throw refused('config.reference', 'test: must be followed by a decision, failed or an issue')
  return { ...plain, issues: [issue] }
}

const refused = (field: string, says: string): Refusal => new Refusal('invalid_field', `${field}: ${says}`)

/** The scene of a script; the rules judge it as they judge every other. */
export const scriptedScene = (
  { issues }: Pick<TestScript, 'issues'>,
  request: AnalysisRequest,
  expected_data: OpenTransaction['expected_data'],
  today: string,
): Scene => sceneOf(issues, { request, expected_data, today })

const nothing = { document_front: null, document_back: null, selfie: null, challenge: null, enrolled_face: null }

/** Judges the scene as it will be judged: what can't come about is said now, by the call that asks for it. */
const rehearse = (call: OpenTransaction, asked: AskedTest, today: string): void => {
  const { transaction_type, device_policy, expected_data } = call
  const request: AnalysisRequest = { ...nothing, transaction_id: '', transaction_type }
  const scene = scriptedScene(asked, request, expected_data, today)
  const { result_data } = judge({
    ...{ ...scene, transaction_type, device_policy, expected_data, today },
    liveness_attempts: 1,
  })
  const found = result_data.issues.map(({ code }) => code)
  const absent = asked.issues.find(code => !found.includes(code))
  if (absent !== undefined)
    throw refused('config.test.issues', `${absent} can't come about with this type, policy and expected data`)
  if (asked.decision !== null && asked.decision !== result_data.decision)
    throw refused('config.test.decision', `these issues come to ${result_data.decision}`)
}

/**
 * The script of a test account's transaction; null where its captures are to be looked at.
 * @throws {Refusal} `invalid_field` for a script that can't come about, or of an account that is not for tests
 */
export const scriptOf = (call: OpenTransaction, is_test: boolean, today: string): TestScript | null => {
  if (call.asked_test !== null && !is_test) throw refused('config.test', 'must be absent: the account is not for tests')
  const asked = is_test ? (call.asked_test ?? scriptOfReference(call.reference)) : null
  if (asked === null) return null
  const { decision, ...script } = asked
  const complete =
    decision !== null && script.issues.length === 0 ? issues_of[decision][call.transaction_type] : script.issues
  rehearse(call, { ...asked, issues: complete }, today)
  return { ...script, issues: complete }
}
