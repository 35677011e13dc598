import type { IssueCode } from '@attestor/rules'

/**
 * Advice to integrators about each issue, and the meaning of its `details`: for docs/integrate/issues.md, which is
 * generated.
 */
export const issueAdvice: Readonly<Record<IssueCode, string>> = {
  UNSUPPORTED_DOCUMENT: 'Ask for another kind of document.',
  EXPIRED_DOCUMENT: 'Ask for a valid one. `evaluated_at`: the day of the decision, in UTC.',
  DOCUMENT_SIDES_MISMATCH: 'Treat it as suspicious. `fields`, or a score.',
  MRZ_CHECKSUM_INVALID: 'Treat it as suspicious: no issuer prints such. `failed`: which ones.',
  SURNAME_MISMATCH: 'Compare with `expected_data.last_name`; else treat it as suspicious.',
  NAME_MISMATCH: 'Compare with `expected_data.first_name`; else treat it as suspicious.',
  DATE_OF_BIRTH_MISMATCH: 'Compare with `expected_data.date_of_birth`; else treat it as suspicious.',
  CHIP_SIGNATURE_INVALID: 'Treat it as a forgery.',
  CHIP_DATA_CHANGED: 'Treat it as a forgery, unless your reader cut off a file: `changed_files` named it.',
  CHIP_DATA_MISMATCH: 'Treat it as a forgery. `fields`: what differs.',
  CHIP_COPY_SUSPECTED: 'Treat it as a copy.',
  CHIP_CERTIFICATE_REVOKED: 'Treat it as suspicious.',
  WALLET_SIGNATURE_INVALID: 'Treat it as a forgery. `reasons`: `NOT_SIGNED`, `DIGEST_DIFFERS` or `SIGNER_NOT_ALLOWED`.',
  WALLET_BINDING_INVALID: 'Treat it as a copy: the answer was made for somebody else, or without the wallet’s key.',
  WALLET_REVOKED: 'Ask for a valid one. `reasons`: `REVOKED`, `SUSPENDED` or `CERTIFICATE_REVOKED`.',
  WALLET_OUT_OF_TIME: 'Ask for a valid one. `reasons`: `NOT_YET_VALID` or `EXPIRED`.',
  AGE_NOT_REACHED:
    'Serve the person as one who has not reached it. It is said also where something else is not proven; then `is_over` is null.',
  DOCUMENT_NOT_READABLE: 'Try again in good light. `fields`: what could not be read; absent: nothing was.',
  MRZ_NOT_STANDARD:
    'Look at the document: a new code of a state, or a number that the state puts elsewhere. Another photograph shows the same. `fields`.',
  DOCUMENT_INCOMPLETE: 'Another photo helps nobody: ask for another document, or decide yourself. `fields`.',
  NAME_IN_ANOTHER_FIELD:
    'Ask the person which is the first and which the last name: many surnames are given names too. `fields`.',
  NAME_NOT_COMPARABLE: 'Send `expected_data` in Latin or Cyrillic letters, or compare it yourself. `fields`.',
  DOCUMENT_NUMBER_MISMATCH: 'Compare with `expected_data.document_number`; else treat it as suspicious.',
  DOCUMENT_KIND_UNKNOWN:
    'Have a person look at the document: nothing of it was checked but that the expected data is printed on it.',
  DOCUMENT_SIDE_MISSING: 'Try again with both. `side`: `FRONT` or `BACK`.',
  DOCUMENT_PORTRAIT_MISSING: 'Try again with the portrait uncovered.',
  DOCUMENT_COPY_SUSPECTED: 'Ask for the original.',
  MRZ_CHARACTERS_CORRECTED: '`corrected_characters`: how many.',
  SURNAME_NOT_EVALUABLE: '',
  DOCUMENT_GLARE: '',
  CHIP_ISSUER_UNKNOWN:
    'Ask your operator to import them. `reasons`: `NO_TRUST_ANCHOR`, `SIGNER_UNKNOWN`, or `ANOTHER_STATE` than the zone names.',
  CHIP_NOT_READ: 'Let your app read it. `reasons`: what the device said, such as `NO_NFC`.',
  CHIP_NOT_EVALUABLE:
    'Try again. `reasons`: `UNREADABLE`, `ALGORITHM_NOT_ACCEPTED`, `OUT_OF_TIME`, `NO_RESPONSE` to a challenge, or `ZONE_NOT_READ` in the picture.',
  WALLET_ISSUER_UNKNOWN: 'Ask your operator to import them. `reasons`: `NO_TRUST_ANCHOR` or `SIGNER_UNKNOWN`.',
  WALLET_NOT_EVALUABLE:
    'Try again later. `reasons`: `STATUS_UNAVAILABLE` where the issuer’s status list could not be had, `ALGORITHM_NOT_ACCEPTED`, or `UNREADABLE`.',
  AGE_NOT_EVALUABLE:
    'Ask again: the document shows no date of birth that can be read, or the wallet did not answer for this age.',
  DOCUMENT_EXPIRES_SOON: '`evaluated_at`, `days_left`.',

  LIVENESS_CHALLENGE_FAILED:
    'One more try is fair; then treat it as an attack. `failed`: actions; `reason` `SEEN_BEFORE`: of an earlier transaction.',
  FLAT_FACE_SUSPECTED: 'Treat it as an attack.',
  FACE_CHANGED_DURING_CAPTURE: 'Treat it as an attack.',
  PRESENTATION_ATTACK_SUSPECTED: 'Treat it as an attack.',
  FACE_RENDERED_SUSPECTED: 'Have a person compare the frames: a torn outline, hair or ears that stay.',
  LIVENESS_NOT_EVALUABLE:
    'Try again. `reason` `SELFIE_DIFFERS`: the selfie is perhaps of another person; absent: a frame shows no face.',
  MIRRORED: 'Send frames as the camera sees them.',
  LIVENESS_FRAMES_DIFFER_IN_SIZE: 'Look closer if they become many.',

  MULTIPLE_FACES_DETECTED: 'Try again, alone.',
  FACE_MISMATCH: 'Treat it as another person.',
  NO_FACE_DETECTED: 'Try again with the face in the picture.',
  SELFIE_LOW_QUALITY:
    'Try again. `reasons`: `TOO_SMALL`, `TURNED_AWAY`, `COVERED`, `EYES_CLOSED`, `BLURRED`, or `DOCUMENT` for the portrait of one.',
  FACE_MATCH_INCONCLUSIVE: 'Try again, or look at the images yourself.',
  FACE_NOT_ENROLLED: 'Open a `DOCUMENT_AND_BIOMETRIC` first: a face is enrolled by its approval.',
  FACE_TEMPLATE_OUTDATED: 'Open a `DOCUMENT_AND_BIOMETRIC`: its approval enrols the face again.',
  WALLET_WITHOUT_PORTRAIT:
    'Ask for a wallet with a portrait, or for a document; or set `document_policy.wallet_without_portrait`, and decide by liveness alone.',
  SELFIE_MATCHES_DOCUMENT_IMAGE: 'Look at both images.',

  COMPROMISED_DEVICE: 'Ask for another device.',
  DEVELOPER_MODE_ENABLED: 'Ask the person to switch it off.',
  EMULATOR_DETECTED: 'Ask for a real device.',
  VIRTUAL_CAMERA_DETECTED: 'Ask for a phone’s own camera. Background blur and phones used as webcams do this too.',
  BOOTLOADER_UNLOCKED: 'Its owner can start any system on it, which can show the app any picture as the camera’s.',
  OTHER_APP_DETECTED:
    'Somebody else’s app, or yours under another signature, used the `sdk_token`. Compare `metadata.attestation.apps`.',
  DEVICE_NOT_ATTESTED: 'Ask for a phone with your app. Browsers, emulators and some old phones cannot be attested.',
  ATTESTATION_CONTRADICTED:
    'Some of it was changed, or the attestation is another device’s. `signals`: names of `metadata.device`, or `signed_captures`.',
  COMPROMISED_DEVICE_NOT_EVALUABLE: 'Report `root_detected`, `jailbreak_detected` or `debugger_attached`.',
  DEVELOPER_MODE_NOT_EVALUABLE: 'Report `developer_mode_enabled`.',
  EMULATOR_NOT_EVALUABLE: 'Report `is_emulator`.',
  BOOTLOADER_NOT_EVALUABLE: 'Let the app send `PUT /attestation`.',
  OTHER_APP_NOT_EVALUABLE: 'Let the app send `PUT /attestation`, and name your apps: `attestor account apps`.',
  VIRTUAL_CAMERA_NOT_EVALUABLE: 'Report `is_virtual_camera`. Pictures from files have no camera.',

  VPN_OR_PROXY_DETECTED: 'Ask the person to switch it off.',
  VPN_OR_PROXY_NOT_EVALUABLE: 'Report `vpn_detected`, `proxy_detected` and `tor_detected`, all three.',

  MOCK_LOCATION_DETECTED: 'Ask for another device.',
  GEO_IP_MISMATCH: 'Roaming and VPNs do this too.',
  CONFIG_GPS_POLICY_WITHOUT_PERMISSION: 'Have your app ask for it, or set both GPS policies to `IGNORE`.',
  MOCK_LOCATION_NOT_EVALUABLE: 'There was no position.',
  GEO_IP_MISMATCH_NOT_EVALUABLE: 'There was no position, or no address database.',
  GEOLOCATION_NOT_REQUESTED: '',
  GEOLOCATION_DENIED: '',

  DOCUMENT_OF_ANOTHER_CUSTOMER:
    'Look at the others: two registrations of one person, or a stolen document. `customers`, `transactions_24_hours`, `transactions_30_days`, `transaction_ids`.',
  DOCUMENT_OF_ANOTHER_CUSTOMER_NOT_EVALUABLE: 'It was not read without doubt.',
  IMAGE_OF_ANOTHER_TRANSACTION: 'Look at both: nobody takes the same picture twice. `customers`, `transaction_ids`.',
  IMAGE_OF_ANOTHER_TRANSACTION_NOT_EVALUABLE: 'There was none to look for.',
  FACE_OF_ANOTHER_CUSTOMER:
    'Have a person compare the pictures: twins are found too. `customers`, `transaction_ids`, `nearest`, `limit`, `faces_searched`.',
  FACE_OF_ANOTHER_CUSTOMER_NOT_EVALUABLE: '[Why](fraud-policy.md#faces).',
  ENGINE_CODE_UNKNOWN: 'Tell the operator. `codes`.',
  ANALYSIS_ERROR: 'Open a new transaction, and tell the operator if it happens again.',
  ANALYSIS_TIMEOUT: 'The same.',
  CAPTURE_UNREADABLE: 'Open a new transaction, and tell the operator.',
  CANCELLED: 'By the device, you, the operator or an erasure.',
  REVIEWED_BY_PERSON: '',
  REVIEW_LAPSED: 'Decide yourself; tell the operator if it happens again.',
}
