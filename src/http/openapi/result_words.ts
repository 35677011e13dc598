/** The meaning of a field, and an example of its value. */
export type GlossaryEntry = readonly [description: string, example: unknown]

function signal(what: string): GlossaryEntry {
  return [`Whether ${what}; null where it is unknown.`, false]
}

/** The members of a result. */
export const resultFields = {
  issues: ['Every reason behind the decision, the weightiest first.', []],
  'Result.decision': [
    'What was decided: `UNDETERMINED` where a rule could not be applied, and none rejects.',
    'REJECTED',
  ],
  'FailedResult.decision': [
    'Always `UNDETERMINED`: the transaction ended before anything was decided.',
    'UNDETERMINED',
  ],
  'DocumentSection.status': ['What the checks of the document come to.', 'REJECTED'],
  'LivenessSection.status': ['What the checks of liveness come to.', 'PASSED'],
  'FaceComparisonSection.status': ['What the comparison of the faces comes to.', 'PASSED'],
  'Check.status': ['What this check comes to.', 'PASSED'],
  'Issue.type': ['`REJECT` decides; `WARN` and `INFO` never do.', 'REJECT'],
  code: ['Stable: it never changes its meaning. New ones may come.', 'EXPIRED_DOCUMENT'],
  message: [
    'What was found, in English, for your support; its words may change, `code` does not.',
    'The document has expired',
  ],
  details: [
    'The values that the rule used, such as `score`, `threshold` and `passes_when`.',
    { evaluated_at: '2026-11-17' },
  ],
  document: ['What was found about the document; absent in a step-up, which shows none.', {}],
  liveness: ['Whether a live person was there.', {}],
  face_comparison: ['Whether it is the person of the document, or the enrolled one.', {}],
  metadata: ['Every signal that the device reported, and what the server saw of the connection.', {}],
  'DocumentSection.data': ['What the document says.', {}],
  'LivenessSection.data': ['What the challenge showed.', {}],
  'FaceComparisonSection.data': ['How alike the faces are, and which ones were compared.', {}],
  engine: ['The analysis engine; null where none ran.', {}],
  'Engine.name': ['Which engine analysed it: the service’s own is `local`.', 'local'],
  'Engine.version': ['The engine’s version, in a form of its own.', '1'],
  'Check.name': ['The rule that was applied, by a name that stays.', 'visual_surname'],
  document_type: ['The sort of document; null where it was not read.', 'PASSPORT'],
  issuing_country: ['The country that issued the document; null where it was not read.', 'SE'],
  nationality: ['The holder’s nationality; null where there is none.', 'SE'],
  document_number: ['The document’s number, as it is printed; null where it was not read.', 'L898902C3'],
  personal_number: ['The holder’s number in their country, as it is printed; null where there is none.', null],
  first_name: ['All given names; null where they are not known.', 'ANNA MARIA'],
  last_name: ['The surname; null where it is not known.', 'ERIKSSON'],
  date_of_birth: ['The day of birth, `YYYY-MM-DD`; null where it is not known.', '1974-08-12'],
  sex: ['The sex as the document prints it, `X` where it names neither; null where it says nothing.', 'F'],
  issue_date: ['The day of issue, `YYYY-MM-DD`; null where it is not on the document.', null],
  expiry_date: ['The last day on which the document is valid; null where it was not read.', '2026-11-16'],
  mrz: ['The machine-readable zone; null where there is none.', {}],
  format: ['The zone’s format, as ICAO 9303 names it: `TD3` is a passport.', 'TD3'],
  valid: ['Whether every check digit agrees.', true],
  corrected_characters: ['How many misread characters were corrected by their check digits.', 0],
  checks: ['Every rule that was applied, with what it measured.', []],
  score: ['What was measured, in the unit of its threshold; null where nothing was.', 0.97],
  threshold: [
    'The limit that `score` is compared with, in the direction of `passes_when`; null where there is none.',
    0.85,
  ],
  passes_when: ['Whether a score passes from its threshold upwards, or up to it.', 'at_least'],
  method: [
    'How liveness was judged: `ACTIVE` by a challenge, `PASSIVE` by the image alone, `EXTERNAL` by another engine; null where it was not.',
    'ACTIVE',
  ],
  challenge: ['The actions that were asked for, in their order; empty where there was no challenge.', []],
  action: ['What the person was asked to do; left and right are their own.', 'TURN_LEFT'],
  passed: ['Whether the image shows the action; null where the image leaves it open.', true],
  planarity: ['How far the face is from a flat picture; null where it was not measured.', null],
  continuity: [
    'How far the selfie’s face is from those of the challenge’s images; null where it was not measured.',
    null,
  ],
  presence: ['How sure a second method is of a live person; null where none was used.', null],
  'LivenessData.attempts': ['Challenges that were issued; null where none was.', 1],
  'FaceComparisonData.reference': [
    'Whether the selfie was compared with the document’s portrait or with the enrolled face; null where it was not compared.',
    'DOCUMENT',
  ],
} as const satisfies Record<string, GlossaryEntry>

/** What a device reports, and what the server observes. */
export const reportedFields = {
  device: ['What the app or the page reports of the device.', {}],
  network: ['What is known of the connection.', {}],
  geolocation: ['Where the device is; null where it was not requested, denied or not found: an issue says which.', {}],
  sdk_platform: ['The platform that the app runs on, in its own words; null where it is unknown.', 'ios'],
  sdk_version: ['The version of the app’s SDK, or of the capture page; null where it is unknown.', '1.2.3'],
  os_version: ['The version of the device’s system; null where it is unknown.', '19.1'],
  device_model: ['The device’s model, as its maker names it; null where it is unknown.', 'Phone 9'],
  is_emulator: signal('it is an emulator or a simulator'),
  root_detected: signal('it is rooted'),
  jailbreak_detected: signal('it is jailbroken'),
  developer_mode_enabled: signal('developer mode is enabled'),
  debugger_attached: signal('a debugger is attached'),
  ip_address: ['As the server saw it, never as the device says.', '192.0.2.1'],
  ip_type: ['The sort of address, such as `IPv4`, or what the device says of it; null where it is unknown.', 'IPv4'],
  ip_country: ['The address’s country; null without an address database.', 'SE'],
  vpn_detected: signal('the connection goes through a VPN'),
  proxy_detected: signal('the connection goes through a proxy'),
  tor_detected: signal('the connection comes from Tor'),
  connection_type: ['How the device is connected, such as `wifi` or `cellular`; null where it is unknown.', 'wifi'],
  carrier_name: ['The name of the mobile carrier; null where there is none, or it is unknown.', null],
  latitude: ['Degrees north of the equator, negative to the south; null where it is unknown.', 59.3293],
  longitude: ['Degrees east of Greenwich, negative to the west; null where it is unknown.', 18.0686],
  source: ['What the device found its place by, such as `gps`; null where it is unknown.', 'gps'],
  is_mock_location: signal('the location is simulated'),
  country_from_coords: ['The country of the coordinates; null at sea.', 'SE'],
  location_permission: [
    'What the person answered when they were asked for the location; the absence of coordinates is explained by it.',
    'granted',
  ],
  consent: ['Whether the person agreed to be verified.', true],
  'startSession.document_type': [
    'The document that the person has chosen to show: a card needs its back, too. Null where nothing was chosen.',
    'PASSPORT',
  ],
} as const satisfies Record<string, GlossaryEntry>
