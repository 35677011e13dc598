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
import type { ReportPart } from '../../feature.ts'
import { featureReports } from '../../features.ts'
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

/** Lists the captures that `toDeviceKnowledge` reads. */
export function listReports(context: TransactionContext): readonly CaptureReference[] {
  const ofFeatures = featureReports.map(report => report.find(context))
  return [context.facts, context.signals, ...ofFeatures].filter(reference => reference !== null)
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
  context: TransactionContext,
  reports = featureReports,
): DeviceKnowledge {
  const read = <T>(reference: CaptureReference | null): T | null =>
    reference === null ? null : (JSON.parse(Buffer.from(getContent(reference)).toString()) as T)
  const ofFeatures = reports.map(report => {
    const content = read(report.find(context))
    return content === null ? {} : report.read(content, context)
  })
  const facts = read<DeviceFacts>(context.facts)
  const signals = read<SignalsCall>(context.signals)
  return {
    signals: {
      device: joinReports(facts?.device, signals?.device),
      network: signals?.network ?? null,
      geolocation: signals?.geolocation ?? null,
      location_permission: signals?.location_permission ?? facts?.location_permission,
      ...Object.assign({}, ...ofFeatures),
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
  const attempts: readonly (readonly [TransactionContext, readonly ReportPart[]])[] = [
    [context, featureReports],
    [context, []],
    [{ ...context, signals: null }, []],
    [{ ...context, facts: null }, []],
  ]
  for (const [readable, reports] of attempts) {
    try {
      return toDeviceKnowledge(deps, getContent, readable, reports)
    } catch (error) {
      if (!(error instanceof UnreadableCaptureError)) throw error
    }
  }
  return toDeviceKnowledge(deps, getContent, { ...context, facts: null, signals: null }, [])
}
