import { isIP } from 'node:net'
import { iso1A2Code } from '@rapideditor/country-coder'
import { type AttestedDevice, replaceByAttested } from './attestation.ts'
import { isCountry } from './countries.ts'

/** Whether two values are coordinates, in degrees. */
export function areCoordinates(latitude: unknown, longitude: unknown): boolean {
  return (
    typeof latitude === 'number' &&
    typeof longitude === 'number' &&
    Math.abs(latitude) <= 90 &&
    Math.abs(longitude) <= 180
  )
}

/** ISO 3166-1 alpha-2 of the territory (PR, not US); null at sea, or without coordinates. */
export function findCountryAt(latitude: number | null, longitude: number | null): string | null {
  if (latitude === null || longitude === null || !areCoordinates(latitude, longitude)) return null
  const territory = iso1A2Code([longitude, latitude], { level: 'territory' })
  // Ceuta and Melilla have a code that ISO only reserves (EA), and that no address database uses.
  if (territory === null || isCountry(territory)) return territory
  return iso1A2Code([longitude, latitude], { level: 'country' })
}

/** An absent and a null signal are both unknown. */
type Reported<Value> = Value | null | undefined

/** The signals of the specification. */
interface SpecifiedSignals {
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

/** Signals that the specification does not name: a result has only those that were reported. */
interface CameraSignals {
  /** The system's name for the camera that took the selfie. */
  readonly camera_label?: Reported<string>
  readonly is_virtual_camera?: Reported<boolean>
  /** Camera controls that an app may set, in the words of its platform. */
  readonly camera_controls?: Reported<string>
  /** Width of the picture, in pixels. */
  readonly camera_width?: Reported<number>
  readonly camera_height?: Reported<number>
  /** Frames per second, as the camera promises. */
  readonly camera_frame_rate?: Reported<number>
  /** Number of frames that were examined. */
  readonly camera_frames?: Reported<number>
  /** The median time between two frames, and the median deviation from it. */
  readonly camera_frame_interval_ms?: Reported<number>
  readonly camera_frame_jitter_ms?: Reported<number>
  /** Frames that repeat their predecessor to the last pixel, and the longest row of them. */
  readonly camera_repeated_frames?: Reported<number>
  readonly camera_longest_repeat?: Reported<number>
}

export type DeviceSignals = SpecifiedSignals & CameraSignals

/** Signals that the SDK reports. The server observes the address and its country. */
export interface NetworkSignals {
  readonly ip_type?: Reported<string>
  readonly vpn_detected?: Reported<boolean>
  readonly proxy_detected?: Reported<boolean>
  readonly tor_detected?: Reported<boolean>
  readonly connection_type?: Reported<string>
  readonly carrier_name?: Reported<string>
}

/** Reported by the SDK, in degrees. */
export interface GeolocationSignals {
  readonly latitude?: Reported<number>
  readonly longitude?: Reported<number>
  readonly source?: Reported<string>
  readonly is_mock_location?: Reported<boolean>
}

export type LocationPermission = 'not_requested' | 'granted' | 'denied'

/** The signals of a transaction. A group that was not sent is null or absent. */
export interface ReportedSignals {
  readonly device?: DeviceSignals | null | undefined
  readonly network?: NetworkSignals | null | undefined
  readonly geolocation?: GeolocationSignals | null | undefined
  /** Absent counts as `granted` beside a position, else as `not_requested`. */
  readonly location_permission?: LocationPermission | null | undefined
  /** Proven by the device's maker, and not reported. */
  readonly attested?: AttestedDevice | null | undefined
}

/** The server's observations of the connection. The country is ISO 3166-1 alpha-2; null is unknown. */
export interface ServerObservation {
  readonly ip_address: string | null
  readonly ip_country: string | null
  /** Whether the address is on the operator's lists; null or absent without a list. */
  readonly vpn_listed?: boolean | null
  readonly tor_listed?: boolean | null
}

type Complete<Signals> = { readonly [Key in keyof Signals]-?: Exclude<Signals[Key], undefined> }

type Known<Signals> = { readonly [Key in keyof Signals]: NonNullable<Signals[Key]> }

type DeviceMetadata = Complete<SpecifiedSignals> & Known<CameraSignals>

type NetworkMetadata = Pick<ServerObservation, 'ip_address' | 'ip_country'> & Complete<NetworkSignals>

/** The coordinates are both numbers or both null. */
type GeolocationMetadata = Complete<GeolocationSignals> & { readonly country_from_coords: string | null }

/**
 * `result_data.metadata`: every key of the specification is always there, and null is unknown. Signals that the
 * specification does not name are there only if they were reported.
 */
export interface Metadata {
  readonly device: DeviceMetadata
  readonly network: NetworkMetadata
  readonly geolocation: GeolocationMetadata | null
  readonly attestation?: AttestedDevice
}

const cameraSignals = [
  'camera_label',
  'is_virtual_camera',
  'camera_controls',
  'camera_width',
  'camera_height',
  'camera_frame_rate',
  'camera_frames',
  'camera_frame_interval_ms',
  'camera_frame_jitter_ms',
  'camera_repeated_frames',
  'camera_longest_repeat',
] as const satisfies readonly (keyof CameraSignals)[]

function pickCamera(device: DeviceSignals): Known<CameraSignals> {
  const reported = cameraSignals.filter(name => (device[name] ?? null) !== null)
  return Object.fromEntries(reported.map(name => [name, device[name]]))
}

function toDeviceMetadata(device: DeviceSignals): DeviceMetadata {
  return {
    sdk_platform: device.sdk_platform ?? null,
    sdk_version: device.sdk_version ?? null,
    os_version: device.os_version ?? null,
    device_model: device.device_model ?? null,
    is_emulator: device.is_emulator ?? null,
    root_detected: device.root_detected ?? null,
    jailbreak_detected: device.jailbreak_detected ?? null,
    developer_mode_enabled: device.developer_mode_enabled ?? null,
    debugger_attached: device.debugger_attached ?? null,
    ...pickCamera(device),
  }
}

/** A listed address counts even if the device reports otherwise. */
function combineWithList(reported: Reported<boolean>, listed: Reported<boolean>): boolean | null {
  return listed === true ? true : (reported ?? null)
}

const ipTypes: Readonly<Record<number, string>> = { 4: 'IPv4', 6: 'IPv6' }

function toNetworkMetadata(network: NetworkSignals, observed: ServerObservation): NetworkMetadata {
  return {
    ip_address: observed.ip_address,
    ip_type: network.ip_type ?? ipTypes[isIP(observed.ip_address ?? '')] ?? null,
    ip_country: observed.ip_country,
    // No list of VPNs is complete: an address that is not on it may still be one.
    vpn_detected: combineWithList(network.vpn_detected, observed.vpn_listed),
    proxy_detected: network.proxy_detected ?? null,
    // The Tor project publishes every exit: an address that is not on its list is not Tor's.
    tor_detected: combineWithList(network.tor_detected ?? observed.tor_listed, observed.tor_listed),
    connection_type: network.connection_type ?? null,
    carrier_name: network.carrier_name ?? null,
  }
}

function toGeolocationMetadata(reported: GeolocationSignals): GeolocationMetadata {
  const real = areCoordinates(reported.latitude, reported.longitude)
  const latitude = real ? (reported.latitude ?? null) : null
  const longitude = real ? (reported.longitude ?? null) : null
  return {
    latitude,
    longitude,
    source: reported.source ?? null,
    is_mock_location: reported.is_mock_location ?? null,
    country_from_coords: findCountryAt(latitude, longitude),
  }
}

/**
 * Returns the permission, which is our own word for the SDK's question. A client that reports a position without it
 * must have asked.
 */
export function findPermission({ location_permission, geolocation }: ReportedSignals): LocationPermission {
  const isLocated = areCoordinates(geolocation?.latitude, geolocation?.longitude)
  return location_permission ?? (isLocated || geolocation?.is_mock_location === true ? 'granted' : 'not_requested')
}

/**
 * `geolocation` is null where location was never requested or was denied, even if a position was sent. Where permission was
 * granted without a position, its coordinates are null.
 */
export function buildMetadata(signals: ReportedSignals, observed: ServerObservation): Metadata {
  const attested = signals.attested ?? null
  return {
    device: toDeviceMetadata(replaceByAttested(signals.device ?? {}, attested)),
    network: toNetworkMetadata(signals.network ?? {}, observed),
    geolocation: findPermission(signals) === 'granted' ? toGeolocationMetadata(signals.geolocation ?? {}) : null,
    ...(attested === null ? {} : { attestation: attested }),
  }
}
