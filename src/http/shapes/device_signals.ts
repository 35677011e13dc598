import { z } from 'zod'
import { objectField, rule, textField, withDefault, wordField } from '../fields.ts'

export const boolean = z.boolean({ error: rule('must be true or false') })
const flag = boolean.nullish()
const text = textField(0, 255).nullish()

function degrees(limit: number) {
  const error = rule(`must be a number from -${limit} to ${limit}`)
  return z.number({ error }).min(-limit, { error }).max(limit, { error }).nullish()
}

const device = objectField({
  sdk_platform: text,
  sdk_version: text,
  os_version: text,
  device_model: text,
  is_emulator: flag,
  root_detected: flag,
  jailbreak_detected: flag,
  developer_mode_enabled: flag,
  debugger_attached: flag,
})

const network = objectField({
  ip_type: text,
  vpn_detected: flag,
  proxy_detected: flag,
  tor_detected: flag,
  connection_type: text,
  carrier_name: text,
})

const geolocation = objectField({
  latitude: degrees(90),
  longitude: degrees(180),
  source: text,
  is_mock_location: flag,
})

const location_permission = wordField(['not_requested', 'granted', 'denied'])

const document_type = wordField(['PASSPORT', 'ID_CARD', 'DRIVING_LICENSE', 'RESIDENCE_PERMIT'])

export const documentBody = z.object({ document_type })

export const startBody = z.object({
  device: device.nullish(),
  location_permission: withDefault(location_permission, 'not_requested'),
  consent: withDefault(boolean, false),
  document_type: document_type.nullish(),
})

/** The address is not among them: the server observes it. */
export const signalsBody = z.object({
  device: device.nullish(),
  network: network.nullish(),
  geolocation: geolocation.nullish(),
  location_permission: location_permission.nullish(),
})
