import type {
  AttestedDevice,
  DeviceSignals,
  GeolocationSignals,
  LocationPermission,
  NetworkSignals,
  ReportedSignals,
  ServerObservation,
} from '@attestor/rules'
import {
  type CaptureReference,
  listSignable,
  type SignableCaptures,
  type TransactionContext,
} from '../../../machines/transaction.ts'
import { newSecret } from '../../base/ids.ts'
import type { ReadContent } from '../captures/captures.ts'
import { UnreadableCaptureError } from '../captures/new_capture.ts'
import type { TransactionDeps } from './deps.ts'
import type { NewSessionCapture } from './send_capture.ts'

/** The device's report at `POST /start`. */
export interface DeviceFacts {
  readonly device: DeviceSignals | null
  readonly location_permission: LocationPermission | null
  readonly consent: boolean
  /** The address that the server observed; the device can't choose it. */
  readonly ip_address: string
}

/** The device's report at `PUT /signals`. The server observed `ip_address`. */
export interface SignalsCall {
  readonly device: DeviceSignals | null
  readonly network: NetworkSignals | null
  readonly geolocation: GeolocationSignals | null
  readonly location_permission: LocationPermission | null
  readonly ip_address: string
}

/**
 * Signals are personal (an address, a location), so they are stored encrypted like an image, not in the snapshot. Their
 * digest stays in the journal for good: the salt prevents guessing the signals from it.
 */
export function toFactsCapture(kind: 'facts' | 'signals', reported: DeviceFacts | SignalsCall): NewSessionCapture {
  return {
    kind,
    media_type: 'application/json',
    content: Buffer.from(JSON.stringify({ salt: newSecret(), ...reported })),
  }
}

/** The device's report, and the server's observations. */
export interface DeviceKnowledge {
  readonly signals: ReportedSignals
  readonly observed: ServerObservation
}

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

type ReportedCaptures = Pick<TransactionContext, 'facts' | 'signals'>

type AttestedCaptures = SignableCaptures & Pick<TransactionContext, 'attestation' | 'device'>

/** Returns the attestation of the device that captures: another device's proves nothing about this one. */
export function findAttestation({ attestation, device }: Pick<TransactionContext, 'attestation' | 'device'>) {
  return attestation?.device === device ? attestation : null
}

/** Lists the captures that `toDeviceKnowledge` reads. */
export function listReports(context: ReportedCaptures & AttestedCaptures): readonly CaptureReference[] {
  const { facts, signals } = context
  return [facts, signals, findAttestation(context)].filter(reference => reference !== null)
}

function countSigned(captures: SignableCaptures): AttestedDevice['signed_captures'] {
  const held = listSignable(captures)
  const signed = held.filter(one => one.signed !== undefined).length
  if (signed === 0) return 'NONE'
  return signed === held.length ? 'ALL' : 'SOME'
}

/** A null is the same as an absent member: it takes nothing back that was reported before. */
function joinReports(...reports: readonly (DeviceSignals | null | undefined)[]): DeviceSignals {
  const known = reports.flatMap(report => Object.entries(report ?? {}).filter(([, value]) => value !== null))
  return Object.fromEntries(known)
}

/**
 * Returns the device's report: the last signals override those that it sent at the start.
 * @throws {UnreadableCaptureError} for reported signals that are lost: ignoring them could turn a rejection into an
 * approval
 */
export function toDeviceKnowledge(
  { addressBook }: Pick<TransactionDeps, 'addressBook'>,
  getContent: ReadContent,
  context: ReportedCaptures & AttestedCaptures,
): DeviceKnowledge {
  const read = <T>(reference: CaptureReference | null): T | null =>
    reference === null ? null : (JSON.parse(Buffer.from(getContent(reference)).toString()) as T)
  const facts = read<DeviceFacts>(context.facts)
  const signals = read<SignalsCall>(context.signals)
  const attestation = read<StoredAttestation>(findAttestation(context))
  return {
    signals: {
      device: joinReports(facts?.device, signals?.device),
      network: signals?.network ?? null,
      geolocation: signals?.geolocation ?? null,
      location_permission: signals?.location_permission ?? facts?.location_permission,
      attested: attestation === null ? null : { ...attestation.proven, signed_captures: countSigned(context) },
    },
    observed: addressBook(signals?.ip_address ?? facts?.ip_address ?? null),
  }
}

/**
 * Reads the device's report in a transaction that FAILED. It decides nothing, so signals that can't be read are left
 * out.
 */
export async function readAvailableSignals(
  deps: TransactionDeps,
  key: Uint8Array,
  context: TransactionContext,
): Promise<DeviceKnowledge> {
  const getContent = await deps.captures.read(key, listReports(context))
  const unattested = { ...context, attestation: null }
  for (const readable of [context, unattested, { ...unattested, signals: null }, { ...unattested, facts: null }]) {
    try {
      return toDeviceKnowledge(deps, getContent, readable)
    } catch (error) {
      if (!(error instanceof UnreadableCaptureError)) throw error
    }
  }
  return toDeviceKnowledge(deps, getContent, { ...unattested, facts: null, signals: null })
}
