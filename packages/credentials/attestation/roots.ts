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

const own = new Map<string, readonly DeviceCertificate[]>()

/** The makers' own roots are read once: they are a part of the program. */
function readOwn(name: string): readonly DeviceCertificate[] {
  const read = own.get(name) ?? readPem(readFileSync(new URL(`roots/${name}.pem`, import.meta.url), 'utf8'))
  own.set(name, read)
  return read
}

/** Opens the makers' roots, or an operator's in their place, in PEM. @throws {UnreadableFileError} */
export function openRoots(replaced: Readonly<Partial<Record<AttestationRootName, string>>> = {}): AttestationRoots {
  const read = (name: AttestationRootName, file: string): readonly DeviceCertificate[] => {
    const text = replaced[name]
    return text === undefined ? readOwn(file) : readPem(text)
  }
  return {
    google_hardware: read('google_hardware', 'google_hardware'),
    google_software: read('google_software', 'google_software'),
    apple: read('apple', 'apple_app_attest'),
  }
}
