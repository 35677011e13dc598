import test from 'ava'
import type { DevicePolicy } from '../device_policy.ts'
import { applyDevicePolicy, completePolicy, defaultDevicePolicy, findAction } from '../device_policy.ts'
import { orderIssues } from '../issues.ts'
import type { ReportedSignals } from '../metadata.ts'
import { buildMetadata, findPermission } from '../metadata.ts'
import { metadataKeys, observed, signals } from './findings_samples.ts'

function found(
  reported: ReportedSignals,
  policy: Partial<DevicePolicy> = {},
  ip_country: string | null = 'FR',
): string[] {
  return orderIssues(
    applyDevicePolicy(
      {
        metadata: buildMetadata(reported, { ...observed, ip_country }),
        reported: reported.device ?? {},
        permission: findPermission(reported),
      },
      completePolicy<DevicePolicy>(defaultDevicePolicy, policy),
    ).flatMap(finding => finding.issues),
  ).map(issue => `${issue.type} ${issue.code}`)
}

function device(change: object): ReportedSignals {
  return { ...signals, device: { ...signals.device, ...change } }
}

function network(change: object): ReportedSignals {
  return { ...signals, network: { ...signals.network, ...change } }
}

function place(change: object): ReportedSignals {
  return { ...signals, geolocation: { ...signals.geolocation, ...change } }
}

function permission(location_permission: 'not_requested' | 'denied'): ReportedSignals {
  return {
    ...signals,
    location_permission,
  }
}

const noRoots = { root_detected: null, jailbreak_detected: null, debugger_attached: null }

/** [case, signals, member, expected under REJECT with its type left out] for each row of the device policy's two tables. */
const rows: readonly [string, ReportedSignals, keyof DevicePolicy, string][] = [
  ['rooted', device({ root_detected: true }), 'on_compromised_device', 'COMPROMISED_DEVICE'],
  ['jailbroken', device({ jailbreak_detected: true }), 'on_compromised_device', 'COMPROMISED_DEVICE'],
  ['debugger', device({ ...noRoots, debugger_attached: true }), 'on_compromised_device', 'COMPROMISED_DEVICE'],
  ['no root signals', device(noRoots), 'on_compromised_device', 'COMPROMISED_DEVICE_NOT_EVALUABLE'],
  ['developer mode', device({ developer_mode_enabled: true }), 'on_developer_mode', 'DEVELOPER_MODE_ENABLED'],
  ['mode null', device({ developer_mode_enabled: null }), 'on_developer_mode', 'DEVELOPER_MODE_NOT_EVALUABLE'],
  ['mode absent', device({ developer_mode_enabled: undefined }), 'on_developer_mode', 'DEVELOPER_MODE_NOT_EVALUABLE'],
  ['emulator', device({ is_emulator: true }), 'on_emulator', 'EMULATOR_DETECTED'],
  ['emulator absent', device({ is_emulator: undefined }), 'on_emulator', 'EMULATOR_NOT_EVALUABLE'],
  ['program as camera', device({ is_virtual_camera: true }), 'on_virtual_camera', 'VIRTUAL_CAMERA_DETECTED'],
  ['OBS', device({ camera_label: 'OBS Virtual Camera' }), 'on_virtual_camera', 'VIRTUAL_CAMERA_DETECTED'],
  ['loopback', device({ camera_label: 'Dummy video device (0x0000)' }), 'on_virtual_camera', 'VIRTUAL_CAMERA_DETECTED'],
  ['one picture', device({ camera_longest_repeat: 15 }), 'on_virtual_camera', 'VIRTUAL_CAMERA_DETECTED'],
  ['no camera', device({ is_virtual_camera: null }), 'on_virtual_camera', 'VIRTUAL_CAMERA_NOT_EVALUABLE'],
  ['vpn', network({ vpn_detected: true }), 'on_vpn_or_proxy', 'VPN_OR_PROXY_DETECTED'],
  ['proxy', network({ vpn_detected: null, proxy_detected: true }), 'on_vpn_or_proxy', 'VPN_OR_PROXY_DETECTED'],
  ['tor', network({ tor_detected: true }), 'on_vpn_or_proxy', 'VPN_OR_PROXY_DETECTED'],
  ['vpn unknown', network({ vpn_detected: null }), 'on_vpn_or_proxy', 'VPN_OR_PROXY_NOT_EVALUABLE'],
  ['no network', { ...signals, network: null }, 'on_vpn_or_proxy', 'VPN_OR_PROXY_NOT_EVALUABLE'],
  ['mock', place({ is_mock_location: true }), 'on_gps_mock_location', 'MOCK_LOCATION_DETECTED'],
  ['mock flag absent', place({ is_mock_location: null }), 'on_gps_mock_location', 'MOCK_LOCATION_NOT_EVALUABLE'],
  ['elsewhere', place({ latitude: 40.4, longitude: -3.7 }), 'on_gps_ip_location_mismatch', 'GEO_IP_MISMATCH'],
  ['at sea', place({ latitude: 0, longitude: 0 }), 'on_gps_ip_location_mismatch', 'GEO_IP_MISMATCH_NOT_EVALUABLE'],
]

for (const [title, reported, member, code] of rows) {
  test(`${title} gives ${code} and nothing else, in the type that ${member} chooses`, t => {
    const missing = code.endsWith('_NOT_EVALUABLE')
    t.deepEqual(found(reported, { [member]: 'REJECT' }), [`${missing ? 'WARN' : 'REJECT'} ${code}`])
    t.deepEqual(found(reported, { [member]: 'WARN' }), [`WARN ${code}`])
    t.deepEqual(found(reported, { [member]: 'IGNORE' }), [])
    if (member === 'on_virtual_camera') t.deepEqual(found(reported), missing ? [] : [`WARN ${code}`])
    else t.deepEqual(found(reported), [`${missing ? 'WARN' : findAction(member, {})} ${code}`])
  })
}

test('a device that no rule finds fault with gets no issue', t => {
  t.deepEqual(found(signals), [])
  for (const label of [
    'Front camera',
    'FaceTime HD Camera',
    'camera2 1, facing front',
    'Observer HD',
    'Integrated Camera (04f2:b6d9)',
  ])
    t.deepEqual(found(device({ camera_label: label })), [], label)
  t.deepEqual(found(device({ camera_repeated_frames: 200, camera_longest_repeat: 14 })), [])
  t.deepEqual(found(device({ ...noRoots, root_detected: false })), [], 'one clear signal is enough')
})

test('signals that were never sent are listed one by one and reject nothing', t => {
  t.deepEqual(found({}), [
    'WARN COMPROMISED_DEVICE_NOT_EVALUABLE',
    'WARN DEVELOPER_MODE_NOT_EVALUABLE',
    'WARN EMULATOR_NOT_EVALUABLE',
    'WARN VPN_OR_PROXY_NOT_EVALUABLE',
    'WARN CONFIG_GPS_POLICY_WITHOUT_PERMISSION',
    'WARN MOCK_LOCATION_NOT_EVALUABLE',
    'WARN GEO_IP_MISMATCH_NOT_EVALUABLE',
    'INFO GEOLOCATION_NOT_REQUESTED',
  ])
})

const mock = 'WARN MOCK_LOCATION_NOT_EVALUABLE'
const geo = 'WARN GEO_IP_MISMATCH_NOT_EVALUABLE'
const both = { on_gps_mock_location: 'IGNORE', on_gps_ip_location_mismatch: 'IGNORE' } as const

test('location that was never asked for or was refused is reported by what the GPS policies need', t => {
  const config = 'WARN CONFIG_GPS_POLICY_WITHOUT_PERMISSION'
  const info = 'INFO GEOLOCATION_NOT_REQUESTED'
  const never = permission('not_requested')
  t.deepEqual(found(never), [config, mock, geo, info])
  t.deepEqual(found(never, { on_gps_mock_location: 'IGNORE' }), [config, geo, info])
  t.deepEqual(found(never, { on_gps_ip_location_mismatch: 'IGNORE' }), [config, mock, info])
  t.deepEqual(found(never, both), [info])
  t.deepEqual(found(permission('denied')), [mock, geo, 'INFO GEOLOCATION_DENIED'])
  t.deepEqual(found(permission('denied'), both), ['INFO GEOLOCATION_DENIED'])
})

test('granted location without usable coordinates, or without a country of the address, is not evaluable', t => {
  t.deepEqual(found({ ...signals, geolocation: null }), [mock, geo])
  t.deepEqual(found(place({ latitude: null })), [mock, geo])
  t.deepEqual(found(place({ latitude: Number.NaN })), [mock, geo])
  t.deepEqual(found(place({ longitude: 181 })), [mock, geo])
  t.deepEqual(found(place({ longitude: 181 }), both), [])
  t.deepEqual(found(place({ latitude: null, is_mock_location: true })), ['REJECT MOCK_LOCATION_DETECTED', geo])
  t.deepEqual(found(signals, {}, null), [geo])
})

test('an issue of the device policy carries no details', t => {
  const issues = applyDevicePolicy(
    { metadata: buildMetadata(device({ root_detected: true }), observed), reported: {}, permission: 'denied' },
    defaultDevicePolicy,
  ).flatMap(finding => finding.issues)
  t.true(issues.length > 0)
  t.true(issues.every(issue => !('details' in issue)))
})

test('the defaults are those of the spec, and an absent member takes its default', t => {
  t.deepEqual(completePolicy<DevicePolicy>(defaultDevicePolicy, null), {
    on_compromised_device: 'REJECT',
    on_developer_mode: 'WARN',
    on_emulator: 'REJECT',
    on_vpn_or_proxy: 'WARN',
    on_gps_mock_location: 'REJECT',
    on_gps_ip_location_mismatch: 'WARN',
  })
  t.deepEqual(
    completePolicy<DevicePolicy>(defaultDevicePolicy, { on_emulator: 'IGNORE', on_vpn_or_proxy: undefined }),
    {
      ...defaultDevicePolicy,
      on_emulator: 'IGNORE',
    },
  )
})

test('metadata has every key of the spec, null where unknown, and the address only as the server saw it', t => {
  const claimed = { ip_address: '198.51.100.9', ip_country: 'US', country_from_coords: 'US' }
  for (const place of [{ latitude: 0, longitude: 0 }, { is_mock_location: true }]) {
    const reported = { location_permission: 'granted', network: claimed as object } as const
    const metadata = buildMetadata({ ...reported, geolocation: { ...claimed, ...place } as object }, observed)
    t.deepEqual(Object.keys(metadata.device), metadataKeys.device)
    t.deepEqual(Object.keys(metadata.network), metadataKeys.network)
    t.deepEqual(Object.keys(metadata.geolocation ?? {}), metadataKeys.geolocation)
    t.is(metadata.network.ip_address, '192.0.2.1')
    t.is(metadata.network.ip_country, 'FR')
    t.is(metadata.geolocation?.country_from_coords, null)
  }
  t.is(buildMetadata(signals, observed).geolocation?.country_from_coords, 'FR')
  t.is(buildMetadata(permission('denied'), observed).geolocation, null)
  t.is(buildMetadata({}, observed).geolocation, null)
  for (const geolocation of [null, {}, { latitude: 91, longitude: 0 }]) {
    const nowhere = { latitude: null, longitude: null, source: null, is_mock_location: null, country_from_coords: null }
    t.deepEqual(buildMetadata({ location_permission: 'granted', geolocation }, observed).geolocation, nowhere)
    t.is(buildMetadata({ geolocation }, observed).geolocation, null)
  }
  const { location_permission: _, ...specified } = signals
  t.is(buildMetadata(specified, observed).geolocation?.country_from_coords, 'FR', 'a position needs no word of ours')
})
