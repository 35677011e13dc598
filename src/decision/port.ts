/**
 * The port between Attestor and whatever looks at pixels. An engine reports evidence: what it saw, how sure it is and
 * which thresholds it works with. It decides nothing; `judge.ts` turns evidence into sections, issues and a decision.
 */

import type { IssueCode } from './issues.ts'

/** spec, "Transaction creation input". */
export type TransactionType = 'DOCUMENT_AND_BIOMETRIC' | 'BIOMETRIC_ONLY'

/** What a liveness challenge can ask a person to do, seen from the person: `TURN_LEFT` is towards their own left. */
export type LivenessAction = 'TURN_LEFT' | 'TURN_RIGHT' | 'BLINK' | 'OPEN_MOUTH' | 'LOOK_UP'

/** An encoded JPEG, PNG or WebP image, already checked by content and size. */
export type EncodedImage = Uint8Array

/** How often two people may be taken for one: the share of all pairs of different people. */
export type FalseMatchRate = '0.001' | '0.0001' | '0.00001'

/** The false match rates that an operator can choose from. */
export const falseMatchRates: readonly FalseMatchRate[] = ['0.001', '0.0001', '0.00001']

/** A face as a vector. Only templates of one `model` can be compared. */
export interface FaceTemplate {
  readonly model: string
  readonly values: readonly number[]
}

/**
 * A face cut out of its picture, upright and grey: enough to tell a copy of it later. Personal: it is sealed, and kept as
 * long as the images.
 */
export interface ReplayFingerprint {
  /** Landmarks that no expression moves, x and y in turn, in the square's pixels. */
  readonly points: readonly number[]
  /** Where the rectangle lies in the square: left, top, width, height in pixels. */
  readonly box: readonly number[]
  /** Its brightness, a byte a pixel, rows from the top, in base64. */
  readonly brightness: string
}

/** One challenge with the frames that answered it: `frames[n]` answers `actions[n]`. */
export interface AnsweredChallenge {
  readonly actions: readonly LivenessAction[]
  readonly frames: readonly EncodedImage[]
  /** How many challenges were issued in this transaction, this one included. */
  readonly attempts: number
  /** Frames of the customer's earlier transactions: a copy of one shows nothing that happened now. Absent: none. */
  readonly earlier?: readonly ReplayFingerprint[]
}

/** Everything an engine may look at. A capture that the person never made is null. */
export interface AnalysisRequest {
  readonly transaction_id: string
  readonly transaction_type: TransactionType
  readonly document_front: EncodedImage | null
  readonly document_back: EncodedImage | null
  readonly selfie: EncodedImage | null
  readonly challenge: AnsweredChallenge | null
  /** The face to compare with for `BIOMETRIC_ONLY`; null where the customer has none. */
  readonly enrolled_face: FaceTemplate | null
}

/** Which program produced a piece of evidence. */
export interface EngineName {
  readonly name: string
  readonly version: string
  /** SHA-256 in hex of each file of weights that the evidence rests on, for the decision's trace. */
  readonly models?: Readonly<Record<string, string>>
}

/** What an engine said in a code of its own, as we understand it; `issue` null is a code that nobody has mapped. */
export interface ReportedCode {
  readonly code: string
  readonly issue: IssueCode | null
  readonly status: 'PASSED' | 'UNDETERMINED' | 'REJECTED'
}

/** What every section of evidence has. */
interface Evident {
  readonly engine: EngineName
  /** Findings beyond the section's own members. Absent is none. */
  readonly reported?: readonly ReportedCode[]
}

/** A measured value beside the limit that it is held against. */
export interface Measured {
  readonly score: number
  readonly threshold: number
}

/** Which way a score counts: it passes from the threshold upwards, or up to the threshold. */
export type PassesWhen = 'at_least' | 'at_most'

/** A measured value, its limit, and on which side of that it passes: what is reported of a measurement. */
export interface Score extends Measured {
  readonly passes_when: PassesWhen
}

/** `TD1` and `TD2` are cards, `TD3` passports (ICAO 9303). */
export type MrzFormat = 'TD1' | 'TD2' | 'TD3' | 'MRVA' | 'MRVB' | 'FRENCH_ID'

/** A machine-readable zone as read. Dates are `YYYY-MM-DD`, countries raw three-letter codes, empty fields null. */
export interface MrzReading {
  readonly format: MrzFormat
  readonly lines: readonly string[]
  /** True when every check digit, the composite one included, agrees. */
  readonly valid: boolean
  readonly corrected_characters: number
  readonly document_code: string
  readonly issuing_state: string | null
  readonly nationality: string | null
  readonly document_number: string | null
  readonly personal_number: string | null
  readonly last_name: string | null
  readonly first_name: string | null
  /** As printed, `YYMMDD`; the century is judged on the day of the evaluation. */
  readonly date_of_birth: string | null
  readonly expiry_date: string | null
  readonly sex: 'F' | 'M' | 'X' | null
  readonly check_digits: readonly { readonly name: string; readonly passed: boolean }[]
}

/** A driving licence's PDF417 as read (AAMVA, annex D). Dates are `YYYY-MM-DD`, missing fields null. */
export interface BarcodeReading {
  readonly format: 'AAMVA'
  /** Of the standard, 1 to 10. */
  readonly version: number
  readonly document_type: 'DRIVING_LICENSE' | 'ID_CARD'
  readonly issuing_country: 'USA' | 'CAN' | null
  /** State or province, two letters. */
  readonly jurisdiction: string | null
  readonly document_number: string | null
  readonly last_name: string | null
  readonly first_name: string | null
  readonly date_of_birth: string | null
  readonly issue_date: string | null
  readonly expiry_date: string | null
  readonly sex: 'F' | 'M' | 'X' | null
  /** Names that the card itself says it cut off. */
  readonly truncated: readonly ('last_name' | 'first_name')[]
}

/** `NOT_READABLE`: no document or no legible zone in the photo. `UNSUPPORTED`: legible, but of a kind we don't read. */
export type DocumentReading = 'READ' | 'NOT_READABLE' | 'UNSUPPORTED'

/**
 * The printed text beside the machine-readable zone. An engine that tells fields apart gives each as a line. Personal:
 * it is judged and never kept.
 */
export interface VisualZone {
  /** Lines of words in reading order, as printed. */
  readonly lines: readonly (readonly string[])[]
  /** The same lines with a question mark for every word that may be misread; absent where the engine does not say. */
  readonly sure_lines?: readonly (readonly string[])[]
  /** Pixels of the picture to a millimetre: below the threshold what was read contradicts nothing. Absent: not measured. */
  readonly resolution?: Measured
  /** How much was read: below the threshold, what was not found may be there all the same. */
  readonly legibility: Measured
}

/** What was seen of the document. */
export interface DocumentFindings extends Evident {
  readonly reading: DocumentReading
  readonly mrz: MrzReading | null
  /** Absent or null where there is none, or nobody looked. */
  readonly barcode?: BarcodeReading | null
  readonly portrait_found: boolean
  /** Whether the two sides belong to one document; null where there is one side, or it can't be told. */
  readonly sides_match: boolean | null
  /**
   * The portrait is not on the page that carries the machine-readable zone or barcode: something else has to tell that
   * both are of one document. Absent: as is usual, on a TD1 card and on a driving licence.
   */
  readonly portrait_apart?: boolean
  /** A side that this kind of document needs and nobody photographed; absent or null where none is missing. */
  readonly missing_side?: 'FRONT' | 'BACK' | null
  /** The printed text; absent or null where it was not read. */
  readonly visual?: VisualZone | null
  /** For an engine that gives no text: its own comparison of the printed surname with the MRZ's. */
  readonly visual_surname: Measured | null
  /** Share of the document burnt out by a reflection, 0 to 1; null where not measured. */
  readonly glare: Measured | null
  /** How much the colours of the page differ, 0 to 1; below the threshold it may be a black and white copy. Absent: not measured. */
  readonly colour?: Measured | null
  /** Characters of the zone that are expected to be misread unnoticed, and how many are accepted; for the trace. */
  readonly mrz_doubt?: Measured | null
  /** The same by field of the zone. */
  readonly mrz_field_doubts?: Readonly<Record<string, number>>
}

/** One action of a challenge. `passed` is null where its frame shows no face to judge. */
export interface AnsweredAction {
  readonly action: LivenessAction
  readonly passed: boolean | null
  /** How far the frame shows it, where the engine tells. Other rules of the engine may fail it all the same. */
  readonly measured?: Measured | null
}

/** What was seen of the challenge. */
export interface LivenessFindings extends Evident {
  readonly method: 'ACTIVE' | 'PASSIVE' | 'EXTERNAL'
  readonly challenge: readonly AnsweredAction[]
  /** How far the face's landmarks are from those of a flat picture: below the threshold it may be one. */
  readonly planarity: Measured | null
  /** How far both turns are from those of a bent picture; below the threshold it can't be told. Absent: not measured. */
  readonly relief?: Measured | null
  /** The two of selfie and frames that differ least; below the threshold one is a copy of the other. */
  readonly repetition?: (Measured & { readonly between: readonly string[] }) | null
  /** How much the frames differ from those of earlier transactions; below the threshold they are copies. Null: none there. */
  readonly seen_before?: Measured | null
  /** The frames' faces, for the customer's next transactions. Absent: the engine keeps none. */
  readonly imprints?: readonly ReplayFingerprint[]
  /** Selfie and frames are not of one size: several cameras, or pictures from elsewhere. */
  readonly sizes_differ?: boolean
  /** The largest face distance between the selfie and any frame: above the threshold it is another person. */
  readonly continuity: Measured | null
  /**
   * Of the frames that look ahead the one nearest to the selfie's face: above the threshold, that of any comparison, it
   * can't be told that the selfie is of who was there. Absent: not measured.
   */
  readonly nearest?: Measured | null
  /** How sure a passive or external method is of a live person: below the threshold there is none. */
  readonly presence?: Measured | null
}

/** Why a selfie can't be compared. */
export type SelfieFault = 'TOO_SMALL' | 'TURNED_AWAY' | 'COVERED' | 'EYES_CLOSED' | 'BLURRED'

/** One thing that a selfie must be; `reason` names the fault where it isn't. */
export interface QualityCheck extends Score {
  readonly name: string
  readonly reason: SelfieFault
  readonly passed: boolean
}

/** What was seen of the selfie's face and of its comparison. */
export interface FaceFindings extends Evident {
  readonly faces_in_selfie: number
  /** Width of the second widest face in that of the widest, and from where on it counts. Absent or null: not measured. */
  readonly second_face?: Measured | null
  /** Width of the selfie's face in pixels; null without a face. */
  readonly face_width: number | null
  /** False where the face is too small, turned, covered or blurred for its distance to mean anything. */
  readonly usable: boolean
  /** What `usable` rests on, where the engine tells. */
  readonly quality?: readonly QualityCheck[]
  readonly reference: 'DOCUMENT' | 'ENROLLED_FACE' | null
  /** Distance of the two faces, 0 for the same; null where one of them is missing. */
  readonly distance: number | null
  /** At or below: the same person. Above `reject_above`: another. Between: inconclusive. */
  readonly accept_below: number
  readonly reject_above: number
  /** `distance` as a score from 0 to 1, higher is more alike, and the score of `accept_below`. */
  readonly similarity: Measured | null
  /** The selfie may be the same picture as the document's portrait. */
  readonly same_picture: boolean
  /** What `same_picture` rests on: how far the faces, and their landmarks as a flat picture's, may differ. */
  readonly picture_distance?: Measured | null
  readonly picture_residual?: Measured | null
  /** The enrolled face was made by another model, so that it cannot be compared. */
  readonly reference_outdated: boolean
  /** The enrolled face was made by an earlier version of the model and compared as that version did. Absent: it was not. */
  readonly reference_former?: boolean
  /** The selfie's template, to be enrolled if the transaction is approved; null without a usable face. */
  readonly template: FaceTemplate | null
}

/** The sections of evidence: each may come from an engine of its own. */
export const engineSections = ['document', 'liveness', 'face'] as const

/** One of `engineSections`. */
export type EngineSection = (typeof engineSections)[number]

/** All that an engine has to say of one transaction. A section that the type doesn't ask for is null. */
export interface EngineFindings {
  readonly document: DocumentFindings | null
  readonly liveness: LivenessFindings | null
  readonly face: FaceFindings | null
  /** Milliseconds by stage, for the operator: of CPU, but for what waits (`http`, reading the captures, judging). */
  readonly stages: Readonly<Record<string, number>>
}

/** Where an analysis failed, as far as that is known; a stage is one of `Evidence`'s, or what comes before them. */
export interface FailedAt {
  readonly engine?: EngineName | null
  readonly stage?: string | null
}

/** Thrown by an engine when it could not look at all: worth another attempt (spec: conditions for FAILED, ours). */
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

/** The engine can look at nothing by now, whatever it is asked: given back, no attempt of the transaction is used up. */
export class EngineUnavailableError extends AnalysisError {
  override name = 'EngineUnavailableError'
}

/** What an engine's own processes come to, for the metrics. */
export interface EngineProcesses {
  /** Those that could look at something by now, busy or not. */
  readonly warm: number
  /** Those that ended and were replaced, since the start. */
  readonly restarts: number
  /** What each of them holds. */
  readonly resident_bytes: readonly number[]
}

/** Looks at pixels. Rejects with `AnalysisError` for a crash, a hang or a memory blow-up, never takes the caller down. */
export interface AnalysisEngine {
  readonly engine: EngineName
  /** Resolves when it could take its first analysis. */
  readonly ready: Promise<void>
  /** Null for an engine that has no processes of its own. */
  processes(): Promise<EngineProcesses | null>
  /** How many analyses it would take at once by now: 0 while it starts, or while what it depends on is away. */
  capacity(): number
  analyse(request: AnalysisRequest, signal: AbortSignal): Promise<EngineFindings>
  /** Frees what it holds (child processes); it analyses nothing afterwards. */
  stop(): Promise<void>
}
