import test from 'ava'
import { type AttestedDevice, attestedBootStates, attestedLevels, signedShares } from '../attestation.ts'
import { applyDevicePolicy, type DevicePolicy, defaultDevicePolicy } from '../device_policy.ts'
import { buildMetadata, type DeviceSignals, type ReportedSignals } from '../metadata.ts'
import { observed, signals } from './findings_samples.ts'

const phone: AttestedDevice = {
  platform: 'android',
  security_level: 'TRUSTED_ENVIRONMENT',
  boot_state: 'VERIFIED',
  bootloader_locked: true,
  os_version: '14.0.0',
  os_patch_level: '2024-06',
  apps: ['org.example.app'],
  is_own_app: true,
  signed_captures: 'ALL',
}

const platform = { sdk_platform: 'android', os_version: '14' }

function judge(reported: DeviceSignals, attested: AttestedDevice | null, policy: Partial<DevicePolicy> = {}) {
  const all: ReportedSignals = { ...signals, device: { ...signals.device, ...platform, ...reported }, attested }
  const metadata = buildMetadata(all, observed)
  const subject = { metadata, reported: all.device ?? {}, permission: 'granted' } as const
  const issues = applyDevicePolicy(subject, { ...defaultDevicePolicy, ...policy }).flatMap(result => result.issues)
  return { metadata, issues, codes: issues.map(({ type, code }) => `${type} ${code}`) }
}

test('a device that is attested as it reports itself gets no issue, and its attestation is in the metadata', t => {
  const { codes, metadata } = judge({}, phone)
  t.deepEqual(codes, [])
  t.deepEqual(metadata.attestation, phone)
  t.is(metadata.device.os_version, '14.0.0')
})

test('metadata and issues say nothing of a missing attestation, unless a policy asks for it', t => {
  const { codes, metadata } = judge({}, null)
  t.deepEqual(codes, [])
  t.false('attestation' in metadata)
  const asked = { on_unattested_device: 'REJECT', on_unlocked_bootloader: 'REJECT', on_other_app: 'REJECT' } as const
  t.deepEqual(judge({}, null, asked).codes, [
    'REJECT DEVICE_NOT_ATTESTED',
    'WARN BOOTLOADER_NOT_EVALUABLE',
    'WARN OTHER_APP_NOT_EVALUABLE',
  ])
})

test('an attested signal replaces the reported one, but a device’s report against itself stays', t => {
  const unlocked: AttestedDevice = { ...phone, bootloader_locked: false, boot_state: 'UNVERIFIED' }
  t.deepEqual(judge({}, unlocked).codes, ['REJECT COMPROMISED_DEVICE', 'WARN ATTESTATION_CONTRADICTED'])
  t.deepEqual(judge({ root_detected: true }, unlocked).codes, ['REJECT COMPROMISED_DEVICE'])
  const software: AttestedDevice = { ...phone, security_level: 'SOFTWARE', boot_state: null, bootloader_locked: null }
  t.deepEqual(judge({}, software).codes, ['REJECT EMULATOR_DETECTED', 'WARN ATTESTATION_CONTRADICTED'])
  const silent = { is_emulator: null, root_detected: null }
  t.is(judge(silent, phone).metadata.device.is_emulator, false)
  t.is(judge(silent, phone).metadata.device.root_detected, false)
  t.deepEqual(judge({ root_detected: true }, phone).codes, [
    'REJECT COMPROMISED_DEVICE',
    'WARN ATTESTATION_CONTRADICTED',
  ])
})

test('the policies of attestations reject what they name', t => {
  const unlocked: AttestedDevice = { ...phone, bootloader_locked: false }
  t.true(judge({}, unlocked, { on_unlocked_bootloader: 'REJECT' }).codes.includes('REJECT BOOTLOADER_UNLOCKED'))
  t.deepEqual(judge({}, phone, { on_unlocked_bootloader: 'REJECT' }).codes, [])
  t.deepEqual(judge({}, { ...phone, is_own_app: false }, { on_other_app: 'REJECT' }).codes, [
    'REJECT OTHER_APP_DETECTED',
  ])
  const unnamed = { ...phone, is_own_app: null }
  t.deepEqual(judge({}, unnamed, { on_other_app: 'REJECT' }).codes, ['WARN OTHER_APP_NOT_EVALUABLE'])
})

const reportedFlags = [true, false, null] as const
const platforms = ['android', 'ios', 'web', null] as const
const versions = ['14', '9', null] as const

/** Each value of each list beside each of the others. */
function combine(lists: Readonly<Record<string, readonly unknown[]>>): readonly Readonly<Record<string, unknown>>[] {
  return Object.entries(lists).reduce<readonly Readonly<Record<string, unknown>>[]>(
    (all, [name, values]) => all.flatMap(one => values.map(value => ({ ...one, [name]: value }))),
    [{}],
  )
}

function toAttested({
  security_level,
  boot_state,
  bootloader_locked,
  signed_captures,
}: AttestedDevice): AttestedDevice {
  const isApple = security_level === 'SECURE_ENCLAVE'
  const hasBoot = boot_state !== null && !isApple && security_level !== 'SOFTWARE'
  return {
    ...phone,
    platform: isApple ? 'ios' : 'android',
    security_level,
    boot_state: hasBoot ? boot_state : null,
    bootloader_locked: hasBoot ? bootloader_locked : null,
    signed_captures,
  }
}

const attestedDevices = combine({
  security_level: attestedLevels,
  boot_state: [null, ...attestedBootStates],
  bootloader_locked: [true, false],
  signed_captures: signedShares,
}).map(one => toAttested(one as unknown as AttestedDevice))

const reportedDevices = combine({
  is_emulator: reportedFlags,
  root_detected: reportedFlags,
  sdk_platform: platforms,
  os_version: versions,
}) as readonly DeviceSignals[]

/** Every attestation beside every report. */
function listPairs() {
  return attestedDevices.flatMap(attested => reportedDevices.map(reported => [attested, reported] as const))
}

test('an attestation overrides a device’s reports in its own fields, and each contradiction is named', t => {
  let pairs = 0
  for (const [attested, reported] of listPairs()) {
    pairs++
    const { metadata, issues } = judge(reported, attested)
    const isSoftware = attested.security_level === 'SOFTWARE'
    const isBroken =
      attested.boot_state !== null &&
      (attested.bootloader_locked === false || ['UNVERIFIED', 'FAILED'].includes(attested.boot_state))
    // No report makes an attested fault undone.
    if (isSoftware) t.is(metadata.device.is_emulator, true)
    if (isBroken) t.is(metadata.device.root_detected, true)
    const expected = {
      sdk_platform: reported.sdk_platform === (attested.platform === 'ios' ? 'android' : 'ios'),
      os_version: reported.os_version === '9',
      is_emulator: reported.is_emulator !== null && reported.is_emulator !== isSoftware,
      root_detected:
        attested.boot_state !== null && reported.root_detected !== null && reported.root_detected !== isBroken,
      signed_captures: attested.signed_captures === 'SOME',
    }
    const named = Object.entries(expected).flatMap(([name, is]) => (is ? [name] : []))
    const found = issues.find(({ code }) => code === 'ATTESTATION_CONTRADICTED')
    if (JSON.stringify(found?.details?.signals ?? []) !== JSON.stringify(named))
      t.deepEqual(found?.details?.signals ?? [], named, JSON.stringify([attested, reported]))
  }
  t.is(pairs, 4 * 5 * 2 * 3 * 3 * 3 * 4 * 3)
})
