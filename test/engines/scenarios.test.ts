import {
  type DevicePolicy,
  defaultDevicePolicy,
  defaultDocumentPolicy,
  issueCatalogue,
  type JudgeInput,
  judge,
  judgeAge,
} from '@attestor/rules'
import type { AnalysisRequest } from '@attestor/vision'
import test from 'ava'
import { scriptedFace } from '../../src/engines/scripted.ts'
import { createScene, type ScriptedCode, scriptedCodes } from '../../src/verification/transactions/scenes.ts'

function requestOf(transaction_type: AnalysisRequest['transaction_type']): AnalysisRequest {
  return {
    transaction_id: '0',
    transaction_type,
    document_front: null,
    document_back: null,
    selfie: null,
    challenge: null,
    enrolled_face: scriptedFace,
  }
}

/** Policies without a default of their own, for the scenes that need them. */
function policiesFor(codes: readonly ScriptedCode[]): Partial<DevicePolicy> {
  const raisedBy = {
    on_virtual_camera: ['VIRTUAL_CAMERA_NOT_EVALUABLE'],
    on_unattested_device: ['DEVICE_NOT_ATTESTED'],
    on_unlocked_bootloader: ['BOOTLOADER_UNLOCKED', 'BOOTLOADER_NOT_EVALUABLE'],
    on_other_app: ['OTHER_APP_DETECTED', 'OTHER_APP_NOT_EVALUABLE'],
  }
  const set = Object.entries(raisedBy).filter(([, raised]) => codes.some(code => raised.includes(code)))
  return Object.fromEntries(set.map(([name]) => [name, 'WARN']))
}

function judged(
  codes: readonly ScriptedCode[],
  transaction_type: AnalysisRequest['transaction_type'] = 'DOCUMENT_AND_BIOMETRIC',
) {
  const expected_data = {
    first_name: 'Zoë',
    last_name: 'Ångström',
    date_of_birth: '1990-05-17',
    document_number: 'L898902C3',
  }
  const today = '2026-11-17'
  const scene = createScene(codes, { request: requestOf(transaction_type), expected_data, today })
  const input: JudgeInput = {
    transaction_type,
    ...scene,
    device_policy: { ...defaultDevicePolicy, ...policiesFor(codes) },
    fraud_policy: {
      on_document_of_another_customer: 'WARN',
      on_image_of_another_transaction: 'WARN',
      on_face_of_another_customer: 'WARN',
    },
    document_policy: { ...defaultDocumentPolicy, unknown_document: 'MATCH_EXPECTED' },
    expected_data,
    liveness_attempts: 1,
    today,
  }
  const asksAge = codes.some(code => code.startsWith('AGE_'))
  const { result_data } = asksAge ? judgeAge(input, { over: 18 }) : judge(input)
  return { decision: result_data.decision, codes: result_data.issues.map(({ code }) => code) }
}

test('A scene without issues is approved with none, for all types and all expected data', t => {
  t.deepEqual(judged([]), { decision: 'APPROVED', codes: [] })
  t.deepEqual(judged([], 'BIOMETRIC_ONLY'), { decision: 'APPROVED', codes: [] })
})

test('Every issue of the catalogue that an analysis can find has a scene in which the rules find it', t => {
  const ofFailures = ['ANALYSIS_ERROR', 'ANALYSIS_TIMEOUT', 'CAPTURE_UNREADABLE', 'CANCELLED']
  const ofReviews = ['REVIEWED_BY_PERSON', 'REVIEW_LAPSED']
  t.deepEqual(
    Object.keys(issueCatalogue).filter(code => ![...ofFailures, ...ofReviews].includes(code)),
    [...scriptedCodes],
  )
  for (const code of scriptedCodes) {
    const type = code === 'FACE_NOT_ENROLLED' ? 'BIOMETRIC_ONLY' : 'DOCUMENT_AND_BIOMETRIC'
    const { codes, decision } = judged([code], type)
    t.true(codes.includes(code), `${code}: ${codes.join(', ')}`)
    const { types } = issueCatalogue[code]
    if (types.length === 1 && types[0] === 'REJECT') t.is(decision, 'REJECTED', code)
  }
})

test('Issues of several sections come together', t => {
  const { codes, decision } = judged(['FACE_MISMATCH', 'EXPIRED_DOCUMENT', 'EMULATOR_DETECTED', 'DOCUMENT_GLARE'])
  t.deepEqual(codes, ['EXPIRED_DOCUMENT', 'FACE_MISMATCH', 'EMULATOR_DETECTED', 'DOCUMENT_GLARE'])
  t.is(decision, 'REJECTED')
})
