import { readFileSync } from 'node:fs'
import { type AttestationRoots, openRoots } from '@attestor/credentials/attestation'
import { asError } from '../base/api_error.ts'
import { ConfigError } from '../base/setting.ts'
import type { Config } from '../config/settings.ts'
import type { FeatureDeps, FeatureWork } from '../feature_work.ts'
import type { AttestationParts } from './attest.ts'
import { createAttestationEndpoints } from './endpoints.ts'
import { createSignatureReader } from './read_signature.ts'
import { createRevokedKeys } from './revoked_keys.ts'

type RootSetting = 'ATTESTATION_GOOGLE_ROOTS' | 'ATTESTATION_APPLE_ROOTS'

function readFile(config: Config, name: RootSetting): string | undefined {
  const file = config[name]
  return file === null ? undefined : readFileSync(file, 'utf8')
}

/** @throws {ConfigError} for a file that is not there, or that has no certificate */
function readRoots(config: Config): AttestationRoots {
  const open = (name: RootSetting, member: 'google_hardware' | 'apple'): AttestationRoots => {
    try {
      const replaced = readFile(config, name)
      const roots = openRoots(replaced === undefined ? {} : { [member]: replaced })
      if (roots[member].length === 0) throw new Error('has no certificate')
      return roots
    } catch (cause) {
      throw new ConfigError(`${name}: ${asError(cause).message}`, { cause })
    }
  }
  const { google_hardware, google_software } = open('ATTESTATION_GOOGLE_ROOTS', 'google_hardware')
  return { google_hardware, google_software, apple: open('ATTESTATION_APPLE_ROOTS', 'apple').apple }
}

/** @throws {ConfigError} */
function openParts({ config, guard, clock, log, count }: FeatureDeps): AttestationParts {
  return {
    roots: readRoots(config),
    readRevoked: createRevokedKeys({ url: config.ATTESTATION_STATUS_URL, guard, clock, log }),
    countRefused: () => count('refused_proofs', 'attestation'),
  }
}

export const attestationWork = {
  endpoints: deps => createAttestationEndpoints(deps && openParts(deps)),
  signatures: createSignatureReader,
} as const satisfies FeatureWork
