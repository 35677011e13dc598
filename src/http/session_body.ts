import { z } from 'zod'
import { objectField, rule, textField, wordField } from './fields.ts'

const flag = z.boolean({ error: rule('must be true or false') }).nullish()
const word = textField(0, 255).nullish()
const degrees = (limit: number) => {
  const error = rule(`must be a number from -${limit} to ${limit}`)
  return z.number({ error }).min(-limit, { error }).max(limit, { error }).nullish()
}

const device = objectField({
  sdk_platform: word,
  sdk_version: word,
  os_version: word,
  device_model: word,
  is_emulator: flag,
  root_detected: flag,
  jailbreak_detected: flag,
  developer_mode_enabled: flag,
  debugger_attached: flag,
})

const network = objectField({
  ip_type: word,
  vpn_detected: flag,
  proxy_detected: flag,
  tor_detected: flag,
  connection_type: word,
  carrier_name: word,
})

const geolocation = objectField({
  latitude: degrees(90),
  longitude: degrees(180),
  source: word,
  is_mock_location: flag,
})

const location_permission = wordField(['not_requested', 'granted', 'denied']).nullish()

const document_type = wordField(['PASSPORT', 'ID_CARD', 'DRIVING_LICENSE', 'RESIDENCE_PERMIT']).nullish()

/** decisions.md, "Device side": `POST /start`. */
export const start_body = z.object({ device: device.nullish(), location_permission, consent: flag, document_type })

/** decisions.md, "Device side": `PUT /signals`. An address that the device claims is not among them. */
export const signals_body = z.object({
  device: device.nullish(),
  network: network.nullish(),
  geolocation: geolocation.nullish(),
  location_permission,
})

/** decisions.md, "Device side": `POST /cancel`. */
export const cancel_body = z.object({ final: flag })
