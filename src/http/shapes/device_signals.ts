import { documentTypes } from '@attestor/rules'
import { z } from 'zod'
import { integerField, meaning, objectField, rule, textField, withDefault, wordField } from '../../schemas/fields.ts'

export const boolean = z.boolean({ error: rule('must be true or false') })
const flag = boolean.nullish()
const text = textField(0, 255).nullish()
const count = integerField(0, 1_000_000).nullish()

function degrees(limit: number) {
  const error = rule(`must be a number from -${limit} to ${limit}`)
  return z.number({ error }).min(-limit, { error }).max(limit, { error }).nullish()
}

type Meanings = Readonly<Record<string, ReturnType<typeof meaning>>>

/** The same field for each meaning. */
export function fieldsOf<M extends Meanings, T extends z.ZodType>(meanings: M, field: T): { [K in keyof M]: T } {
  const entries = Object.entries(meanings).map(([name, one]) => [name, field.meta(one)])
  return Object.fromEntries(entries) as { [K in keyof M]: T }
}

function signal(what: string) {
  return meaning(`Whether ${what}; null where it is unknown.`, false)
}

/** The descriptions of a report's members, which a result has, too. */
export const reported = {
  deviceTexts: {
    sdk_platform: meaning('The platform that the app runs on, in its own words; null where it is unknown.', 'ios'),
    sdk_version: meaning('The version of the app’s SDK, or of the capture page; null where it is unknown.', '1.2.3'),
    os_version: meaning('The version of the device’s system; null where it is unknown.', '19.1'),
    device_model: meaning('The device’s model, as its maker names it; null where it is unknown.', 'Phone 9'),
  },
  cameraTexts: {
    camera_label: meaning('The name of the camera that took the selfie; null where it is unknown.', 'Front camera'),
    camera_controls: meaning(
      'What the app or the page may set of it, in its platform’s words; null where that is nothing, or unknown.',
      'torch zoom',
    ),
  },
  deviceFlags: {
    is_emulator: signal('it is an emulator or a simulator'),
    root_detected: signal('it is rooted'),
    jailbreak_detected: signal('it is jailbroken'),
    developer_mode_enabled: signal('developer mode is enabled'),
    debugger_attached: signal('a debugger is attached'),
  },
  cameraFlags: { is_virtual_camera: signal('a program shows its pictures as the camera') },
  cameraCounts: {
    camera_width: meaning('The width of the camera’s pictures, in pixels; null where it is unknown.', 1280),
    camera_height: meaning('Their height; null where it is unknown.', 720),
    camera_frame_rate: meaning('The frames that the camera promises in a second; null where it is unknown.', 30),
    camera_frames: meaning('How many of its frames were looked at; null where none was.', 90),
    camera_frame_interval_ms: meaning('The median time between two frames; null where it is unknown.', 33),
    camera_frame_jitter_ms: meaning('By how much the times differ from it, the median; null where it is unknown.', 1),
    camera_repeated_frames: meaning(
      'Frames that are their predecessor to the last pixel; null where it is unknown.',
      0,
    ),
    camera_longest_repeat: meaning(
      'The most of them in a row: 15 count as a virtual camera; null where it is unknown.',
      0,
    ),
  },
  networkFlags: {
    vpn_detected: signal('the connection goes through a VPN'),
    proxy_detected: signal('the connection goes through a proxy'),
    tor_detected: signal('the connection comes from Tor'),
  },
  networkTexts: {
    connection_type: meaning(
      'How the device is connected, such as `wifi` or `cellular`; null where it is unknown.',
      'wifi',
    ),
    carrier_name: meaning('The name of the mobile carrier; null where there is none, or it is unknown.', null),
  },
  latitude: meaning('Degrees north of the equator, negative to the south; null where it is unknown.', 59.3293),
  longitude: meaning('Degrees east of Greenwich, negative to the west; null where it is unknown.', 18.0686),
  source: meaning('What the device found its place by, such as `gps`; null where it is unknown.', 'gps'),
  is_mock_location: signal('the location is simulated'),
  device: meaning('What the app or the page reports of the device.'),
  network: meaning('What is known of the connection.'),
} as const

const device = objectField({
  ...fieldsOf(reported.deviceTexts, text),
  ...fieldsOf(reported.deviceFlags, flag),
  ...fieldsOf(reported.cameraTexts, text),
  ...fieldsOf(reported.cameraFlags, flag),
  ...fieldsOf(reported.cameraCounts, count),
})
  .nullish()
  .meta(reported.device)

const network = objectField({
  ip_type: text.meta(meaning('What the device says of its address, such as `IPv4`; null where it is unknown.', 'IPv4')),
  ...fieldsOf(reported.networkFlags, flag),
  ...fieldsOf(reported.networkTexts, text),
})
  .nullish()
  .meta(reported.network)

const geolocation = objectField({
  latitude: degrees(90).meta(reported.latitude),
  longitude: degrees(180).meta(reported.longitude),
  source: text.meta(reported.source),
  is_mock_location: flag.meta(reported.is_mock_location),
})
  .nullish()
  .meta(meaning('Where the device is; null where it is not known: `location_permission` says why.'))

const location_permission = wordField(['not_requested', 'granted', 'denied'])

const permissionMeaning = meaning(
  'What the person answered when they were asked for the location; the absence of coordinates is explained by it. Null: `granted` where coordinates are reported, else `not_requested`.',
  'granted',
)

const document_type = wordField(documentTypes)

export const documentBody = z.object({
  document_type: document_type.meta(
    meaning('The document that the person shows instead: a card needs its back, too.', 'PASSPORT'),
  ),
})

export const startBody = z.object({
  device,
  location_permission: location_permission.nullish().meta(permissionMeaning),
  consent: withDefault(boolean, false).meta(meaning('Whether the person agreed to be verified.', true)),
  document_type: document_type
    .nullish()
    .meta(
      meaning(
        'The document that the person has chosen to show: a card needs its back, too. Null where nothing was chosen.',
        'PASSPORT',
      ),
    ),
})

/** The address is not among them: the server observes it. */
export const signalsBody = z.object({
  device,
  network,
  geolocation,
  location_permission: location_permission.nullish().meta(permissionMeaning),
})
