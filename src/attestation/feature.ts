import { type AttestedDevice, attestedBootStates, attestedLevels, signedShares } from '@attestor/rules'
import { z } from 'zod'
import { listSignable, type TransactionContext } from '../../machines/transaction.ts'
import { wholeNumber } from '../base/setting.ts'
import { type AccountApps, readApps } from '../database/apps.ts'
import type { AccountCase, Feature } from '../feature.ts'
import { meaning } from '../schemas/fields.ts'
import { scenes } from './scenes.ts'

/** A device's attestation as it is stored, encrypted: the proven facts, and their evidence. */
export interface StoredAttestation {
  readonly proven: Omit<AttestedDevice, 'signed_captures'>
  /** SubjectPublicKeyInfo of the attested key, in base64. */
  readonly public_key: string
  /** SHA-256 of the app's id, where the key is Apple's, which signs assertions alone. Null: the key signs anything. */
  readonly app_id_sha256: string | null
  /** Whether it may sign captures. */
  readonly signs: boolean
  readonly evidence: {
    /** The challenge in hex. */
    readonly challenge: string
    /** A chain of certificates, or an attestation object and the key's identifier, in base64. */
    readonly files: readonly string[]
  }
}

/** The account's settings of attestations when a transaction was opened. */
export interface AttestationConfig {
  /** Its own apps, by their keys as an attestation names them. */
  readonly apps: AccountApps
  /** Whether each capture must be signed by the attested key. */
  readonly requires_signatures: boolean
  /** Whether a key of Apple's development environment counts. */
  readonly allows_development: boolean
}

function stored({ mode, signed_captures, apps }: AccountCase): { readonly attestation: AttestationConfig } {
  return {
    attestation: {
      apps: readApps(apps),
      requires_signatures: signed_captures === 'on',
      allows_development: mode === 'test',
    },
  }
}

/** Returns the attestation of the device that captures: another device's proves nothing about this one. */
export function findAttestation({ attestation, device }: Pick<TransactionContext, 'attestation' | 'device'>) {
  return attestation?.device === device ? attestation : null
}

function countSigned(context: TransactionContext): AttestedDevice['signed_captures'] {
  const held = listSignable(context)
  const signed = held.filter(one => one.signed !== undefined).length
  if (signed === 0) return 'NONE'
  return signed === held.length ? 'ALL' : 'SOME'
}

const metadata = z
  .object({
    platform: z.enum(['android', 'ios']).meta(meaning('Whose attestation it is.', 'android')),
    security_level: z
      .enum(attestedLevels)
      .meta(
        meaning('Where its key is. `SOFTWARE`: in none, as on an emulator; it proves nothing.', 'TRUSTED_ENVIRONMENT'),
      ),
    boot_state: z
      .enum(attestedBootStates)
      .nullable()
      .meta(
        meaning(
          'What its bootloader says of the system that it started: `VERIFIED`, the maker’s. Null of iOS, and of software.',
          'VERIFIED',
        ),
      ),
    bootloader_locked: z
      .boolean()
      .nullable()
      .meta(meaning('Whether only systems start that somebody signed. Null of iOS, and of software.', true)),
    os_version: z
      .string()
      .nullable()
      .meta(meaning('The version of its system; null where it is not attested.', '14.0.0')),
    os_patch_level: z
      .string()
      .nullable()
      .meta(meaning('The month of its security patches; null where it is not attested.', '2024-06')),
    apps: z
      .array(z.string())
      .meta(meaning('The app, by package or `TEAM.bundle`; empty where it is not named.', ['org.example.app'])),
    is_own_app: z
      .boolean()
      .nullable()
      .meta(meaning('Whether it is one of your account’s; null where your account names none.', true)),
    signed_captures: z
      .enum(signedShares)
      .meta(meaning('How many of the captures came with a signature by the attested key.', 'ALL')),
  })
  .meta({ id: 'Attestation' })

const settings = {
  ATTESTATION_SECONDS: {
    default: '120',
    read: wholeNumber(10, 600),
    description: 'Time in which a device has its key attested by its maker.',
  },
  ATTESTATION_GOOGLE_ROOTS: {
    read: (text: string) => text,
    description: 'A file of yours in PEM with the roots of Android’s key attestation, in place of Google’s.',
  },
  ATTESTATION_APPLE_ROOTS: {
    read: (text: string) => text,
    description: 'A file of yours in PEM with the roots of App Attest, in place of Apple’s.',
  },
  ATTESTATION_STATUS_URL: {
    is_called: true,
    read: (text: string) => text,
    description:
      'https URL of the list of Android’s revoked attestation keys: `https://android.googleapis.com/attestation/status`. Without it no list is looked at.',
  },
} as const

/** Devices that prove by their makers' signatures what they are, and sign the captures. */
export const attestation = {
  settings,
  metadata: {
    attestation: metadata
      .exactOptional()
      .meta(meaning('What the device’s maker has signed of it. Absent where nothing was attested.')),
  },
  reactions: {
    on_unattested_device: 'a device that no hardware of its own attests',
    on_unlocked_bootloader: 'an attested device whose bootloader is unlocked',
    on_other_app: 'an attested app that is none of your account’s',
  },
  report: {
    find: findAttestation,
    read: (content: unknown, context: TransactionContext) => ({
      attested: { ...(content as StoredAttestation).proven, signed_captures: countSigned(context) },
    }),
  },
  counters: {
    refused_proofs: {
      name: 'attestor_refused_proofs_total',
      help: 'Attestations of devices, and signatures of uploads, that do not hold',
      label: 'kind',
    },
  },
  scenes,
  stored,
  limits: ({ ATTESTATION_SECONDS }: { readonly ATTESTATION_SECONDS: number }) => ({
    attestation_ms: ATTESTATION_SECONDS * 1000,
  }),
} as const satisfies Feature
