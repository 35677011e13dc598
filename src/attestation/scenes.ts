import type { AttestedDevice, IssueCode } from '@attestor/rules'
import type { SceneChange } from '../engines/scene.ts'

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

function attest(change: Partial<AttestedDevice>): SceneChange {
  return { signals: { attested: { ...phone, ...change } } }
}

export const scenes = {
  BOOTLOADER_UNLOCKED: attest({ bootloader_locked: false, boot_state: 'UNVERIFIED' }),
  OTHER_APP_DETECTED: attest({ is_own_app: false }),
  DEVICE_NOT_ATTESTED: {},
  ATTESTATION_CONTRADICTED: attest({ signed_captures: 'SOME' }),
  BOOTLOADER_NOT_EVALUABLE: {},
  OTHER_APP_NOT_EVALUABLE: attest({ is_own_app: null }),
} as const satisfies Partial<Record<IssueCode, SceneChange>>
