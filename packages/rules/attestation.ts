/** The place of an attested key; `SOFTWARE` proves nothing. */
export const attestedLevels = ['SOFTWARE', 'TRUSTED_ENVIRONMENT', 'STRONG_BOX', 'SECURE_ENCLAVE'] as const

/** The statement of an Android device's bootloader about the system that it started. */
export const attestedBootStates = ['VERIFIED', 'SELF_SIGNED', 'UNVERIFIED', 'FAILED'] as const

/** The number of captures that came with a signature by the attested key. */
export const signedShares = ['ALL', 'SOME', 'NONE'] as const

/** The statements that the maker of the device has signed. */
export interface AttestedDevice {
  readonly platform: 'android' | 'ios'
  readonly security_level: (typeof attestedLevels)[number]
  /** Null if nothing proves it: for software, and for Apple's devices, which prove no boot. */
  readonly boot_state: (typeof attestedBootStates)[number] | null
  readonly bootloader_locked: boolean | null
  readonly os_version: string | null
  /** `2024-06`. */
  readonly os_patch_level: string | null
  /** Packages, or `TEAM.bundle`; empty where none is named. */
  readonly apps: readonly string[]
  /** Whether it is one of the account's; null: the account names none of this platform. */
  readonly is_own_app: boolean | null
  readonly signed_captures: (typeof signedShares)[number]
}

/** A device's own reports of facts that can be attested. */
interface ReportedDevice {
  readonly sdk_platform?: string | null | undefined
  readonly os_version?: string | null | undefined
  readonly is_emulator?: boolean | null | undefined
  readonly root_detected?: boolean | null | undefined
}

function isHardware({ security_level }: AttestedDevice): boolean {
  return security_level !== 'SOFTWARE'
}

/**
 * Whether the boot is compromised: an unlocked bootloader starts anything; the states below `SELF_SIGNED` started
 * unsigned software.
 */
function isBootCompromised({ bootloader_locked, boot_state }: AttestedDevice): boolean | null {
  if (boot_state === null) return null
  return bootloader_locked === false || boot_state === 'UNVERIFIED' || boot_state === 'FAILED'
}

/**
 * A device's report against itself counts, in spite of its maker's attestation: a kernel that was broken into boots as
 * usual.
 */
function replace(reported: boolean | null | undefined, attested: boolean | null): boolean | null {
  if (attested === null || reported === true) return reported ?? null
  return attested
}

/** Attested signals replace those that the device reported. */
export function replaceByAttested<D extends ReportedDevice>(device: D, attested: AttestedDevice | null): D {
  if (attested === null) return device
  return {
    ...device,
    is_emulator: replace(device.is_emulator, !isHardware(attested)),
    root_detected: replace(device.root_detected, isBootCompromised(attested)),
    os_version: attested.os_version ?? device.os_version,
  }
}

/** The first number of a version: a device may say `14` for `14.0.0`. */
function readMajor(version: string | null | undefined): string | null {
  return /^\D*(\d+)/.exec(version ?? '')?.[1] ?? null
}

const platforms: Readonly<Record<AttestedDevice['platform'], RegExp>> = { android: /ios|iphone|ipad/i, ios: /android/i }

function differ(reported: unknown, attested: unknown): boolean {
  return (reported ?? null) !== null && attested !== null && reported !== attested
}

/** Names the device's reports that contradict its maker's attestation, or its own. */
export function listContradictions(device: ReportedDevice, attested: AttestedDevice | null): readonly string[] {
  if (attested === null) return []
  const boot = isBootCompromised(attested)
  const found: Readonly<Record<string, boolean>> = {
    sdk_platform: platforms[attested.platform].test(device.sdk_platform ?? ''),
    os_version: differ(readMajor(device.os_version), readMajor(attested.os_version)),
    is_emulator: differ(device.is_emulator, !isHardware(attested)),
    root_detected: differ(device.root_detected, boot),
    signed_captures: attested.signed_captures === 'SOME',
  }
  return Object.keys(found).filter(name => found[name])
}

/** Software attests to itself alone. */
export function findUnattested(attested: AttestedDevice | null): boolean {
  return attested === null || !isHardware(attested)
}

/** Apple's devices have no bootloader that their owners unlock. */
export function findUnlocked(attested: AttestedDevice | null): boolean | null {
  if (attested === null || !isHardware(attested)) return null
  if (attested.platform === 'ios') return false
  return attested.bootloader_locked === null ? null : !attested.bootloader_locked
}

export function findOtherApp(attested: AttestedDevice | null): boolean | null {
  if (attested === null || !isHardware(attested) || attested.is_own_app === null) return null
  return !attested.is_own_app
}
