/**
 * The closed catalogue of issue codes. Its order is the order in which issues of one type are listed. A code once published
 * never changes its meaning.
 */

/** Only `REJECT` changes a decision. */
export const issueTypes = ['REJECT', 'WARN', 'INFO'] as const

export type IssueType = (typeof issueTypes)[number]

/** The subject of an issue, in the order of listing; `transaction` for issues of no single section. */
const sections = ['document', 'liveness', 'face', 'device', 'network', 'location', 'transaction'] as const

export type IssueSection = (typeof sections)[number]

/** `types` are those that the code can have; the first is its default. */
export interface IssueEntry {
  readonly types: readonly [IssueType, ...IssueType[]]
  readonly section: IssueSection
  readonly message: string
}

type Entries = Readonly<Record<string, IssueEntry>>

function section(name: IssueSection) {
  return (message: string, ...types: [IssueType, ...IssueType[]]): IssueEntry => ({ types, section: name, message })
}

const document = section('document')
const liveness = section('liveness')
const face = section('face')
const device = section('device')
const network = section('network')
const location = section('location')
const transaction = section('transaction')

export const issueCatalogue = {
  UNSUPPORTED_DOCUMENT: document('The document is of a kind that is not accepted', 'REJECT'),
  EXPIRED_DOCUMENT: document('The document has expired', 'REJECT'),
  DOCUMENT_SIDES_MISMATCH: document('The two sides do not belong to one document', 'REJECT'),
  MRZ_CHECKSUM_INVALID: document('A check digit of the machine-readable zone is wrong', 'REJECT'),
  SURNAME_MISMATCH: document(
    'The surname differs from the one in the machine-readable zone, or from the expected one',
    'REJECT',
  ),
  NAME_MISMATCH: document(
    'The given names differ from those in the machine-readable zone, or from the expected ones',
    'REJECT',
  ),
  DATE_OF_BIRTH_MISMATCH: document(
    'The date of birth differs from the one in the machine-readable zone, or from the expected one',
    'REJECT',
  ),
  CHIP_SIGNATURE_INVALID: document('What is on the chip is not what its state signed', 'REJECT'),
  CHIP_DATA_CHANGED: document('A file of the chip was changed after its state signed it', 'REJECT'),
  CHIP_DATA_MISMATCH: document('The chip says something else than the machine-readable zone', 'REJECT'),
  CHIP_COPY_SUSPECTED: document('The chip does not have the key of the one that its state made', 'REJECT'),
  CHIP_CERTIFICATE_REVOKED: document('The state has revoked the certificate that signed the chip', 'REJECT'),
  WALLET_SIGNATURE_INVALID: document('What the wallet shows is not what its issuer signed', 'REJECT'),
  WALLET_BINDING_INVALID: document('The wallet’s answer was not made by its key for this request', 'REJECT'),
  WALLET_REVOKED: document('The issuer has revoked or suspended what the wallet shows', 'REJECT'),
  WALLET_OUT_OF_TIME: document('What the wallet shows is not valid yet, or no longer', 'REJECT'),
  AGE_NOT_REACHED: document('The person has not reached the age', 'REJECT'),
  DOCUMENT_NOT_READABLE: document('The document, or a part of it that is needed, could not be read', 'WARN'),
  MRZ_NOT_STANDARD: document(
    'A field of the machine-readable zone is not as ICAO has it, though it was read: nothing says what it means',
    'WARN',
  ),
  DOCUMENT_INCOMPLETE: document('The document does not say something that is needed', 'WARN'),
  NAME_NOT_COMPARABLE: document('An expected name is in a script that cannot be compared with the document', 'WARN'),
  NAME_IN_ANOTHER_FIELD: document(
    'An expected name stands on the document, though not as the first or last name that was expected',
    'WARN',
  ),
  DOCUMENT_NUMBER_MISMATCH: document('The number of the document differs from the expected one', 'REJECT'),
  DOCUMENT_KIND_UNKNOWN: document(
    'The document is of a kind that is not known: only expected data was found on it',
    'WARN',
  ),
  DOCUMENT_SIDE_MISSING: document('A side of the document was not captured', 'WARN'),
  DOCUMENT_PORTRAIT_MISSING: document('No portrait was found on the document', 'WARN'),
  DOCUMENT_COPY_SUSPECTED: document('The document shows no colour: it may be a copy', 'WARN'),
  MRZ_CHARACTERS_CORRECTED: document('Characters of the machine-readable zone were corrected', 'WARN'),
  SURNAME_NOT_EVALUABLE: document('The surname in the visual zone could not be read', 'WARN'),
  DOCUMENT_GLARE: document('A reflection covers a part of the document', 'WARN'),
  CHIP_ISSUER_UNKNOWN: document('No certificate is imported of the state that signed the chip', 'WARN'),
  CHIP_NOT_READ: document('The chip was not read', 'WARN'),
  CHIP_NOT_EVALUABLE: document('What was read of the chip could not be verified', 'WARN'),
  WALLET_ISSUER_UNKNOWN: document('No certificate is imported of the issuer of what the wallet shows', 'WARN'),
  WALLET_NOT_EVALUABLE: document('What the wallet shows could not be verified', 'WARN'),
  AGE_NOT_EVALUABLE: document('Nothing that was shown says whether the person has reached the age', 'WARN'),
  DOCUMENT_EXPIRES_SOON: document('The document expires within 30 days', 'WARN'),

  LIVENESS_CHALLENGE_FAILED: liveness('The liveness challenge was not followed', 'REJECT'),
  FLAT_FACE_SUSPECTED: liveness('The face moves like a flat picture', 'REJECT'),
  FACE_CHANGED_DURING_CAPTURE: liveness('The face changed during the capture', 'REJECT'),
  PRESENTATION_ATTACK_SUSPECTED: liveness('No live person seems to be before the camera', 'REJECT'),
  FACE_RENDERED_SUSPECTED: liveness('The face may be one picture that software moves', 'WARN'),
  LIVENESS_NOT_EVALUABLE: liveness('Liveness could not be evaluated', 'WARN'),
  MIRRORED: liveness('The frames of the challenge are mirrored: both turns of the head show the other one', 'WARN'),
  LIVENESS_FRAMES_DIFFER_IN_SIZE: liveness('The selfie and the frames of the challenge differ in size', 'WARN'),

  MULTIPLE_FACES_DETECTED: face('The selfie shows more than one face', 'REJECT'),
  FACE_MISMATCH: face('The face differs from the reference face', 'REJECT'),
  NO_FACE_DETECTED: face('No face was found in the selfie', 'WARN'),
  SELFIE_LOW_QUALITY: face('The face in the selfie is too small, blurred, turned or covered to be compared', 'WARN'),
  FACE_MATCH_INCONCLUSIVE: face('The comparison of the faces is inconclusive', 'WARN'),
  FACE_NOT_ENROLLED: face('The customer has no enrolled face to compare with', 'WARN'),
  FACE_TEMPLATE_OUTDATED: face('The enrolled face was made by another model and cannot be compared', 'WARN'),
  WALLET_WITHOUT_PORTRAIT: face('The wallet gave no portrait that is proven: the face was compared with none', 'WARN'),
  SELFIE_MATCHES_DOCUMENT_IMAGE: face('The selfie may be the same picture as the document portrait', 'WARN'),

  COMPROMISED_DEVICE: device('The device is rooted or jailbroken, or a debugger is attached', 'REJECT', 'WARN'),
  DEVELOPER_MODE_ENABLED: device('Developer mode is enabled on the device', 'REJECT', 'WARN'),
  EMULATOR_DETECTED: device('The device is an emulator or a simulator', 'REJECT', 'WARN'),
  VIRTUAL_CAMERA_DETECTED: device('The camera is a program, or the browser is driven by one', 'REJECT', 'WARN'),
  BOOTLOADER_UNLOCKED: device('The device’s bootloader is unlocked', 'REJECT', 'WARN'),
  OTHER_APP_DETECTED: device('The app is none of the account’s', 'REJECT', 'WARN'),
  DEVICE_NOT_ATTESTED: device('No hardware of the device attests it', 'REJECT', 'WARN'),
  ATTESTATION_CONTRADICTED: device('The device reports something else than its maker attests', 'WARN'),
  COMPROMISED_DEVICE_NOT_EVALUABLE: device('Root, jailbreak and debugger signals are absent', 'WARN'),
  DEVELOPER_MODE_NOT_EVALUABLE: device('The developer mode signal is absent', 'WARN'),
  EMULATOR_NOT_EVALUABLE: device('The emulator signal is absent', 'WARN'),
  VIRTUAL_CAMERA_NOT_EVALUABLE: device('The signals of the camera are absent', 'WARN'),
  BOOTLOADER_NOT_EVALUABLE: device('No hardware of the device attests its bootloader', 'WARN'),
  OTHER_APP_NOT_EVALUABLE: device('No hardware attests the app, or the account names none', 'WARN'),

  VPN_OR_PROXY_DETECTED: network('The connection goes through a VPN, a proxy or Tor', 'REJECT', 'WARN'),
  VPN_OR_PROXY_NOT_EVALUABLE: network('The network signals are absent or inconclusive', 'WARN'),

  MOCK_LOCATION_DETECTED: location('The location is simulated', 'REJECT', 'WARN'),
  GEO_IP_MISMATCH: location(
    'The country of the coordinates differs from the country of the IP address',
    'REJECT',
    'WARN',
  ),
  CONFIG_GPS_POLICY_WITHOUT_PERMISSION: location('A GPS policy is enabled but location is never asked for', 'WARN'),
  MOCK_LOCATION_NOT_EVALUABLE: location('Whether the location is simulated could not be evaluated', 'WARN'),
  GEO_IP_MISMATCH_NOT_EVALUABLE: location('The country of the coordinates or of the IP address is missing', 'WARN'),
  GEOLOCATION_NOT_REQUESTED: location('Location permission was never asked for', 'INFO'),
  GEOLOCATION_DENIED: location('The user refused location permission', 'INFO'),

  DOCUMENT_OF_ANOTHER_CUSTOMER: transaction('The document was used for another customer', 'WARN', 'REJECT'),
  DOCUMENT_OF_ANOTHER_CUSTOMER_NOT_EVALUABLE: transaction(
    'Whether the document was used for another customer could not be evaluated',
    'WARN',
  ),
  IMAGE_OF_ANOTHER_TRANSACTION: transaction('A picture was used for another customer', 'WARN', 'REJECT'),
  IMAGE_OF_ANOTHER_TRANSACTION_NOT_EVALUABLE: transaction(
    'Whether a picture was used for another customer could not be evaluated',
    'WARN',
  ),
  FACE_OF_ANOTHER_CUSTOMER: transaction('The face is enrolled for another customer', 'WARN', 'REJECT'),
  FACE_OF_ANOTHER_CUSTOMER_NOT_EVALUABLE: transaction(
    'Whether the face is enrolled for another customer could not be evaluated',
    'WARN',
  ),
  ENGINE_CODE_UNKNOWN: transaction('An analysis engine reported a code that is not known here', 'WARN'),
  ANALYSIS_ERROR: transaction('The analysis failed repeatedly', 'WARN'),
  ANALYSIS_TIMEOUT: transaction('The analysis did not end in time', 'WARN'),
  CAPTURE_UNREADABLE: transaction('A stored capture is missing or unreadable', 'WARN'),
  CANCELLED: transaction('The transaction was cancelled', 'WARN'),
  REVIEWED_BY_PERSON: transaction('A person reviewed what was captured, and decided', 'INFO'),
  REVIEW_LAPSED: transaction('The rules left the decision open, and no person reviewed it in time', 'INFO'),
} as const satisfies Entries

export type IssueCode = keyof typeof issueCatalogue

/** Plain JSON, never personal data. */
export type IssueDetails = Readonly<Record<string, string | number | readonly string[]>>

export interface Issue {
  readonly type: IssueType
  readonly code: IssueCode
  readonly message: string
  readonly details?: IssueDetails
}

export function getIssueEntry(code: IssueCode): IssueEntry {
  return issueCatalogue[code]
}

/** An issue of the code's default type. */
export function createIssue(code: IssueCode, details?: IssueDetails): Issue {
  const { types, message } = getIssueEntry(code)
  return details === undefined ? { type: types[0], code, message } : { type: types[0], code, message, details }
}

/** An issue whose type a policy chooses. */
export function createIssueOfType(code: IssueCode, type: IssueType, details?: IssueDetails): Issue {
  return { ...createIssue(code, details), type }
}

const ranks = new Map(Object.keys(issueCatalogue).map((code, index) => [code, index]))

function compareIssues(a: Issue, b: Issue): number {
  return (
    issueTypes.indexOf(a.type) - issueTypes.indexOf(b.type) ||
    sections.indexOf(getIssueEntry(a.code).section) - sections.indexOf(getIssueEntry(b.code).section) ||
    (ranks.get(a.code) ?? 0) - (ranks.get(b.code) ?? 0)
  )
}

/** Sorts issues into the published order and keeps each code once, as two rules may raise the same. */
export function orderIssues(issues: readonly Issue[]): Issue[] {
  const sorted = [...issues].sort(compareIssues)
  return sorted.filter((issue, index) => sorted.findIndex(other => other.code === issue.code) === index)
}
