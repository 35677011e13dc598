import {
  type Day,
  type ExpectedData,
  type FaceFindings,
  type FailureCode,
  type IssueCode,
  issueCatalogue,
  type MrzReading,
  type ReportedSignals,
  type ServerObservation,
} from '@attestor/rules'
import type { AnalysisRequest } from '@attestor/vision'
import { isoDate } from '../../base/clock.ts'
import { unshared } from '../../duplicates/scenes.ts'
import type { Scene, SceneChange, SceneInput } from '../../engines/scene.ts'
import { approvedDocument, createApprovedFindings, specimenMrz } from '../../engines/scripted.ts'
import { featureScenes } from '../../features.ts'

function toPrintedDate(day: Day): string {
  return day.replaceAll('-', '').slice(2)
}

function addDays(day: Day, days: number): Day {
  return isoDate(Date.parse(day) + days * 86_400_000)
}

function failCheckDigit(name: string): Partial<MrzReading> {
  return {
    valid: false,
    check_digits: specimenMrz.check_digits.map(digit => (digit.name === name ? { ...digit, passed: false } : digit)),
  }
}

const unknown = { score: 0.31, threshold: 0.85 } as const
const noCoordinates = { latitude: null, longitude: null, is_mock_location: null } as const

/** The codes that a scene can raise; those of FAILED come from failures, those of reviews from persons. */
export type ScriptedCode = Exclude<IssueCode, FailureCode | 'REVIEWED_BY_PERSON' | 'REVIEW_LAPSED'>

/** A change for each code that makes the rules raise it. Others may follow from it. */
const sceneChanges: Readonly<Record<ScriptedCode, SceneChange | ((input: SceneInput) => SceneChange)>> = {
  UNSUPPORTED_DOCUMENT: { document: { reading: 'UNSUPPORTED' } },
  // The day before is not over everywhere.
  EXPIRED_DOCUMENT: ({ today }) => ({ mrz: { expiry_date: toPrintedDate(addDays(today, -2)) } }),
  DOCUMENT_SIDES_MISMATCH: { document: { sides_match: false } },
  MRZ_CHECKSUM_INVALID: { mrz: failCheckDigit('composite') },
  SURNAME_MISMATCH: { document: { visual_surname: unknown } },
  NAME_MISMATCH: { mrz: { first_name: 'QUENTIN' } },
  DATE_OF_BIRTH_MISMATCH: { mrz: { date_of_birth: '010203' } },
  DOCUMENT_NUMBER_MISMATCH: { mrz: { document_number: 'X00000000' } },
  // The document is of no known kind, and all expected data is printed on it.
  DOCUMENT_KIND_UNKNOWN: ({ expected_data: expected }) => {
    const { last_name, first_name, date_of_birth, document_number } = expected ?? {}
    const lines = [last_name, first_name, date_of_birth, document_number].flatMap(text =>
      text ? [text.split(' ')] : [],
    )
    const printed_lines = lines.map(words => words.join(' '))
    return { document: { reading: 'NOT_READABLE', mrz: null, unknown_print: [lines, lines], printed_lines } }
  },
  AGE_NOT_REACHED: ({ today }) => ({ mrz: { date_of_birth: toPrintedDate(addDays(today, -1)) } }),
  DOCUMENT_NOT_READABLE: { document: { reading: 'NOT_READABLE', mrz: null } },
  MRZ_NOT_STANDARD: { mrz: { nationality: 'ZZQ' } },
  DOCUMENT_INCOMPLETE: { mrz: { date_of_birth: '<<<<<<' } },
  NAME_NOT_COMPARABLE: { mrz: { last_name: '山田' } },
  // The given names contain all expected names, and the surname is another.
  NAME_IN_ANOTHER_FIELD: ({ expected_data: expected }) => ({
    mrz: { last_name: 'QUENTIN', first_name: `${expected?.first_name ?? 'ANNA'} ${expected?.last_name ?? 'MARIA'}` },
  }),
  DOCUMENT_SIDE_MISSING: { document: { missing_side: 'BACK' } },
  DOCUMENT_PORTRAIT_MISSING: { document: { portrait_found: false }, face: { reference: null, distance: null } },
  DOCUMENT_COPY_SUSPECTED: { document: { colour: { score: 0.01, threshold: 0.043 } } },
  MRZ_CHARACTERS_CORRECTED: { mrz: { corrected_characters: 1 } },
  SURNAME_NOT_EVALUABLE: { document: { visual_surname: null } },
  DOCUMENT_GLARE: { document: { glare: { score: 0.08, threshold: 0.02 } } },
  ...featureScenes,
  AGE_NOT_EVALUABLE: { mrz: { date_of_birth: '<<<<<<' } },
  DOCUMENT_EXPIRES_SOON: ({ today }) => ({ mrz: { expiry_date: toPrintedDate(addDays(today, 10)) } }),
  LIVENESS_CHALLENGE_FAILED: { liveness: { challenge: [{ action: 'TURN_LEFT', passed: false }] } },
  FLAT_FACE_SUSPECTED: { liveness: { planarity: { score: 0.01, threshold: 0.05 } } },
  FACE_CHANGED_DURING_CAPTURE: { liveness: { continuity: { score: 0.81, threshold: 0.62 } } },
  PRESENTATION_ATTACK_SUSPECTED: { liveness: { presence: { score: 0.02, threshold: 0.5 } } },
  ENGINE_CODE_UNKNOWN: { liveness: { reported: [{ code: 'VENDOR_SAYS_SO', issue: null, status: 'UNDETERMINED' }] } },
  FACE_RENDERED_SUSPECTED: { liveness: { surroundings: { score: 0.93, threshold: 0.85 } } },
  LIVENESS_NOT_EVALUABLE: { liveness: null },
  MIRRORED: { liveness: { mirrored: true } },
  LIVENESS_FRAMES_DIFFER_IN_SIZE: { liveness: { sizes_differ: true } },
  MULTIPLE_FACES_DETECTED: { face: { faces_in_selfie: 2 } },
  FACE_MISMATCH: { face: { distance: 0.82, similarity: { score: 0.013, threshold: 0.809 } } },
  NO_FACE_DETECTED: { face: { faces_in_selfie: 0 } },
  SELFIE_LOW_QUALITY: { face: { usable: false } },
  FACE_MATCH_INCONCLUSIVE: { face: { distance: 0.56, similarity: { score: 0.589, threshold: 0.809 } } },
  FACE_TEMPLATE_OUTDATED: { face: { distance: null, reference_outdated: true } },
  FACE_NOT_ENROLLED: { face: { reference: null, distance: null } },
  SELFIE_MATCHES_DOCUMENT_IMAGE: { face: { same_picture: true } },
  COMPROMISED_DEVICE: { device: { root_detected: true } },
  DEVELOPER_MODE_ENABLED: { device: { developer_mode_enabled: true } },
  EMULATOR_DETECTED: { device: { is_emulator: true } },
  VIRTUAL_CAMERA_DETECTED: { device: { is_virtual_camera: true } },
  COMPROMISED_DEVICE_NOT_EVALUABLE: {
    device: { root_detected: null, jailbreak_detected: null, debugger_attached: null },
  },
  DEVELOPER_MODE_NOT_EVALUABLE: { device: { developer_mode_enabled: null } },
  EMULATOR_NOT_EVALUABLE: { device: { is_emulator: null } },
  VIRTUAL_CAMERA_NOT_EVALUABLE: { device: { is_virtual_camera: null } },
  VPN_OR_PROXY_DETECTED: { network: { vpn_detected: true } },
  VPN_OR_PROXY_NOT_EVALUABLE: { network: { vpn_detected: null } },
  MOCK_LOCATION_DETECTED: { geolocation: { is_mock_location: true } },
  GEO_IP_MISMATCH: { geolocation: { latitude: 48.8566, longitude: 2.3522 } },
  CONFIG_GPS_POLICY_WITHOUT_PERMISSION: { signals: { location_permission: 'not_requested' } },
  MOCK_LOCATION_NOT_EVALUABLE: { geolocation: { ...noCoordinates } },
  GEO_IP_MISMATCH_NOT_EVALUABLE: { geolocation: { ...noCoordinates } },
  GEOLOCATION_NOT_REQUESTED: { signals: { location_permission: 'not_requested' } },
  GEOLOCATION_DENIED: { signals: { location_permission: 'denied' } },
}

/** They have the order of the catalogue, whichever feature their scenes are of. */
export const scriptedCodes = Object.keys(issueCatalogue).filter(code => code in sceneChanges) as [
  ScriptedCode,
  ...ScriptedCode[],
]

/** A phone in Stockholm without any fault. */
const cleanSignals = {
  device: {
    sdk_platform: 'scripted',
    is_emulator: false,
    root_detected: false,
    jailbreak_detected: false,
    developer_mode_enabled: false,
    debugger_attached: false,
  },
  network: { ip_type: 'residential', vpn_detected: false, proxy_detected: false, tor_detected: false },
  geolocation: { latitude: 59.3293, longitude: 18.0686, source: 'gps', is_mock_location: false },
  location_permission: 'granted',
} as const satisfies ReportedSignals
const cleanObservation: ServerObservation = { ip_address: '192.0.2.1', ip_country: 'SE' }

/** The specimen with the integrator's expected data, so that a transaction is approved without a script. */
function createExpectedMrz(expected: ExpectedData | null): MrzReading {
  return {
    ...specimenMrz,
    first_name: expected?.first_name ?? specimenMrz.first_name,
    last_name: expected?.last_name ?? specimenMrz.last_name,
    document_number: expected?.document_number ?? specimenMrz.document_number,
    date_of_birth: expected?.date_of_birth ? toPrintedDate(expected.date_of_birth) : specimenMrz.date_of_birth,
  }
}

/** A customer without an enrolled face has no reference to compare with, so the script can't change that. */
function withoutMissingReference(face: FaceFindings | null, { transaction_type, enrolled_face }: AnalysisRequest) {
  return face !== null && transaction_type === 'BIOMETRIC_ONLY' && enrolled_face === null
    ? { ...face, reference: null, distance: null, similarity: null }
    : face
}

function createApprovedScene({ request, expected_data }: SceneInput): Scene {
  const approved = createApprovedFindings(request)
  const findings = { ...approved, face: withoutMissingReference(approved.face, request) }
  const document = findings.document && {
    ...approvedDocument,
    mrz: createExpectedMrz(expected_data),
    visual_surname: { score: 1, threshold: 0.85 },
  }
  return {
    findings: { ...findings, document },
    duplicates: unshared,
    signals: cleanSignals,
    observed: cleanObservation,
  }
}

function applyChange(scene: Scene, change: SceneChange): Scene {
  const { findings, duplicates, signals } = scene
  const { document, liveness, face } = findings
  const mrz = document?.mrz && { ...document.mrz, ...change.mrz }
  return {
    ...scene,
    findings: {
      ...findings,
      document: document && { ...document, mrz: mrz ?? null, ...change.document },
      liveness: change.liveness === null ? null : liveness && { ...liveness, ...change.liveness },
      face: face && { ...face, ...change.face },
    },
    duplicates: { ...duplicates, ...change.duplicates },
    signals: {
      ...signals,
      ...change.signals,
      device: { ...signals.device, ...change.device },
      network: { ...signals.network, ...change.network },
      geolocation: { ...signals.geolocation, ...change.geolocation },
    },
    ...change.evidence,
  }
}

/** A scene in which the rules raise these issues; without any, one that is approved. */
export function createScene(issues: readonly ScriptedCode[], input: SceneInput): Scene {
  return issues.reduce((scene, code) => {
    const change = sceneChanges[code]
    return applyChange(scene, typeof change === 'function' ? change(input) : change)
  }, createApprovedScene(input))
}
