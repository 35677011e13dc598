import { isIP } from 'node:net'
import { areCoordinates, findCountryAt } from './countries.ts'

/** An absent and a null signal both mean that nobody knows. */
type Reported<Value> = Value | null | undefined

/** What the SDK says of the device (spec, "Metadata"). */
export interface DeviceSignals {
  readonly sdk_platform?: Reported<string>
  readonly sdk_version?: Reported<string>
  readonly os_version?: Reported<string>
  readonly device_model?: Reported<string>
  readonly is_emulator?: Reported<boolean>
  readonly root_detected?: Reported<boolean>
  readonly jailbreak_detected?: Reported<boolean>
  readonly developer_mode_enabled?: Reported<boolean>
  readonly debugger_attached?: Reported<boolean>
}

/** What the SDK says of the network: the address and its country are not among it, the server sees them itself. */
export interface NetworkSignals {
  readonly ip_type?: Reported<string>
  readonly vpn_detected?: Reported<boolean>
  readonly proxy_detected?: Reported<boolean>
  readonly tor_detected?: Reported<boolean>
  readonly connection_type?: Reported<string>
  readonly carrier_name?: Reported<string>
}

/** What the SDK says of the place, in degrees. */
export interface GeolocationSignals {
  readonly latitude?: Reported<number>
  readonly longitude?: Reported<number>
  readonly source?: Reported<string>
  readonly is_mock_location?: Reported<boolean>
}

/** decisions, "Device side": what became of the request for location. */
export type LocationPermission = 'not_requested' | 'granted' | 'denied'

/** All signals of a transaction. A group that was never sent is null or absent. */
export interface ReportedSignals {
  readonly device?: DeviceSignals | null | undefined
  readonly network?: NetworkSignals | null | undefined
  readonly geolocation?: GeolocationSignals | null | undefined
  /** Absent counts as `not_requested`. */
  readonly location_permission?: LocationPermission | null | undefined
}

/** What the server saw of the connection: country is ISO 3166-1 alpha-2. Null where unknown. */
export interface ServerObservation {
  readonly ip_address: string | null
  readonly ip_country: string | null
  /** Whether the operator's lists hold the address; null or absent without a list. */
  readonly vpn_listed?: boolean | null
  readonly tor_listed?: boolean | null
}

type Complete<Signals> = { readonly [Key in keyof Signals]-?: Exclude<Signals[Key], undefined> }

/** `metadata.device` (spec, "Metadata"). */
export type DeviceMetadata = Complete<DeviceSignals>

/** `metadata.network` (spec, "Metadata"). */
export type NetworkMetadata = Pick<ServerObservation, 'ip_address' | 'ip_country'> & Complete<NetworkSignals>

/** `metadata.geolocation` (spec, "Metadata"); the coordinates are both numbers or both null. */
export type GeolocationMetadata = Complete<GeolocationSignals> & { readonly country_from_coords: string | null }

/** `result_data.metadata` (spec, "Metadata"): every key always there, null where nobody knows. */
export interface Metadata {
  readonly device: DeviceMetadata
  readonly network: NetworkMetadata
  readonly geolocation: GeolocationMetadata | null
}

const toDeviceMetadata = (device: DeviceSignals): DeviceMetadata => ({
  sdk_platform: device.sdk_platform ?? null,
  sdk_version: device.sdk_version ?? null,
  os_version: device.os_version ?? null,
  device_model: device.device_model ?? null,
  is_emulator: device.is_emulator ?? null,
  root_detected: device.root_detected ?? null,
  jailbreak_detected: device.jailbreak_detected ?? null,
  developer_mode_enabled: device.developer_mode_enabled ?? null,
  debugger_attached: device.debugger_attached ?? null,
})

/** What a list raises is raised, whatever the device says. */
const combineWithList = (reported: Reported<boolean>, listed: Reported<boolean>): boolean | null =>
  listed === true ? true : (reported ?? null)

const ipTypes: Readonly<Record<number, string>> = { 4: 'IPv4', 6: 'IPv6' }

const toNetworkMetadata = (network: NetworkSignals, observed: ServerObservation): NetworkMetadata => ({
  ip_address: observed.ip_address,
  ip_type: network.ip_type ?? ipTypes[isIP(observed.ip_address ?? '')] ?? null,
  ip_country: observed.ip_country,
  // No list of VPNs and proxies is whole: an address that is not on it may be one all the same (spec, rule 3).
  vpn_detected: combineWithList(network.vpn_detected, observed.vpn_listed),
  proxy_detected: network.proxy_detected ?? null,
  // The Tor project publishes every exit: what is not on the list is none.
  tor_detected: combineWithList(network.tor_detected ?? observed.tor_listed, observed.tor_listed),
  connection_type: network.connection_type ?? null,
  carrier_name: network.carrier_name ?? null,
})

/** Null without a position, but for a raised flag: a device that says so of itself says it whether it found one or not. */
const toGeolocationMetadata = (place: GeolocationSignals): GeolocationMetadata | null => {
  const real = areCoordinates(place.latitude, place.longitude)
  if (!real && place.is_mock_location !== true) return null
  const latitude = real ? (place.latitude ?? null) : null
  const longitude = real ? (place.longitude ?? null) : null
  return {
    latitude,
    longitude,
    source: place.source ?? null,
    is_mock_location: place.is_mock_location ?? null,
    country_from_coords: findCountryAt(latitude, longitude),
  }
}

/**
 * The metadata of a result. `geolocation` is null where location was never requested or was denied, even if a place was
 * sent all the same, and where permission was granted and no position was found; an issue says which (`locationIssues`).
 */
export const buildMetadata = (signals: ReportedSignals, observed: ServerObservation): Metadata => ({
  device: toDeviceMetadata(signals.device ?? {}),
  network: toNetworkMetadata(signals.network ?? {}, observed),
  geolocation: signals.location_permission === 'granted' ? toGeolocationMetadata(signals.geolocation ?? {}) : null,
})
