import { defaultDevicePolicy } from '../device_policy.ts'
import { defaultDocumentPolicy } from '../document_policy.ts'
import type { DocumentFindings, FaceFindings, LivenessFindings, MrzReading } from '../findings.ts'
import { defaultFraudPolicy } from '../fraud_policy.ts'
import type { JudgeInput } from '../judge.ts'
import type { ReportedSignals } from '../metadata.ts'

const engine = { name: 'sample', version: '1' }

export const today = '2026-11-21'

export const mrz: MrzReading = {
  format: 'TD3',
  lines: [],
  valid: true,
  corrected_characters: 0,
  document_code: 'P',
  issuing_state: 'D',
  nationality: 'D',
  document_number: 'C01X00T47',
  personal_number: null,
  last_name: 'MUELLER',
  first_name: 'ERIKA MARIA',
  date_of_birth: '640812',
  expiry_date: '301031',
  sex: 'F',
  check_digits: [{ name: 'composite', passed: true }],
}

export const document: DocumentFindings = {
  engine,
  reading: 'READ',
  mrz,
  portrait_found: true,
  sides_match: null,
  visual_surname: { score: 1, threshold: 0.85 },
  glare: { score: 0, threshold: 0.1 },
}

export const liveness: LivenessFindings = {
  engine,
  method: 'ACTIVE',
  challenge: [
    { action: 'TURN_LEFT', passed: true },
    { action: 'TURN_RIGHT', passed: true },
  ],
  planarity: { score: 0.1, threshold: 0.05 },
  continuity: { score: 0.3, threshold: 0.62 },
}

export const face: FaceFindings = {
  engine,
  faces_in_selfie: 1,
  face_width: 300,
  usable: true,
  reference: 'DOCUMENT',
  distance: 0.4,
  accept_below: 0.5,
  reject_above: 0.6,
  similarity: { score: 0.96, threshold: 0.81 },
  same_picture: false,
  reference_outdated: false,
  template: { model: 'm', values: [1, 2] },
}

/** Signals of a device in Paris that no rule finds fault with. */
export const signals = {
  device: {
    sdk_platform: 'android',
    sdk_version: '1.0.0',
    os_version: '16',
    device_model: 'X',
    is_emulator: false,
    root_detected: false,
    jailbreak_detected: null,
    developer_mode_enabled: false,
    debugger_attached: false,
  },
  network: { ip_type: 'IPV4', vpn_detected: false, proxy_detected: false, tor_detected: false },
  geolocation: { latitude: 48.85, longitude: 2.35, source: 'gps', is_mock_location: false },
  location_permission: 'granted',
} as const satisfies ReportedSignals

export const observed = { ip_address: '192.0.2.1', ip_country: 'FR' }

/** An onboarding that nothing speaks against. */
export const input: JudgeInput = {
  transaction_type: 'DOCUMENT_AND_BIOMETRIC',
  findings: { document, liveness, face, stages: {} },
  signals,
  observed,
  device_policy: defaultDevicePolicy,
  fraud_policy: defaultFraudPolicy,
  document_policy: defaultDocumentPolicy,
  duplicates: {
    document: { customers: 0, transactions_24_hours: 1, transactions_30_days: 1, transaction_ids: [] },
    images: { customers: 0, transaction_ids: [] },
    face: { customers: 0, transaction_ids: [], faces_searched: 9, limit: 0.3, nearest: 0.7 },
  },
  expected_data: null,
  liveness_attempts: 1,
  today,
}

/** The keys of each section of `metadata`. */
export const metadataKeys: Readonly<Record<'device' | 'network' | 'geolocation', readonly string[]>> = {
  device: [
    'sdk_platform',
    'sdk_version',
    'os_version',
    'device_model',
    'is_emulator',
    'root_detected',
    'jailbreak_detected',
    'developer_mode_enabled',
    'debugger_attached',
  ],
  network: [
    'ip_address',
    'ip_type',
    'ip_country',
    'vpn_detected',
    'proxy_detected',
    'tor_detected',
    'connection_type',
    'carrier_name',
  ],
  geolocation: ['latitude', 'longitude', 'source', 'is_mock_location', 'country_from_coords'],
}
