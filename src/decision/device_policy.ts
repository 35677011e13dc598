import { conclude, type RuleResult } from './decision.ts'
import type { Issue, IssueCode, IssueSection } from './issues.ts'
import { createIssue, createIssueOfType, getIssueEntry } from './issues.ts'
import type { LocationPermission, Metadata } from './metadata.ts'

/** What a signal does to the result. */
export const policyActions = ['REJECT', 'WARN', 'IGNORE'] as const

export type PolicyAction = (typeof policyActions)[number]

export const defaultDevicePolicy = {
  on_compromised_device: 'REJECT',
  on_developer_mode: 'WARN',
  on_emulator: 'REJECT',
  on_virtual_camera: 'WARN',
  on_vpn_or_proxy: 'WARN',
  on_gps_mock_location: 'REJECT',
  on_gps_ip_location_mismatch: 'WARN',
} satisfies Readonly<Record<string, PolicyAction>>

/** `config.device_policy`, complete. */
export type DevicePolicy = Readonly<Record<keyof typeof defaultDevicePolicy, PolicyAction>>

/** Adds the defaults of the members that the integrator left out. */
export function completePolicy<Member extends string>(
  defaults: Readonly<Record<Member, PolicyAction>>,
  given: { readonly [M in Member]?: PolicyAction | undefined } | null | undefined,
): Readonly<Record<Member, PolicyAction>> {
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

/**
 * Programs that show the pictures of a file or of another program as a camera, by what they call it: OBS, ManyCam, Snap Camera,
 * XSplit, mmhmm, e2eSoft VCam, SplitCam, AlterCam, YouCam, DroidCam, Iriun, EpocCam, Camo, NDI, v4l2loopback, and Chromium's own.
 */
const virtualCameras =
  /\b(obs\b|manycam|snap camera|xsplit|mmhmm|vcam|splitcam|altercam|youcam|droidcam|iriun|epoccam|camo\b|ndi\b|v4l2loopback|dummy video|fake_device|virtual)/i

/** A name counts even if the device reports otherwise. */
function findVirtualCamera({ device }: Metadata): Signal {
  return virtualCameras.test(device.camera_label ?? '') ? true : device.is_virtual_camera
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

interface Rule {
  readonly policy: keyof DevicePolicy
  readonly find: (metadata: Metadata) => Signal
  readonly found: IssueCode
  readonly missing: IssueCode
}

const rules: readonly Rule[] = [
  {
    policy: 'on_compromised_device',
    find: findCompromise,
    found: 'COMPROMISED_DEVICE',
    missing: 'COMPROMISED_DEVICE_NOT_EVALUABLE',
  },
  {
    policy: 'on_developer_mode',
    find: ({ device }) => device.developer_mode_enabled,
    found: 'DEVELOPER_MODE_ENABLED',
    missing: 'DEVELOPER_MODE_NOT_EVALUABLE',
  },
  {
    policy: 'on_emulator',
    find: ({ device }) => device.is_emulator,
    found: 'EMULATOR_DETECTED',
    missing: 'EMULATOR_NOT_EVALUABLE',
  },
  {
    policy: 'on_virtual_camera',
    find: findVirtualCamera,
    found: 'VIRTUAL_CAMERA_DETECTED',
    missing: 'VIRTUAL_CAMERA_NOT_EVALUABLE',
  },
  {
    policy: 'on_vpn_or_proxy',
    find: findTunnel,
    found: 'VPN_OR_PROXY_DETECTED',
    missing: 'VPN_OR_PROXY_NOT_EVALUABLE',
  },
  {
    policy: 'on_gps_mock_location',
    find: findMockLocation,
    found: 'MOCK_LOCATION_DETECTED',
    missing: 'MOCK_LOCATION_NOT_EVALUABLE',
  },
  {
    policy: 'on_gps_ip_location_mismatch',
    find: findLocationMismatch,
    found: 'GEO_IP_MISMATCH',
    missing: 'GEO_IP_MISMATCH_NOT_EVALUABLE',
  },
]

/** The section of a policy's rule, or of the rule about the permission. */
export function findPolicySection(name: string): IssueSection {
  return getIssueEntry(rules.find(({ policy }) => policy === name)?.found ?? 'CONFIG_GPS_POLICY_WITHOUT_PERMISSION')
    .section
}

/** A raised signal is a failed check. The type of its issue says what that does to the decision. */
function applyRule(rule: Rule, metadata: Metadata, policy: DevicePolicy): readonly RuleResult[] {
  const action: PolicyAction | undefined = policy[rule.policy]
  // A transaction that was opened before there was the rule has none.
  if (action === undefined || action === 'IGNORE') return []
  const found = rule.find(metadata)
  if (found === null) return [conclude(rule.policy, 'NOT_EXECUTED', [createIssue(rule.missing)])]
  return [
    found
      ? conclude(rule.policy, 'REJECTED', [createIssueOfType(rule.found, action)])
      : conclude(rule.policy, 'PASSED'),
  ]
}

const absenceIssues = {
  not_requested: 'GEOLOCATION_NOT_REQUESTED',
  denied: 'GEOLOCATION_DENIED',
  granted: 'GEOLOCATION_UNAVAILABLE',
} as const satisfies Record<LocationPermission, IssueCode>

/** Every result says why its `geolocation` is null. An absent `permission` is `not_requested`, as in `buildMetadata`. */
export function findGeolocationIssues(
  { geolocation }: Metadata,
  permission: LocationPermission | null | undefined,
): Issue[] {
  return geolocation === null ? [createIssue(absenceIssues[permission ?? 'not_requested'])] : []
}

/** The issues of an absent location, and of GPS policies that need one. */
function findLocationIssues(
  metadata: Metadata,
  permission: LocationPermission | null | undefined,
  policy: DevicePolicy,
): Issue[] {
  const unused = policy.on_gps_mock_location === 'IGNORE' && policy.on_gps_ip_location_mismatch === 'IGNORE'
  const unasked = (permission ?? 'not_requested') === 'not_requested'
  return [
    ...(unasked && !unused ? [createIssue('CONFIG_GPS_POLICY_WITHOUT_PERMISSION')] : []),
    ...findGeolocationIssues(metadata, permission),
  ]
}

/** Applies a policy to the metadata. A rule that is IGNORE has no result. */
export function applyDevicePolicy(
  metadata: Metadata,
  permission: LocationPermission | null | undefined,
  policy: DevicePolicy,
): readonly RuleResult[] {
  const issues = findLocationIssues(metadata, permission, policy)
  const location = conclude('location_permission', issues.length === 0 ? 'PASSED' : 'NOT_EXECUTED', issues)
  return [...rules.flatMap(rule => applyRule(rule, metadata, policy)), location]
}
