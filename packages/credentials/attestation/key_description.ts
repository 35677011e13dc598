import { UnreadableFileError } from '../chip/unreadable_file_error.ts'
import {
  type DerObject,
  listDer,
  readOneDer,
  requireBoolean,
  requireDer,
  requireInteger,
} from '../encoding/strict_der.ts'

/** Security levels in the order of their numbers. */
export const securityLevels = ['SOFTWARE', 'TRUSTED_ENVIRONMENT', 'STRONG_BOX'] as const

export type SecurityLevel = (typeof securityLevels)[number]

/** Boot states in the order of their numbers: green, yellow, orange, red. */
export const bootStates = ['VERIFIED', 'SELF_SIGNED', 'UNVERIFIED', 'FAILED'] as const

export type BootState = (typeof bootStates)[number]

/** The bootloader's statement when the device started. */
export interface RootOfTrust {
  /** Key of the boot image's signature, in hex. */
  readonly boot_key: string
  readonly is_locked: boolean
  readonly boot_state: BootState
}

/** The app that made the key, by its package and the SHA-256 of the certificates that signed it, in hex. */
export interface AndroidApp {
  readonly packages: readonly string[]
  readonly signers: readonly string[]
}

/** The part of a key's description that somebody enforces: the hardware, or Android. */
interface Authorizations {
  /** Numbers of KeyMint's `KeyPurpose`: 2 is to sign. */
  readonly purposes: readonly number[]
  /** A number of `KeyOrigin`: 0 is a key that was generated where it is. Null: not said. */
  readonly origin: number | null
  readonly root_of_trust: RootOfTrust | null
  /** `14.0.0`; null: not said. */
  readonly os_version: string | null
  /** `2024-03`; null: not said. */
  readonly os_patch_level: string | null
  readonly app: AndroidApp | null
  /** Epoch milliseconds. */
  readonly created_at: number | null
}

/** The extension 1.3.6.1.4.1.11129.2.1.17 of an attested key's certificate, of any version. */
export interface KeyDescription {
  readonly version: number
  readonly level: SecurityLevel
  readonly key_level: SecurityLevel
  readonly challenge: Buffer
  readonly software: Authorizations
  readonly hardware: Authorizations
}

function malformed(what: string): UnreadableFileError {
  return new UnreadableFileError(`KeyDescription: ${what}`)
}

function readWord<T extends string>(object: DerObject | undefined, words: readonly T[]): T {
  const word = words[Number(requireInteger(object, 'ENUMERATED'))]
  if (word === undefined) throw malformed('a level or a state is not known')
  return word
}

function readSmall(object: DerObject | undefined): number {
  const value = requireInteger(object)
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw malformed('a number is too large')
  return Number(value)
}

/** Three parts up to version 2, four from version 3 on. */
function readRootOfTrust(object: DerObject): RootOfTrust {
  const [key, locked, state, hash, more] = listDer(object, 'SEQUENCE')
  if (more !== undefined) throw malformed('the root of trust has too many parts')
  if (hash !== undefined) requireDer(hash, 'OCTET_STRING')
  return {
    boot_key: requireDer(key, 'OCTET_STRING').toString('hex'),
    is_locked: requireBoolean(locked),
    boot_state: readWord(state, bootStates),
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function readText(object: DerObject | undefined): string {
  try {
    return utf8.decode(requireDer(object, 'OCTET_STRING'))
  } catch (cause) {
    throw new UnreadableFileError('KeyDescription: a name is no UTF-8', { cause })
  }
}

/** A DER object in an octet string, as Android passes it to the hardware. */
function readApp(object: DerObject): AndroidApp {
  const [packages, signers, more] = listDer(readOneDer(requireDer(object, 'OCTET_STRING')), 'SEQUENCE')
  if (more !== undefined) throw malformed('the app has too many parts')
  return {
    packages: listDer(packages, 'SET').map(one => {
      const [name, version, none] = listDer(one, 'SEQUENCE')
      if (none !== undefined) throw malformed('a package has too many parts')
      requireInteger(version)
      return readText(name)
    }),
    signers: listDer(signers, 'SET').map(one => requireDer(one, 'OCTET_STRING').toString('hex')),
  }
}

/** `140000` is 14.0.0. A test build has 0, and a version of two digits only since Android 10. */
function toVersion(value: number): string | null {
  if (value === 0) return null
  return [Math.floor(value / 10_000), Math.floor(value / 100) % 100, value % 100].join('.')
}

function toPatchLevel(value: number): string | null {
  const digits = String(value)
  return /^\d{6}(\d\d)?$/.test(digits) ? `${digits.slice(0, 4)}-${digits.slice(4, 6)}` : null
}

/** Tags of KeyMint's `Tag`. Others are skipped: each version adds some. */
const tags = {
  PURPOSE: 1,
  CREATED_AT: 701,
  ORIGIN: 702,
  ROOT_OF_TRUST: 704,
  OS_VERSION: 705,
  OS_PATCH_LEVEL: 706,
  APP: 709,
} as const

/** Explicit tags in ascending order (X.680, 8.6), none twice. */
function readTagged(object: DerObject | undefined): ReadonlyMap<number, DerObject> {
  const found = new Map<number, DerObject>()
  let last = -1
  for (const { tag_class, is_constructed, tag, value } of listDer(object, 'SEQUENCE')) {
    if (tag_class !== 2 || !is_constructed) throw malformed('an authorization has no tag')
    if (tag <= last) throw malformed('the tags are not in ascending order')
    last = tag
    found.set(tag, readOneDer(value))
  }
  return found
}

function readAuthorizations(object: DerObject | undefined): Authorizations {
  const found = readTagged(object)
  const read = <T>(tag: number, convert: (one: DerObject) => T): T | null => {
    const one = found.get(tag)
    return one === undefined ? null : convert(one)
  }
  return {
    purposes: read(tags.PURPOSE, one => listDer(one, 'SET').map(readSmall)) ?? [],
    origin: read(tags.ORIGIN, readSmall),
    root_of_trust: read(tags.ROOT_OF_TRUST, readRootOfTrust),
    os_version: read(tags.OS_VERSION, one => toVersion(readSmall(one))),
    os_patch_level: read(tags.OS_PATCH_LEVEL, one => toPatchLevel(readSmall(one))),
    app: read(tags.APP, readApp),
    created_at: read(tags.CREATED_AT, readSmall),
  }
}

/** @throws {UnreadableFileError} */
export function readKeyDescription(extension: Buffer): KeyDescription {
  const [version, level, keyVersion, keyLevel, challenge, uniqueId, software, hardware, more] = listDer(
    readOneDer(extension),
    'SEQUENCE',
  )
  if (more !== undefined) throw malformed('it has too many parts')
  requireInteger(keyVersion)
  requireDer(uniqueId, 'OCTET_STRING')
  return {
    version: readSmall(version),
    level: readWord(level, securityLevels),
    key_level: readWord(keyLevel, securityLevels),
    challenge: requireDer(challenge, 'OCTET_STRING'),
    software: readAuthorizations(software),
    hardware: readAuthorizations(hardware),
  }
}
