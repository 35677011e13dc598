import type { CaptureReference, TransactionContext } from '../../machines/transaction.ts'
import { newSecret } from '../base/ids.ts'
import { UnreadableCaptureError } from '../captures/captures.ts'
import type {
  DeviceSignals,
  GeolocationSignals,
  LocationPermission,
  NetworkSignals,
  ReportedSignals,
  ServerObservation,
} from '../decision/metadata.ts'
import type { TransactionDeps } from './deps.ts'
import type { NewSessionCapture } from './send_capture.ts'

/** What the device tells at `POST /start`, and the address that it was told from. */
export interface DeviceFacts {
  readonly device: DeviceSignals | null
  readonly location_permission: LocationPermission
  readonly consent: boolean
  /** decisions.md, "Decision": what the server observed, never what the client claims. */
  readonly ip_address: string
}

/** What the device tells at `PUT /signals`, and the address that it was told from. */
export interface SignalsCall {
  readonly device: DeviceSignals | null
  readonly network: NetworkSignals | null
  readonly geolocation: GeolocationSignals | null
  readonly location_permission: LocationPermission | null
  readonly ip_address: string
}

/**
 * Signals are personal (an address, a place), so they lie sealed in storage like an image, not in the snapshot. The salt
 * keeps the digest, which stays in the journal for good, from telling anybody who guesses what they were.
 */
export const toFactsCapture = (kind: 'facts' | 'signals', told: DeviceFacts | SignalsCall): NewSessionCapture => ({
  kind,
  media_type: 'application/json',
  content: Buffer.from(JSON.stringify({ salt: newSecret(), ...told })),
  replaces: context => [context[kind]],
})

/** All that is known of a transaction's device: what it reported, and what the server saw. */
export interface DeviceKnowledge {
  readonly signals: ReportedSignals
  readonly observed: ServerObservation
}

/**
 * Reads what the device told: the last signals, over what it told at the start.
 * @throws {UnreadableCaptureError} for what was told and is lost: taken for untold it could turn a REJECT into an approval
 */
export const readSignals = async (
  deps: TransactionDeps,
  key: Uint8Array,
  context: Pick<TransactionContext, 'facts' | 'signals'>,
): Promise<DeviceKnowledge> => {
  const held = [context.facts, context.signals].filter(reference => reference !== null)
  const contentOf = await deps.captures.read(key, held)
  const read = <T>(reference: CaptureReference | null): T | null =>
    reference === null ? null : (JSON.parse(Buffer.from(contentOf(reference)).toString()) as T)
  const facts = read<DeviceFacts>(context.facts)
  const told = read<SignalsCall>(context.signals)
  return {
    signals: {
      device: { ...facts?.device, ...told?.device },
      network: told?.network ?? null,
      geolocation: told?.geolocation ?? null,
      location_permission: told?.location_permission ?? facts?.location_permission ?? 'not_requested',
    },
    observed: deps.addressBook(told?.ip_address ?? facts?.ip_address ?? null),
  }
}

/** `readSignals` for a transaction that FAILED, which decides nothing: what can't be read any more is not known. */
export const readAvailableSignals = async (
  deps: TransactionDeps,
  key: Uint8Array,
  { facts, signals }: Pick<TransactionContext, 'facts' | 'signals'>,
): Promise<DeviceKnowledge> => {
  for (const readable of [
    { facts, signals },
    { facts, signals: null },
    { facts: null, signals },
  ]) {
    try {
      return await readSignals(deps, key, readable)
    } catch (error) {
      if (!(error instanceof UnreadableCaptureError)) throw error
    }
  }
  return readSignals(deps, key, { facts: null, signals: null })
}
