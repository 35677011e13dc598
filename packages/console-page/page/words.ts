import type { TransactionEvent } from '../../../machines/transaction.ts'
import type { TransactionJournalEvent } from '../../../src/verification/transactions/actor.ts'

type EventName = 'CREATE' | TransactionEvent['type'] | TransactionJournalEvent['type']

/** Names of the API in plain English. A name that is not listed is shown as words. */
const words = {
  status: {
    CREATED: 'Created',
    INITIATED: 'Capturing',
    COMPLETED: 'Captured',
    PROCESSING: 'Analysing',
    FINISHED: 'Finished',
    FAILED: 'Failed',
    EXPIRED: 'Expired',
  },
  decision: {},
  transaction_type: { DOCUMENT_AND_BIOMETRIC: 'Document and face', BIOMETRIC_ONLY: 'Face only', AGE: 'Age alone' },
  section: {},
  outcome: {
    PASSED: 'Passed',
    REJECTED: 'Failed',
    UNDETERMINED: 'Inconclusive',
    NOT_EXECUTED: 'Not run',
    NOT_PRINTED: 'Not printed',
  },
  effect: {
    supports: 'Supports approval',
    rejects: 'Rejects',
    prevents_approval: 'Prevents approval',
    warns: 'Warning only',
    none: 'Does not count',
  },
  rule: {
    mrz: 'Machine-readable zone',
    mrz_check_digits: 'Check digits of the machine-readable zone',
    mrz_codes: 'Country codes of the machine-readable zone',
    legibility: 'Document readable',
    document_type: 'Kind of document accepted',
    last_name: 'Surname printed',
    first_name: 'Given names printed',
    date_of_birth: 'Date of birth printed',
    completeness: 'Document says what is needed',
    expiry: 'Document still valid',
    portrait: 'Portrait found on the document',
    colour: 'In colour, not a copy',
    sides: 'Both sides belong together',
    glare: 'No reflection',
    visual_surname: 'Printed surname agrees',
    visual_given_names: 'Printed given names agree',
    visual_date_of_birth: 'Printed date of birth agrees',
    chip: 'Chip was read',
    chip_files: 'Files of the chip can be read',
    chip_data_groups: 'Files are those that the state signed',
    chip_signature: 'Signature of the chip',
    chip_issuer: 'Issuer of the chip is known',
    chip_revocation: 'Certificates of the chip are not revoked',
    chip_active_authentication: 'Chip is no copy',
    chip_zone: 'Chip agrees with the zone',
    wallet_signature: 'Signature of the wallet’s credential',
    wallet_issuer: 'Issuer of the credential is known',
    wallet_binding: 'Wallet answers this very request',
    wallet_validity: 'Credential is valid now',
    wallet_revocation: 'Credential is not revoked',
    wallet_disclosure: 'Wallet disclosed what was asked',
    expected_first_name: 'Expected first name agrees',
    expected_last_name: 'Expected last name agrees',
    expected_date_of_birth: 'Expected date of birth agrees',
    expected_document_number: 'Expected document number agrees',
    source: 'What the data rests on is accepted',
    visual_expected_first_name: 'Expected first name as printed',
    visual_expected_last_name: 'Expected last name as printed',
    visual_expected_date_of_birth: 'Expected date of birth as printed',
    challenge: 'Challenge followed',
    selfie: 'Selfie usable',
    reference: 'Reference face there',
    derived_expiry: 'Expiry, worked out from the issue date',
    zone_and_barcode: 'Zone and barcode agree',
    repeated_reading: 'Print was read alike twice',
    seen_before: 'Frames not seen before',
    planarity: 'Face is not flat',
    surroundings: 'Hair and ears move with the face',
    continuity: 'Same face throughout',
    selfie_was_there: 'Selfie taken with the frames',
    presence: 'Live person present',
    mirror: 'Frames are as the camera sees them',
    frame_size: 'Frames and selfie are of one size',
    liveness: 'Liveness evaluated',
    document: 'Document evaluated',
    face: 'Face evaluated',
    comparison: 'Selfie matches the reference face',
    same_picture: 'Selfie is not the document’s portrait',
    on_compromised_device: 'Device not compromised',
    on_developer_mode: 'Developer mode off',
    on_emulator: 'Real device',
    on_virtual_camera: 'Real camera',
    on_unattested_device: 'Device attested',
    on_unlocked_bootloader: 'Bootloader locked',
    on_other_app: 'The account’s own app',
    attestation: 'Reports agree with the attestation',
    on_vpn_or_proxy: 'No VPN or proxy',
    on_gps_mock_location: 'Location not simulated',
    on_gps_ip_location_mismatch: 'Location and network agree',
    location_permission: 'Location reported',
    on_document_of_another_customer: 'Document of no other customer',
    on_image_of_another_transaction: 'Pictures of no other customer',
    on_face_of_another_customer: 'Face of no other customer',
    unknown_codes: 'Codes of the engine known',
  },
  /** Personal data by their names in the API. */
  data: {
    source: 'Rests on',
    mrz: 'Machine-readable zone',
    last_name: 'Surname',
    first_name: 'Given names',
    security_level: 'Key is kept in',
    boot_state: 'System that was started',
    os_patch_level: 'Month of the patches',
    is_own_app: 'The account’s own app',
    signed_captures: 'Captures signed by the key',
  },
  source: {
    CHIP: 'The chip, which the state signed',
    WALLET: 'A wallet’s credential, which its issuer signed',
    ZONE: 'The machine-readable zone',
    BARCODE: 'The barcode',
    PRINT: 'Print alone',
    EXPECTED_DATA: 'Expected data that was found on it',
  },
  format: { MDOC: 'mdoc', SD_JWT_VC: 'SD-JWT VC' },
  duplicate: { document: 'Document', image: 'Picture', face: 'Face' },
  issue: {},
  overview: { open: 'Not ended' },
  capture: {
    front: 'Document, front',
    back: 'Document, back',
    selfie: 'Selfie',
    document_front: 'Document, front',
    document_back: 'Document, back',
    document_chip: 'Document, chip',
    document_wallet: 'Wallet’s answer',
  },
  event: {
    CREATE: 'Transaction created',
    START: 'Capture started on the device',
    DOCUMENT_CHANGED: 'Another type of document chosen',
    FRONT_CAPTURED: 'Front of the document captured',
    CHIP_CHALLENGE_ISSUED: 'Challenge for the chip issued',
    CHIP_READ: 'Chip of the document read, or reported unreadable',
    CHIP_DROPPED: 'Reading of the chip dropped',
    BACK_CAPTURED: 'Back of the document captured',
    SELFIE_CAPTURED: 'Selfie captured',
    CHALLENGE_ISSUED: 'Liveness challenge issued',
    FRAME_CAPTURED: 'Liveness frame captured',
    SIGNALS: 'Device signals reported',
    CHALLENGE_DROPPED: 'Liveness challenge given up',
    FRONT_DROPPED: 'Front dropped for a retake',
    BACK_DROPPED: 'Back dropped for a retake',
    SELFIE_DROPPED: 'Selfie dropped for a retake',
    COMPLETE: 'Capture finished',
    REVIEWED: 'Review decided',
    CANCEL: 'Cancelled',
    ERASE: 'Erased',
  } satisfies Partial<Record<EventName, string>>,
  sent_by: {
    device: 'device',
    integrator: 'integrator',
    timer: 'timer',
    job: 'service',
    erasure: 'erasure',
    operator: 'operator',
  },
  delivery: {
    PENDING: 'Waiting',
    ATTEMPTING: 'Sending',
    BACKING_OFF: 'Will be retried',
    DELAYED: 'Will be retried later',
    DELIVERED: 'Delivered',
    EXHAUSTED: 'Given up',
    GONE: 'Refused for good',
  },
  key: {},
  origin: {},
  node: {},
  queue: { admission: 'Admission', analysis: 'Analyses', attempt: 'Webhook attempts', timer: 'Timers' },
  role: {},
} satisfies Record<string, Record<string, string>>

export type Glossary = keyof typeof words

function toWords(name: string): string {
  const plain = name.replaceAll(/[_.]/g, ' ').toLowerCase()
  return plain.charAt(0).toUpperCase() + plain.slice(1)
}

export function word(glossary: Glossary, name: string): string {
  const list: Readonly<Record<string, string>> = words[glossary]
  return Object.hasOwn(list, name) ? (list[name] ?? name) : toWords(name)
}

const timers: Readonly<Record<string, string>> = {
  TTL: 'Time to capture ran out',
  CHALLENGE_TTL: 'Liveness challenge ran out',
  ANALYSIS_BACKOFF: 'Analysis tried again',
  ANALYSIS_DEADLINE: 'Analysis took too long',
  ANALYSIS_TIMEOUT: 'Analysis took too long',
  REVIEW_DEADLINE: 'Nobody decided the review in time',
}

/** XState's own events have technical names, such as `xstate.after.TTL.transaction.open`. */
export function eventWord(event: string): string {
  const [, kind, name = ''] = event.split('.')
  if (event.startsWith('xstate.after.')) return timers[name] ?? `After ${toWords(name).toLowerCase()}`
  if (event.startsWith('xstate.done.')) return 'Analysis finished'
  if (event.startsWith('xstate.error.')) return 'Analysis failed'
  return event.startsWith('xstate.') ? toWords(kind ?? event) : word('event', event)
}

interface NamedCapture {
  readonly kind: string
  readonly action: string | null
}

/** Pictures of a liveness challenge are counted: `number` is from 1. */
export function captureWord({ kind, action }: NamedCapture, number: number): string {
  if (kind !== 'liveness') return word('capture', kind)
  return `Liveness frame ${number}${action === null ? '' : `: ${toWords(action).toLowerCase()}`}`
}
