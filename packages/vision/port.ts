import type {
  EngineFindings,
  EngineName,
  FaceTemplate,
  IdentityType,
  LivenessAction,
  ReplayFingerprint,
} from '@attestor/rules'
import type { PoolStats } from './processes/pool.ts'

/** A JPEG, PNG or WebP, checked when it was uploaded. */
export type EncodedImage = Uint8Array

/** The rate at which two different people may be mistaken for one, as a share of all pairs of different people. */
export type FalseMatchRate = '0.01' | '0.001' | '0.0001'

export const falseMatchRates: readonly FalseMatchRate[] = ['0.01', '0.001', '0.0001']

/** A challenge and the frames that answer it: `frames[n]` answers `actions[n]`. */
export interface AnsweredChallenge {
  readonly actions: readonly LivenessAction[]
  /** Null for a frame that a `CaptureRequest` is not about. */
  readonly frames: readonly (EncodedImage | null)[]
  /** Number of challenges that the transaction issued, this one included. */
  readonly attempts: number
  /** Frames of the customer's earlier transactions: a copy of one proves nothing about this one. */
  readonly earlier?: readonly ReplayFingerprint[]
}

/** An image of a transaction. `frame_0` answers a challenge's first action. */
export type CaptureName = 'document_front' | 'document_back' | 'selfie' | `frame_${number}`

/**
 * The first kind of request that needs a finding; later ones get it too. `capture` is one about a related capture. A
 * request about the same image gets everything.
 */
export type KeptFor = 'capture' | 'analysis'

/** The findings of an engine in a capture before the analysis. Nobody else reads them; they are personal data. */
export interface KeptFindings {
  /** The engine that reads the findings, with its version and models. Others ignore them. */
  readonly engine: string
  readonly kept_for: KeptFor
  readonly content: string | Uint8Array
}

export type KeptByCapture = Readonly<Partial<Record<CaptureName, readonly KeptFindings[]>>>

/** The images of a transaction that an engine analyses. An image that was never captured is null. */
export interface AnalysisRequest {
  readonly transaction_id: string
  readonly transaction_type: IdentityType
  readonly document_front: EncodedImage | null
  readonly document_back: EncodedImage | null
  readonly selfie: EncodedImage | null
  readonly challenge: AnsweredChallenge | null
  /** Whether expected data is sought on a document of no known kind, so that it is read twice. Absent: no. */
  readonly seeks_expected?: boolean
  /** The face to compare with in a `BIOMETRIC_ONLY` transaction; null if the customer has none. */
  readonly enrolled_face: FaceTemplate | null
  /** The portrait of the document's chip, a JPEG or JPEG 2000 that a state signed; absent or null if there is none. */
  readonly signed_portrait?: Uint8Array | null
  /** The findings of `analyseCapture` in these images. They save time and change no result. */
  readonly kept?: KeptByCapture
}

/**
 * A single image of a transaction that is not complete yet; a document's side comes with the other side, if that is
 * there.
 */
export interface CaptureRequest extends AnalysisRequest {
  readonly capture: CaptureName
  /** Uploads of all accounts are served side by side. */
  readonly account_id: string
  /** Whether this is a front whose back is still missing and may have the zone or the barcode. */
  readonly awaits_back: boolean
}

/** The findings in one image by itself: `liveness` has the action that it answers, `face` no comparison. */
export interface CaptureAnalysis {
  readonly findings: EngineFindings
  /**
   * The findings to keep for later requests. They replace those that were kept of the same images for the same
   * requests.
   */
  readonly kept: KeptByCapture
}

/** The sections of findings. Each may come from an engine of its own. */
export const engineSections = ['document', 'liveness', 'face'] as const

export type EngineSection = (typeof engineSections)[number]

/** The place where an analysis failed, if known. A stage is one of `EngineFindings`', or one before them. */
export interface FailedAt {
  readonly engine?: EngineName | null
  readonly stage?: string | null
}

/** The engine failed to analyse: another attempt may succeed. */
export class AnalysisError extends Error {
  override name = 'AnalysisError'
  readonly engine: EngineName | null
  readonly stage: string | null

  constructor(message: string, { engine = null, stage = null, ...options }: ErrorOptions & FailedAt = {}) {
    super(message, options)
    this.engine = engine
    this.stage = stage
  }
}

/** The engine can analyse nothing at present: the job is postponed and no attempt of the transaction is used up. */
export class EngineUnavailableError extends AnalysisError {
  override name = 'EngineUnavailableError'
}

/** Bits by which copies of a picture are found. */
export interface PictureCode {
  /** Four numbers of 16 bits. */
  readonly bands: readonly number[]
  /** The bands that a copy may have, for each band. A copy mostly has at least one of them. */
  readonly copies: readonly (readonly number[])[]
}

/**
 * Finds copies of pictures by the fingerprints that the engine made of their faces. It runs in the node and decodes
 * nothing.
 */
export interface PictureCopies {
  /** Number of random bytes that `code` needs. They are secret: without them a code says nothing. */
  readonly planeBytes: number
  code(fingerprint: ReplayFingerprint, planes: Uint8Array): PictureCode
  /**
   * Counts the bits in which the bands of two codes differ. Up to `maxDifferentBits` the pictures may be copies;
   * `areCopies` decides.
   */
  countDifferentBits(one: readonly number[], other: readonly number[]): number
  readonly maxDifferentBits: number
  areCopies(one: ReplayFingerprint, other: ReplayFingerprint): boolean
}

/** Analyses images. Rejects with `AnalysisError` for a crash, a hang or a memory blow-up; never ends its caller. */
export interface AnalysisEngine {
  readonly engine: EngineName
  /** Resolves when the first analysis can start. */
  readonly ready: Promise<void>
  /** Null for an engine without processes of its own. */
  processes(): Promise<PoolStats | null>
  /**
   * Number of analyses that it can run at once now: 0 while it starts, or while a service that it depends on is away.
   */
  capacity(): number
  analyse(request: AnalysisRequest, signal: AbortSignal): Promise<EngineFindings>
  /**
   * Analyses an image as it arrives, so that `analyse` has less to do; absent if the engine can't. It yields to
   * analyses, and rejects with `EngineUnavailableError` while they need all processes. The signal ends only the wait.
   * The image may be freed once it has settled.
   */
  analyseCapture?(request: CaptureRequest, signal: AbortSignal): Promise<CaptureAnalysis>
  /** Finds copies of pictures; absent if the engine makes no fingerprints. */
  readonly copies?: PictureCopies
  /** Releases its resources, such as child processes. It analyses nothing afterwards. */
  stop(): Promise<void>
}
