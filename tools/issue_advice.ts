import type { IssueCode } from '../src/decision/issues.ts'

/** What an integrator does about an issue, and what its `details` hold: for docs/integrate/issues.md, which is generated. */
export const issueAdvice: Readonly<Record<IssueCode, string>> = {
  UNSUPPORTED_DOCUMENT: 'Open a new transaction and ask for another kind of document.',
  EXPIRED_DOCUMENT:
    'Ask for a valid document. `evaluated_at`: the day of the decision, in UTC. The last day had ended everywhere.',
  DOCUMENT_SIDES_MISMATCH:
    'Treat it as suspicious: front and back are of two documents. `fields`, or `score` and `threshold`.',
  MRZ_CHECKSUM_INVALID: 'Treat it as suspicious: no issuer prints wrong check digits. `failed`: which ones.',
  SURNAME_MISMATCH:
    'Compare with `expected_data.last_name`; else treat it as suspicious. `score`, `threshold`, `passes_when`.',
  NAME_MISMATCH:
    'Compare with `expected_data.first_name`; else treat it as suspicious. `score`, `threshold`, `passes_when`.',
  DATE_OF_BIRTH_MISMATCH: 'Compare with `expected_data.date_of_birth`; else treat it as suspicious.',
  CHIP_SIGNATURE_INVALID: 'Treat it as a forgery: no state signed what is on the chip.',
  CHIP_DATA_CHANGED: 'Treat it as a forgery, unless your reader cut a file off: `changed_files` named it at once.',
  CHIP_DATA_MISMATCH: 'Treat it as a forgery: chip and page are of two documents. `fields`: what differs.',
  CHIP_COPY_SUSPECTED: 'Treat it as a copy: the chip is not the one that the state made.',
  CHIP_CERTIFICATE_REVOKED: 'Treat it as suspicious: the state no longer stands by who signed the chip.',
  DOCUMENT_NOT_READABLE:
    'Let the person try again in good light. `fields`: what could not be read; absent: nothing was.',
  DOCUMENT_INCOMPLETE:
    'Another photo helps nobody: ask for another document, or decide by yourself. `fields`: what it does not say.',
  NAME_NOT_COMPARABLE:
    'Send `expected_data` in Latin or Cyrillic letters, or compare by yourself; another photo helps nobody. `fields`: which names.',
  DOCUMENT_SIDE_MISSING: 'Let the person try again with both sides. `side`: `FRONT` or `BACK`.',
  DOCUMENT_PORTRAIT_MISSING: 'Let the person try again with the side that shows the portrait, uncovered.',
  DOCUMENT_COPY_SUSPECTED: 'Ask for the original. `score`, `threshold`, `passes_when`.',
  MRZ_CHARACTERS_CORRECTED: 'Nothing. `corrected_characters`: how many.',
  SURNAME_NOT_EVALUABLE:
    'Nothing: the machine-readable zone was read, and the printed surname was not compared with it.',
  DOCUMENT_GLARE: 'Nothing. `score`, `threshold`, `passes_when`.',
  CHIP_ISSUER_UNKNOWN:
    'Ask your operator to import the state’s certificates. `reasons`: `NO_TRUST_ANCHOR`, `SIGNER_UNKNOWN`, or `ANOTHER_STATE` than the zone names.',
  CHIP_NOT_READ:
    'Let your app read the chip. `reasons`: what the device said, such as `NO_NFC`; absent: nothing was sent.',
  CHIP_NOT_EVALUABLE:
    'Let the person try again. `reasons`: `UNREADABLE`, `ALGORITHM_NOT_ACCEPTED`, `OUT_OF_TIME`, `NO_RESPONSE` to a challenge, or `ZONE_NOT_READ` in the picture.',
  DOCUMENT_EXPIRES_SOON: 'Ask for a renewed document in time. `evaluated_at`, `days_left`.',

  LIVENESS_CHALLENGE_FAILED:
    'One more try is fair; then treat it as an attack. `failed`: actions that were not followed; `repeated`: pictures that are copies of each other; `reason` `SEEN_BEFORE`: frames of an earlier transaction.',
  FLAT_FACE_SUSPECTED: 'Treat it as an attack: a picture was held up. `score`, `threshold`, `passes_when`.',
  FACE_CHANGED_DURING_CAPTURE:
    'Treat it as an attack: selfie and frames show different people. `score`, `threshold`, `passes_when`.',
  PRESENTATION_ATTACK_SUSPECTED: 'Treat it as an attack. `score`, `threshold`, `passes_when`.',
  FACE_RENDERED_SUSPECTED:
    'Have a person compare the frames: a torn outline, hair or ears that stay, shadows that move with the head. `score`, `threshold`, `passes_when`.',
  SCREEN_LIGHT_NOT_FOLLOWED:
    'Have a person compare the frames: they may be a recording made before another screen. `score`, `threshold`, `passes_when`.',
  LIVENESS_NOT_EVALUABLE:
    'Let the person try again. `reason`: `TURNED_TOO_LITTLE` (turn the head further) or `SELFIE_DIFFERS` (the selfie is not surely of the same person); absent: a frame shows no face.',
  MIRRORED: 'Let your app send frames as the camera sees them; many libraries mirror those of a front camera.',
  LIVENESS_FRAMES_DIFFER_IN_SIZE: 'Nothing for one transaction; look closer if an account of yours collects them.',

  MULTIPLE_FACES_DETECTED: 'Let the person try again alone.',
  FACE_MISMATCH: 'Treat it as another person. `score`, `threshold`, `passes_when`.',
  NO_FACE_DETECTED: 'Let the person try again with the face in the picture.',
  SELFIE_LOW_QUALITY:
    'Let the person try again. `reasons`: `TOO_SMALL`, `TURNED_AWAY`, `COVERED`, `EYES_CLOSED`, `BLURRED`.',
  FACE_MATCH_INCONCLUSIVE:
    'Let the person try again, or look at the images yourself. `score`, `threshold`, `passes_when`.',
  FACE_NOT_ENROLLED: 'Open a `DOCUMENT_AND_BIOMETRIC` first: a face is enrolled by its approval.',
  FACE_TEMPLATE_OUTDATED: 'Open a `DOCUMENT_AND_BIOMETRIC`: its approval enrols the face again.',
  SELFIE_MATCHES_DOCUMENT_IMAGE:
    'Look at both images: the portrait of the document may have been held up as the selfie.',

  COMPROMISED_DEVICE: 'As your policy says. Ask for another device.',
  DEVELOPER_MODE_ENABLED: 'As your policy says. Ask the person to switch it off.',
  EMULATOR_DETECTED: 'As your policy says. Ask for a real device.',
  VIRTUAL_CAMERA_DETECTED:
    'As your policy says. Ask for a phone’s own camera. Background blur and phones used as webcams do this too.',
  COMPROMISED_DEVICE_NOT_EVALUABLE:
    'Have your app report `root_detected`, `jailbreak_detected` or `debugger_attached`.',
  DEVELOPER_MODE_NOT_EVALUABLE: 'Have your app report `developer_mode_enabled`, or set the policy to `IGNORE`.',
  EMULATOR_NOT_EVALUABLE: 'Have your app report `is_emulator`, or set the policy to `IGNORE`.',
  VIRTUAL_CAMERA_NOT_EVALUABLE:
    'Have your app report `is_virtual_camera`, or set the policy to `IGNORE`. Pictures from files have no camera.',

  VPN_OR_PROXY_DETECTED: 'As your policy says. Ask the person to switch it off.',
  VPN_OR_PROXY_NOT_EVALUABLE: 'Have your app report `vpn_detected`, `proxy_detected` and `tor_detected`, all three.',

  MOCK_LOCATION_DETECTED: 'As your policy says. Ask for another device.',
  GEO_IP_MISMATCH: 'As your policy says. Roaming and VPNs do this too.',
  CONFIG_GPS_POLICY_WITHOUT_PERMISSION: 'Have your app ask for location, or set both GPS policies to `IGNORE`.',
  MOCK_LOCATION_NOT_EVALUABLE: 'Nothing: there was no position to judge.',
  GEO_IP_MISMATCH_NOT_EVALUABLE: 'Nothing: there was no position, or the operator has no address database.',
  GEOLOCATION_NOT_REQUESTED: 'Nothing.',
  GEOLOCATION_DENIED: 'Nothing.',
  GEOLOCATION_UNAVAILABLE: 'Nothing: indoors this is common.',

  DOCUMENT_OF_ANOTHER_CUSTOMER:
    'As your policy says. Look at the other transactions: one person with two registrations, or a stolen document. `customers`, `transactions_24_hours`, `transactions_30_days`, `transaction_ids`.',
  DOCUMENT_OF_ANOTHER_CUSTOMER_NOT_EVALUABLE: 'Nothing: the document was not read without doubt.',
  IMAGE_OF_ANOTHER_TRANSACTION:
    'As your policy says. Look at both: nobody takes the same picture twice. `customers`, `transaction_ids`.',
  IMAGE_OF_ANOTHER_TRANSACTION_NOT_EVALUABLE: 'Nothing: there was no picture to look for.',
  FACE_OF_ANOTHER_CUSTOMER:
    'As your policy says. Have a person compare the pictures: twins and look-alikes are found too. `customers`, `transaction_ids`, `nearest`, `limit`, `faces_searched`.',
  FACE_OF_ANOTHER_CUSTOMER_NOT_EVALUABLE:
    'Set the policy to `IGNORE` where your account does not search faces; else nothing: the selfie can’t be compared, or there are too many faces.',
  ENGINE_CODE_UNKNOWN: 'Tell the operator: the code of a bought engine is not mapped. `codes`.',
  ANALYSIS_ERROR: 'Open a new transaction, and tell the operator if it happens again.',
  ANALYSIS_TIMEOUT: 'Open a new transaction, and tell the operator if it happens again.',
  CAPTURE_UNREADABLE: 'Open a new transaction, and tell the operator.',
  CANCELLED: 'Nothing: the device, you, the operator or an erasure ended it.',
  REVIEWED_BY_PERSON: 'Nothing: the decision is that of the operator’s reviewer, whatever the rules found.',
  REVIEW_LAPSED: 'Decide yourself, as of any other UNDETERMINED one; tell the operator if it happens again.',
}
