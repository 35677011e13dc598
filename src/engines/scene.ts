import type {
  Day,
  DeviceSignals,
  DocumentFindings,
  Duplicates,
  ExpectedData,
  FaceFindings,
  GeolocationSignals,
  JudgeInput,
  LivenessFindings,
  MrzReading,
  NetworkSignals,
  ReportedSignals,
} from '@attestor/rules'
import type { AnalysisRequest } from '@attestor/vision'

/**
 * Invented input of a judgement: findings, matches with other customers, signals of a device, the server's observations,
 * and the evidence of features.
 */
export type Scene = Pick<JudgeInput, 'findings' | 'duplicates' | 'signals' | 'observed'> & Partial<JudgeInput>

export interface SceneInput {
  readonly request: AnalysisRequest
  readonly expected_data: ExpectedData | null
  /** The day of the evaluation. */
  readonly today: Day
}

/** The differences from a scene that is approved. A null section is absent. */
export interface SceneChange {
  readonly document?: Partial<DocumentFindings>
  readonly mrz?: Partial<MrzReading>
  readonly liveness?: Partial<LivenessFindings> | null
  readonly face?: Partial<FaceFindings>
  readonly duplicates?: Partial<Duplicates>
  readonly device?: DeviceSignals
  readonly network?: NetworkSignals
  readonly geolocation?: GeolocationSignals
  /** Signals beside these. */
  readonly signals?: Omit<ReportedSignals, 'device' | 'network' | 'geolocation'>
  /** Changes that a feature makes to the judgement. */
  readonly evidence?: Partial<JudgeInput>
}
