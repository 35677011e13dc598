/**
 * The findings of an analysis engine in the images of a transaction, with its measurements and the thresholds that it
 * works with. An engine decides nothing: `judge.ts` turns findings into sections, issues and a decision.
 */

import type { IssueCode } from './issues.ts'
import type { DocumentType, LivenessAction } from './words.ts'

/** A face as a vector. Only templates of the same `model` can be compared. */
export interface FaceTemplate {
  readonly model: string
  readonly values: readonly number[]
}

/**
 * A face cut out of its picture, upright and grey: enough to recognise a copy of that picture later. Personal data: it is
 * stored encrypted, and for as long as the images.
 */
export interface ReplayFingerprint {
  /** Landmarks that no expression moves: x and y alternate, in pixels of the upright face's square. */
  readonly points: readonly number[]
  /** The rectangle that `brightness` covers in the square: left, top, width, height in pixels. */
  readonly box: readonly number[]
  /** One byte a pixel, rows from the top, in base64. */
  readonly brightness: string
  /**
   * The picture is a document's portrait, which is smaller and less sharp than a selfie, so two copies differ more.
   * Absent: no.
   */
  readonly is_portrait?: boolean
}

/** The program that made a finding. */
export interface EngineName {
  readonly name: string
  readonly version: string
  /** SHA-256 in hex of each file of weights that the finding rests on, for the decision's trace. */
  readonly models?: Readonly<Record<string, string>>
}

/** An external engine's code, mapped to an issue code; `issue` is null for a code without a mapping. */
export interface ReportedCode {
  readonly code: string
  readonly issue: IssueCode | null
  readonly status: 'PASSED' | 'UNDETERMINED' | 'REJECTED'
}

/** A place in a picture that is upright by its EXIF orientation: shares of its width and height, from the upper left corner. */
export interface PicturePoint {
  readonly x: number
  readonly y: number
}

export interface PictureBox extends PicturePoint {
  readonly width: number
  readonly height: number
}

/** Four corners. They are outside the picture if the object is cut off. */
export type PictureQuad = readonly [PicturePoint, PicturePoint, PicturePoint, PicturePoint]

/** Positions of the parts of one image, shown to a reviewer; no rule reads them. Absent or null: not found. */
export interface CaptureRegions {
  /** The page or card. */
  readonly outline?: PictureQuad | null
  /** The machine-readable zone. */
  readonly zone?: PictureQuad | null
  readonly barcode?: PictureQuad | null
  /** The printed fields of a document that has neither. */
  readonly fields?: Readonly<Partial<Record<PrintField, PictureQuad>>>
  /** The lines of print, in the order of `printed_lines`. */
  readonly lines?: readonly (PictureQuad | null)[]
  /** The face of the document's portrait. */
  readonly portrait?: PictureBox | null
  /** The widest face of a selfie or of a frame. */
  readonly face?: PictureBox | null
}

/** Common to the findings of all sections. */
interface SectionFindings {
  readonly engine: EngineName
  /** Absent: none. */
  readonly reported?: readonly ReportedCode[]
  /**
   * Regions by image: `document_front`, `document_back`, `selfie`, `frame_0` and so on. Absent: the engine reports
   * none.
   */
  readonly regions?: Readonly<Record<string, CaptureRegions>>
}

/** A measured value and the limit that it is compared with. */
export interface Measured {
  readonly score: number
  readonly threshold: number
}

export const passesWhen = ['at_least', 'at_most'] as const

export type PassesWhen = (typeof passesWhen)[number]

/** A measurement as it is reported: it passes from the threshold upwards (`at_least`), or up to it (`at_most`). */
export interface Score extends Measured {
  readonly passes_when: PassesWhen
}

/** `TD1` and `TD2` are cards, `TD3` passports (ICAO 9303). */
export const mrzFormats = ['TD1', 'TD2', 'TD3', 'MRVA', 'MRVB', 'FRENCH_ID'] as const

export type MrzFormat = (typeof mrzFormats)[number]

/** Fields of a person or a document that a document may leave out. */
export type UnprintedField = 'last_name' | 'first_name' | 'date_of_birth' | 'expiry_date'

/** A machine-readable zone as read. Countries are the three-letter codes as printed; empty fields are null. */
export interface MrzReading {
  readonly format: MrzFormat
  readonly lines: readonly string[]
  /** Whether every check digit agrees, the composite one included. */
  readonly valid: boolean
  readonly corrected_characters: number
  readonly document_code: string
  readonly issuing_state: string | null
  readonly nationality: string | null
  readonly document_number: string | null
  readonly personal_number: string | null
  readonly last_name: string | null
  readonly first_name: string | null
  /**
   * `YYMMDD` as printed, with fillers for the part that the document leaves out; the century depends on the day of the
   * evaluation. Null: not read, or the format has no such field.
   */
  readonly date_of_birth: string | null
  readonly expiry_date: string | null
  readonly sex: 'F' | 'M' | 'X' | null
  /** The name that a person with one name does not have. Absent: none. */
  readonly not_printed?: readonly ('last_name' | 'first_name')[]
  readonly check_digits: readonly { readonly name: string; readonly passed: boolean }[]
}

/** A driving licence's PDF417 as read (AAMVA DL/ID Card Design Standard, annex D). Dates are `YYYY-MM-DD`. */
export interface BarcodeReading extends Readonly<Record<PrintField, string | null>> {
  readonly format: 'AAMVA'
  /** Version of the standard, 1 to 12. */
  readonly version: number
  readonly document_type: 'DRIVING_LICENSE' | 'ID_CARD'
  /** Null: another one, or not said. */
  readonly issuing_country: 'USA' | 'CAN' | 'MEX' | null
  /** Two letters of a state or a province. */
  readonly jurisdiction: string | null
  readonly sex: 'F' | 'M' | 'X' | null
  /** Fields for which the card says that there is no value. Absent: none. */
  readonly not_printed?: readonly UnprintedField[]
  /** Those of them that are the word `NONE`, which is a surname too. */
  readonly says_none?: readonly UnprintedField[]
  /** The names that the card marks as truncated. */
  readonly truncated: readonly ('last_name' | 'first_name')[]
}

/** Fields that are read from a document that has neither zone nor barcode. */
export const printFields = [
  'last_name',
  'first_name',
  'date_of_birth',
  'issue_date',
  'expiry_date',
  'document_number',
] as const

export type PrintField = (typeof printFields)[number]

/**
 * The printed fields of a document whose layout is known, such as a European driving licence or a national card. Dates are
 * `YYYY-MM-DD`, the country is alpha-2. A birth that is only in a number without its century is `YYMMDD`.
 */
export interface PrintReading extends Readonly<Record<PrintField, string | null>> {
  /** The layout by which it was read. */
  readonly layout: string
  readonly document_type: DocumentType
  readonly issuing_country: string | null
  /** Fields that documents of this kind do not print. */
  readonly not_printed: readonly UnprintedField[]
  /** The fields that two readings have alike; empty without two readings. */
  readonly confirmed: readonly PrintField[]
}

/** `NOT_READABLE`: the image shows no document, or no legible zone. `UNSUPPORTED`: legible, but of another type. */
export type DocumentReading = 'READ' | 'NOT_READABLE' | 'UNSUPPORTED'

/**
 * The printed text beside the machine-readable zone. An engine that separates fields gives each one as a line. Personal
 * data: it is judged and never stored.
 */
export interface VisualZone {
  /** Lines of words in reading order, as printed. */
  readonly lines: readonly (readonly string[])[]
  /** The same lines with `?` for every word that may be misread. Absent: the engine has no confidence of words. */
  readonly sure_lines?: readonly (readonly string[])[]
  /**
   * Height of its lines in the picture, in pixels: below the threshold the text contradicts nothing. Absent: not
   * measured.
   */
  readonly resolution?: Measured
  /** Amount of text that was read: below the threshold, absent text may have been missed. */
  readonly legibility: Measured
}

/** The thing that is shown without a zone or a barcode, where it is not accepted. `FACE`: a person, and no document. */
export const unacceptedKinds = ['HEALTH_CARD', 'CHEQUE', 'FACE'] as const

export type UnacceptedKind = (typeof unacceptedKinds)[number]

export interface DocumentFindings extends SectionFindings {
  readonly reading: DocumentReading
  /** The lines of two readings of a document of no known kind, where expected data is sought on it. Absent or null: not read twice. */
  readonly unknown_print?: readonly (readonly (readonly string[])[])[] | null
  /** The lines of print, from the top, of a document without zone and barcode. Absent or null: it has one of these. */
  readonly printed_lines?: readonly string[] | null
  /**
   * The kind that the print gives for a document that was not read. It is reported at the upload, and decides nothing.
   * Absent or null: not known.
   */
  readonly unaccepted_kind?: UnacceptedKind | null
  readonly mrz: MrzReading | null
  /** Absent or null: none, or not looked for. */
  readonly barcode?: BarcodeReading | null
  /** The fields of a document without zone and barcode. Absent or null: none. */
  readonly print?: PrintReading | null
  readonly portrait_found: boolean
  /** The portrait, to find copies of the picture in other transactions. Absent or null: none. */
  readonly fingerprint?: ReplayFingerprint | null
  /** Whether both sides belong to one document; null: only one side, or undecidable. */
  readonly sides_match: boolean | null
  /**
   * The portrait is not on the page with the machine-readable zone or barcode: other rules must show that both belong
   * to one document. Absent: true for a TD1 card and a driving licence, else false.
   */
  readonly portrait_apart?: boolean
  /** A side that this type of document needs and that was not captured. */
  readonly missing_side?: 'FRONT' | 'BACK' | null
  /** Absent or null: not read. */
  readonly visual?: VisualZone | null
  /** From an engine without `visual`: its own comparison of the printed surname with the MRZ's. */
  readonly visual_surname: Measured | null
  /** Share of the document that a reflection burns out, 0 to 1. */
  readonly glare: Measured | null
  /**
   * Difference of the colours of the page, or of one side of a card, 0 to 1: below the threshold it may be a black and
   * white copy.
   */
  readonly colour?: Measured | null
  /** Expected number of characters misread without a check digit noticing, and how many are accepted; for the trace. */
  readonly mrz_doubt?: Measured | null
  /** `mrz_doubt` by field. */
  readonly mrz_field_doubts?: Readonly<Record<string, number>>
}

/** One action of a challenge. `passed` is null where its frame shows no face. */
interface AnsweredAction {
  readonly action: LivenessAction
  readonly passed: boolean | null
  /** The extent to which the frame shows the action. Other rules of the engine may still fail it. */
  readonly measured?: Measured | null
}

export const livenessMethods = ['ACTIVE', 'PASSIVE', 'EXTERNAL'] as const

export interface LivenessFindings extends SectionFindings {
  readonly method: (typeof livenessMethods)[number]
  readonly challenge: readonly AnsweredAction[]
  /** The frames' camera mirrored them: both turns showed the other one, and were judged so. Absent: not looked for. */
  readonly mirrored?: boolean
  /** Distance of the face's landmarks from a flat picture's: below the threshold it may be one. */
  readonly planarity: Measured | null
  /**
   * Share of the surroundings that stays in place while the head turns: above the threshold only the face may move.
   * Absent: not measured.
   */
  readonly surroundings?: Measured | null
  /** Difference from the frames of earlier transactions: below the threshold they are copies. Null: no earlier frames. */
  readonly seen_before?: Measured | null
  /** The frames' faces, for the customer's next transactions. Absent: the engine makes none. */
  readonly fingerprints?: readonly ReplayFingerprint[]
  /** Selfie and frames differ in size: several cameras, or images from elsewhere. */
  readonly sizes_differ?: boolean
  /** The largest face distance between the selfie and a frame: above the threshold it is another person. */
  readonly continuity: Measured | null
  /**
   * The smallest face distance between the selfie and a frame that looks ahead: above the threshold it is undecided
   * whether the selfie shows the person of the challenge. Absent: not measured.
   */
  readonly nearest?: Measured | null
  /** Certainty of a passive or external method that the person is live. */
  readonly presence?: Measured | null
}

/** Why a selfie cannot be compared. `DOCUMENT`: its face is the portrait of a document that was photographed. */
export const selfieFaults = ['TOO_SMALL', 'TURNED_AWAY', 'COVERED', 'EYES_CLOSED', 'BLURRED', 'DOCUMENT'] as const

export type SelfieFault = (typeof selfieFaults)[number]

/** One requirement of a selfie; `reason` is the fault where it is not met. */
export interface QualityCheck extends Score {
  readonly name: string
  readonly reason: SelfieFault
  readonly passed: boolean
}

export interface FaceFindings extends SectionFindings {
  readonly faces_in_selfie: number
  /** Width of the second widest face as a share of the widest's, and from which share on it counts as a person. */
  readonly second_face?: Measured | null
  /** Width of the selfie's face in pixels; null without a face. */
  readonly face_width: number | null
  /** False: the face is too small, turned, covered or blurred to be compared. */
  readonly usable: boolean
  /** The requirements that `usable` rests on. */
  readonly quality?: readonly QualityCheck[]
  readonly reference: 'DOCUMENT' | 'ENROLLED_FACE' | null
  /** Distance of the two faces, 0 for the same; null where one of them is missing. */
  readonly distance: number | null
  /** At or below: the same person. Above `reject_above`: another person. Between: inconclusive. */
  readonly accept_below: number
  readonly reject_above: number
  /** `distance` and `accept_below` as scores from 0 to 1; higher is more alike. */
  readonly similarity: Measured | null
  /** The selfie may be a copy of the document's portrait. */
  readonly same_picture: boolean
  /**
   * The measurements that `same_picture` rests on: the distance of the faces, and that of their landmarks after a
   * homography.
   */
  readonly picture_distance?: Measured | null
  readonly picture_residual?: Measured | null
  /** Distances that the limit of a search among many faces rests on. Absent or null: not known. */
  readonly strangers?: StrangerDistances | null
  /** The enrolled face is another model's, which cannot be compared. */
  readonly reference_outdated: boolean
  /** The selfie beside the portrait of the document's chip. Absent or null: no chip is proven, or its portrait shows no face. */
  readonly chip?: ChipComparison | null
  /** The selfie's face, to find copies of the picture in other transactions. Absent or null: none. */
  readonly fingerprint?: ReplayFingerprint | null
  /** The selfie's template, to be enrolled if the transaction is approved. */
  readonly template: FaceTemplate | null
}

/** The comparison of a selfie with the portrait of a chip. */
export type ChipComparison = Pick<
  FaceFindings,
  'distance' | 'similarity' | 'same_picture' | 'picture_distance' | 'picture_residual'
>

/** The checks of a chip, in their order. */
export type ChipCheckName = 'files' | 'data_groups' | 'signature' | 'issuer' | 'revocation' | 'active_authentication'

/** Why a check of a chip did not pass. */
export type ChipReason =
  | 'UNREADABLE'
  | 'DIGEST_DIFFERS'
  | 'SIGNER_UNKNOWN'
  | 'NOT_SIGNED'
  | 'ALGORITHM_NOT_ACCEPTED'
  | 'NO_TRUST_ANCHOR'
  | 'ANOTHER_STATE'
  | 'OUT_OF_TIME'
  | 'REVOKED'
  | 'NO_RESPONSE'

export interface ChipCheck {
  readonly name: ChipCheckName
  readonly status: 'PASSED' | 'UNDETERMINED' | 'FAILED'
  readonly reason: ChipReason | null
}

/** The data on the chip of a driving licence (ISO/IEC 18013-2). Dates are `YYYY-MM-DD`. */
export interface ChipLicence extends Readonly<Record<PrintField, string | null>> {
  /** Two or three letters. */
  readonly issuing_state: string | null
  readonly place_of_birth: string | null
}

/** The facts that the files of a document's chip prove (ICAO 9303 parts 10 to 12, ISO/IEC 18013-3). */
export interface ChipFindings {
  readonly checks: readonly ChipCheck[]
  /** DG1; null: not readable, or a licence's. */
  readonly mrz: MrzReading | null
  /** DG1 of a driving licence; null: a travel document's, or not readable. */
  readonly licence: ChipLicence | null
  /** From DG11 and DG12, which few states fill; null: not on the chip. */
  readonly details: {
    readonly last_name: string | null
    readonly first_name: string | null
    readonly place_of_birth: string | null
    /** `YYYY-MM-DD`. */
    readonly issue_date: string | null
  }
  /** The time of signing that the signer states. */
  readonly signed_at: string | null
  /** SHA-256 in hex of the signer's certificate, and of the root that the chain ends at. */
  readonly signer: string | null
  readonly root: string | null
}

/** Distances of faces of two people, as a normal distribution that is nowhere below the measured one. */
export interface StrangerDistances {
  readonly mean: number
  readonly deviation: number
}

/** All findings of one transaction. A section that its type does not ask for is null. */
export interface EngineFindings {
  readonly document: DocumentFindings | null
  readonly liveness: LivenessFindings | null
  readonly face: FaceFindings | null
  /** Milliseconds by stage, for the operator: CPU time, but wall time for `http`, `captures` and `judgement`. */
  readonly stages: Readonly<Record<string, number>>
}
