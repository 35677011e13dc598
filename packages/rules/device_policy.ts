import { findOtherApp, findUnattested, findUnlocked, listContradictions } from './attestation.ts'
import { conclude, type RuleResult } from './decision.ts'
import type { Issue, IssueCode, IssueSection } from './issues.ts'
import { createIssue, createIssueOfType, getIssueEntry } from './issues.ts'
import type { DeviceSignals, LocationPermission, Metadata } from './metadata.ts'

/** The effects that a signal can have on the result. */
export const policyActions = ['REJECT', 'WARN', 'IGNORE'] as const

export type PolicyAction = (typeof policyActions)[number]

export const defaultDevicePolicy = {
  on_compromised_device: 'REJECT',
  on_developer_mode: 'WARN',
  on_emulator: 'REJECT',
  on_vpn_or_proxy: 'WARN',
  on_gps_mock_location: 'REJECT',
  on_gps_ip_location_mismatch: 'WARN',
} satisfies Readonly<Record<string, PolicyAction>>

/** Policies that the specification does not have: until they are set, a missing signal raises no issue. */
const unsetPolicies = {
  on_virtual_camera: 'WARN',
  on_unattested_device: 'IGNORE',
  on_unlocked_bootloader: 'IGNORE',
  on_other_app: 'IGNORE',
} as const satisfies Readonly<Record<string, PolicyAction>>

type SpecifiedPolicy = Readonly<Record<keyof typeof defaultDevicePolicy, PolicyAction>>

/** `config.device_policy`, complete. */
export type DevicePolicy = SpecifiedPolicy & { readonly [N in keyof typeof unsetPolicies]?: PolicyAction }

export type DevicePolicyName = keyof DevicePolicy

/** Adds the defaults of the members that the integrator left out. */
export function completePolicy<Policy extends { readonly [M in keyof Policy]: PolicyAction }>(
  defaults: Policy,
  given: { readonly [M in keyof Policy]?: PolicyAction | undefined } | null | undefined,
): Policy {
  const members = Object.entries(given ?? {}).filter(([, action]) => action !== undefined)
  return { ...defaults, ...Object.fromEntries(members) }
}

/** Null: missing or inconclusive. */
type Signal = boolean | null

/** One raised signal is enough. No phone reports them all: one that is false is enough to clear the device. */
function findCompromise({ device }: Metadata): Signal {
  const signals = [device.root_detected, device.jailbreak_detected, device.debugger_attached]
  if (signals.includes(true)) return true
  return signals.includes(false) ? false : null
}

function findDeveloperMode({ device }: Metadata): Signal {
  return device.developer_mode_enabled
}

function findEmulator({ device }: Metadata): Signal {
  return device.is_emulator
}

/**
 * Names of programs that show the pictures of a file or of another program as a camera: OBS, ManyCam, Snap Camera,
 * XSplit, mmhmm, e2eSoft VCam, SplitCam, AlterCam, YouCam, DroidCam, Iriun, EpocCam, Camo, NDI, v4l2loopback, and
 * Chromium's own.
 */
const virtualCameras =
  /\b(obs\b|manycam|snap camera|xsplit|mmhmm|vcam|splitcam|altercam|youcam|droidcam|iriun|epoccam|camo\b|ndi\b|v4l2loopback|dummy video|fake_device|virtual)/i

/** Frames in a row, half a second of them. In the dark, some cameras show each frame three or four times. */
const mostRepeats = 15

/**
 * A name counts even if the device reports otherwise, and so do frames that repeat: the noise of a sensor makes no two of them
 * alike, but a program that shows a picture repeats it.
 */
function findVirtualCamera({ device }: Metadata): Signal {
  const repeats = (device.camera_longest_repeat ?? 0) >= mostRepeats
  return repeats || virtualCameras.test(device.camera_label ?? '') ? true : (device.is_virtual_camera ?? null)
}

/** Clean only if all three signals are false. */
function findTunnel({ network }: Metadata): Signal {
  const signals = [network.vpn_detected, network.proxy_detected, network.tor_detected]
  if (signals.includes(true)) return true
  return signals.every(signal => signal === false) ? false : null
}

/** `true` counts even without coordinates; `false` means nothing without them. */
function findMockLocation({ geolocation }: Metadata): Signal {
  if (geolocation?.is_mock_location === true) return true
  return geolocation === null || geolocation.latitude === null ? null : geolocation.is_mock_location
}

function findLocationMismatch({ geolocation, network }: Metadata): Signal {
  const country = geolocation?.country_from_coords ?? null
  if (country === null || network.ip_country === null) return null
  return country.toUpperCase() !== network.ip_country.toUpperCase()
}

/** Finds a signal; then the issue of a raised signal, and the issue of a missing one. */
type Rule = readonly [find: (metadata: Metadata) => Signal, found: IssueCode, missing: IssueCode]

const rules: Readonly<Record<DevicePolicyName, Rule>> = {
  on_compromised_device: [findCompromise, 'COMPROMISED_DEVICE', 'COMPROMISED_DEVICE_NOT_EVALUABLE'],
  on_developer_mode: [findDeveloperMode, 'DEVELOPER_MODE_ENABLED', 'DEVELOPER_MODE_NOT_EVALUABLE'],
  on_emulator: [findEmulator, 'EMULATOR_DETECTED', 'EMULATOR_NOT_EVALUABLE'],
  on_virtual_camera: [findVirtualCamera, 'VIRTUAL_CAMERA_DETECTED', 'VIRTUAL_CAMERA_NOT_EVALUABLE'],
  on_unattested_device: [
    ({ attestation = null }) => findUnattested(attestation),
    'DEVICE_NOT_ATTESTED',
    'DEVICE_NOT_ATTESTED',
  ],
  on_unlocked_bootloader: [
    ({ attestation = null }) => findUnlocked(attestation),
    'BOOTLOADER_UNLOCKED',
    'BOOTLOADER_NOT_EVALUABLE',
  ],
  on_other_app: [
    ({ attestation = null }) => findOtherApp(attestation),
    'OTHER_APP_DETECTED',
    'OTHER_APP_NOT_EVALUABLE',
  ],
  on_vpn_or_proxy: [findTunnel, 'VPN_OR_PROXY_DETECTED', 'VPN_OR_PROXY_NOT_EVALUABLE'],
  on_gps_mock_location: [findMockLocation, 'MOCK_LOCATION_DETECTED', 'MOCK_LOCATION_NOT_EVALUABLE'],
  on_gps_ip_location_mismatch: [findLocationMismatch, 'GEO_IP_MISMATCH', 'GEO_IP_MISMATCH_NOT_EVALUABLE'],
}

export const devicePolicyNames = Object.keys(rules) as readonly DevicePolicyName[]

/** The section of a policy's rule, or of the rules about the permission and the attestation. */
export function findPolicySection(name: string): IssueSection {
  const policy = devicePolicyNames.find(one => one === name)
  if (name === 'attestation') return getIssueEntry('ATTESTATION_CONTRADICTED').section
  return getIssueEntry(policy === undefined ? 'CONFIG_GPS_POLICY_WITHOUT_PERMISSION' : rules[policy][1]).section
}

/** Returns the effect of a raised signal: the policy's own, or the default if it is not set. */
export function findAction(name: DevicePolicyName, policy: Readonly<Partial<Record<DevicePolicyName, PolicyAction>>>) {
  return policy[name] ?? { ...defaultDevicePolicy, ...unsetPolicies }[name]
}

/** Applies one rule. A raised signal is a failed check. The type of its issue determines the effect on the decision. */
function applyRule(name: DevicePolicyName, metadata: Metadata, policy: DevicePolicy): readonly RuleResult[] {
  const action = findAction(name, policy)
  if (action === 'IGNORE') return []
  const [find, found, missing] = rules[name]
  const signal = find(metadata)
  // The specification does not know our own signals: a missing one raises no issue unless its policy was set.
  if (signal === null && policy[name] === undefined) return []
  if (signal === null) return [conclude(name, 'NOT_EXECUTED', [createIssue(missing)])]
  return [signal ? conclude(name, 'REJECTED', [createIssueOfType(found, action)]) : conclude(name, 'PASSED')]
}

const absenceIssues = {
  not_requested: 'GEOLOCATION_NOT_REQUESTED',
  denied: 'GEOLOCATION_DENIED',
  granted: null,
} as const satisfies Record<LocationPermission, IssueCode | null>

/** Every result says why its `geolocation` is null. */
export function findGeolocationIssues(permission: LocationPermission): Issue[] {
  const code = absenceIssues[permission]
  return code === null ? [] : [createIssue(code)]
}

/** The issues of an absent location, and of GPS policies that need one. */
function findLocationIssues(permission: LocationPermission, policy: DevicePolicy): Issue[] {
  const unused = policy.on_gps_mock_location === 'IGNORE' && policy.on_gps_ip_location_mismatch === 'IGNORE'
  return [
    ...(permission === 'not_requested' && !unused ? [createIssue('CONFIG_GPS_POLICY_WITHOUT_PERMISSION')] : []),
    ...findGeolocationIssues(permission),
  ]
}

/** Without an attestation there is nothing to contradict. */
function judgeAttestation(reported: DeviceSignals, { attestation }: Metadata): readonly RuleResult[] {
  if (attestation === undefined) return []
  const signals = listContradictions(reported, attestation)
  return [
    signals.length === 0
      ? conclude('attestation', 'PASSED')
      : conclude('attestation', 'REJECTED', [createIssue('ATTESTATION_CONTRADICTED', { signals })]),
  ]
}

/** The facts that a policy is applied to: the metadata, and the device's reports before its attestation replaced some of them. */
export interface PolicySubject {
  readonly metadata: Metadata
  readonly reported: DeviceSignals
  readonly permission: LocationPermission
}

/** Applies a policy to the metadata. A rule that is IGNORE has no result. */
export function applyDevicePolicy(
  { metadata, reported, permission }: PolicySubject,
  policy: DevicePolicy,
): readonly RuleResult[] {
  const issues = findLocationIssues(permission, policy)
  const location = conclude('location_permission', issues.length === 0 ? 'PASSED' : 'NOT_EXECUTED', issues)
  return [
    ...devicePolicyNames.flatMap(name => applyRule(name, metadata, policy)),
    ...judgeAttestation(reported, metadata),
    location,
  ]
}
