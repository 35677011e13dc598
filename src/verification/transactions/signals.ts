import type {
  DeviceSignals,
  GeolocationSignals,
  LocationPermission,
  NetworkSignals,
  ReportedSignals,
  ServerObservation,
} from '@attestor/rules'
import type { CaptureReference, TransactionContext } from '../../../machines/transaction.ts'
import { newSecret } from '../../base/ids.ts'
import type { ReadContent } from '../captures/captures.ts'
import { UnreadableCaptureError } from '../captures/new_capture.ts'
import type { TransactionDeps } from './deps.ts'
import type { NewSessionCapture } from './send_capture.ts'

/** What the device reports at `POST /start`. */
export interface DeviceFacts {
  readonly device: DeviceSignals | null
  readonly location_permission: LocationPermission | null
  readonly consent: boolean
  /** As the server observed it; the device can't choose it. */
  readonly ip_address: string
}

/** What the device reports at `PUT /signals`. `ip_address` is what the server observed. */
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

/** What a device reported, and what the server observed. */
export interface DeviceKnowledge {
  readonly signals: ReportedSignals
  readonly observed: ServerObservation
}

type ReportedCaptures = Pick<TransactionContext, 'facts' | 'signals'>

/** What `toDeviceKnowledge` reads. */
export function listReports({ facts, signals }: ReportedCaptures): readonly CaptureReference[] {
  return [facts, signals].filter(reference => reference !== null)
}

/**
 * What the device reported: the last signals override what it reported at the start.
 * @throws {UnreadableCaptureError} for reported signals that are lost: ignoring them could turn a rejection into an approval
 */
export function toDeviceKnowledge(
  { addressBook }: Pick<TransactionDeps, 'addressBook'>,
  getContent: ReadContent,
  context: ReportedCaptures,
): DeviceKnowledge {
  const read = <T>(reference: CaptureReference | null): T | null =>
    reference === null ? null : (JSON.parse(Buffer.from(getContent(reference)).toString()) as T)
  const facts = read<DeviceFacts>(context.facts)
  const signals = read<SignalsCall>(context.signals)
  return {
    signals: {
      device: { ...facts?.device, ...signals?.device },
      network: signals?.network ?? null,
      geolocation: signals?.geolocation ?? null,
      location_permission: signals?.location_permission ?? facts?.location_permission,
    },
    observed: addressBook(signals?.ip_address ?? facts?.ip_address ?? null),
  }
}

/** What the device of a transaction that FAILED reported. It decides nothing, so what can't be read is left out. */
export async function readAvailableSignals(
  deps: TransactionDeps,
  key: Uint8Array,
  { facts, signals }: ReportedCaptures,
): Promise<DeviceKnowledge> {
  const getContent = await deps.captures.read(key, listReports({ facts, signals }))
  for (const readable of [
    { facts, signals },
    { facts, signals: null },
    { facts: null, signals },
  ]) {
    try {
      return toDeviceKnowledge(deps, getContent, readable)
    } catch (error) {
      if (!(error instanceof UnreadableCaptureError)) throw error
    }
  }
  return toDeviceKnowledge(deps, getContent, { facts: null, signals: null })
}
