import { readFileSync } from 'node:fs'
import { type DeviceCertificate, readPem } from './certificates.ts'

/** The roots that attestations are verified by. The files and their sources are in `roots/`. */
export interface AttestationRoots {
  readonly google_hardware: readonly DeviceCertificate[]
  /** Their keys are public: they say that a device is none, and nothing else. */
  readonly google_software: readonly DeviceCertificate[]
  readonly apple: readonly DeviceCertificate[]
}

export type AttestationRootName = keyof AttestationRoots

function readOwn(name: string): string {
  return readFileSync(new URL(`roots/${name}.pem`, import.meta.url), 'utf8')
}

/** Opens the makers' roots, or an operator's in their place, in PEM. @throws {UnreadableFileError} */
export function openRoots(replaced: Readonly<Partial<Record<AttestationRootName, string>>> = {}): AttestationRoots {
  return {
    google_hardware: readPem(replaced.google_hardware ?? readOwn('google_hardware')),
    google_software: readPem(replaced.google_software ?? readOwn('google_software')),
    apple: readPem(replaced.apple ?? readOwn('apple_app_attest')),
  }
}
