import type {
  CaptureRegions,
  DocumentFindings,
  EngineName,
  FaceTemplate,
  ReplayFingerprint,
  VisualZone,
} from '@attestor/rules'
import { findMissingSide, findUnacceptedKind } from '@attestor/rules/readings'
import type { CaptureMemory } from '../capture_memory.ts'
import { localEngineName } from '../engine_name.ts'
import { embedFace } from '../face/embedding.ts'
import type { Landmarks } from '../face/landmarks.ts'
import {
  createQuarterTurns,
  type FoundPortrait,
  findPortrait,
  findSurePortrait,
  type QuarterTurns,
  searchPortrait,
} from '../face/portrait.ts'
import { toComparable, toFingerprint } from '../face/repetition.ts'
import { qualityThreshold } from '../face/thresholds.ts'
import { cutUprightFace, toUprightMap } from '../face/upright.ts'
import { boundPoints, type PictureSize } from '../geometry/regions.ts'
import { decodeDocument } from '../images/document_picture.ts'
import type { RgbImage } from '../images/raster.ts'
import { faceModels, textModels } from '../model_files.ts'
import type { Models } from '../models.ts'
import type { CaptureName, EncodedImage } from '../port.ts'
import { type LocatedPortrait, listLines, type Print, readEyes, readPrint } from '../print/printed_side.ts'
import type { AnalysisTools } from '../tools.ts'
import { mrzNetworkHash } from '../zone/network.ts'
import { measureCardColour } from './card_colour.ts'
import type { MeasureStage, SidesReading } from './read_sides.ts'

const documentEngine: EngineName = {
  ...localEngineName,
  models: { mrz_network: mrzNetworkHash, ...faceModels, ...textModels },
}

/** A portrait that can be compared. */
interface Portrait extends LocatedPortrait {
  readonly capture: CaptureName
  readonly template: FaceTemplate
  readonly fingerprint: ReplayFingerprint
}

/** The side of a document that has its portrait. */
interface PortraitSide {
  readonly capture: CaptureName
  readonly load: () => Promise<QuarterTurns>
}

/** A portrait as it is remembered: plain values. */
interface KeptPortrait {
  readonly landmarks: Landmarks
  /** Size of the picture after it was turned by `quarterTurns`. */
  readonly size: PictureSize
  readonly quarterTurns: number
  /** Null for a face that is too small to be compared. */
  readonly compared: Pick<Portrait, 'template' | 'fingerprint'> | null
}

function fingerprintPortrait(pixels: RgbImage, landmarks: Landmarks): ReplayFingerprint {
  return { ...toFingerprint(toComparable(toUprightMap(cutUprightFace(pixels, landmarks)))), is_portrait: true }
}

type FindPortrait = (turned: QuarterTurns) => Promise<FoundPortrait | null>

async function recallPortrait(
  { embedding }: Models,
  memory: CaptureMemory,
  { capture, load }: PortraitSide,
  what: string,
  find: FindPortrait,
): Promise<(KeptPortrait & Pick<Portrait, 'capture' | 'loadPixels'>) | null> {
  const locate = async (): Promise<KeptPortrait | null> => {
    const turned = await load()
    const found = await find(turned)
    if (!found) return null
    const { face, quarterTurns } = found
    const { landmarks } = face
    const pixels = turned(quarterTurns)
    const isLargeEnough = face.width >= qualityThreshold.minPortraitWidth
    const { template } = isLargeEnough ? await embedFace(embedding, pixels, landmarks) : { template: null }
    const compared = template && { template, fingerprint: fingerprintPortrait(pixels, landmarks) }
    const { width, height } = pixels
    return { landmarks, size: { width, height }, quarterTurns, compared }
  }
  const kept = await memory.recall(capture, what, locate)
  return kept && { ...kept, capture, loadPixels: async () => (await load())(kept.quarterTurns) }
}

/** Searching the whole picture is worth it only for a document that was read: anything else may have no portrait. */
async function locatePortrait(
  { models }: AnalysisTools,
  { quarterTurns, portraitRegion: portrait, pageRegion: page }: SidesReading,
  memory: CaptureMemory,
  { isThorough, ...side }: PortraitSide & { readonly isThorough: boolean },
) {
  if (quarterTurns !== null) {
    const find: FindPortrait = async turned => {
      const face = await findPortrait(models, turned(quarterTurns), { portrait, page })
      return face && { face, quarterTurns }
    }
    return recallPortrait(models, memory, side, `portrait at ${JSON.stringify([quarterTurns, portrait, page])}`, find)
  }
  const sure = await recallPortrait(models, memory, side, 'sure portrait', turned => findSurePortrait(models, turned))
  if (sure || !isThorough) return sure
  return recallPortrait(models, memory, side, 'portrait anywhere', turned => searchPortrait(models, turned))
}

/** Reads the portrait; null if there is none, or one too small to be compared. */
async function readPortrait(
  tools: AnalysisTools,
  scan: SidesReading,
  memory: CaptureMemory,
  { capture, image, isThorough }: { capture: CaptureName; image: EncodedImage; isThorough: boolean },
): Promise<Portrait | null> {
  let turned: QuarterTurns | null = null
  const load = async (): Promise<QuarterTurns> => {
    turned ??= createQuarterTurns((await decodeDocument(image)).pixels)
    return turned
  }
  const found = await locatePortrait(tools, scan, memory, { capture, load, isThorough })
  return found?.compared ? { ...found, ...found.compared } : null
}

/** The images of a document. */
export interface DocumentImages {
  readonly document_front: EncodedImage
  readonly document_back: EncodedImage | null
  /** The back may come later: the findings that will then be needed of the front are made now. */
  readonly awaits_back?: boolean
  /** Expected data is sought on a document of no known kind. */
  readonly seeks_expected?: boolean
}

/** The findings in a document, and its portrait. */
export interface ReadDocument {
  readonly findings: DocumentFindings
  readonly portrait: Portrait | null
}

/** Adds the places of the portrait and of the print. */
function addRegions(
  { findings: { regions = {} } }: SidesReading,
  portrait: Portrait | null,
  print: Print | null,
): Readonly<Record<string, CaptureRegions>> {
  const all: Record<string, CaptureRegions> = { ...regions }
  const add = (capture: string, found: CaptureRegions): void => {
    all[capture] = { ...all[capture], ...found }
  }
  for (const [capture, found] of Object.entries(print?.regions ?? {})) add(capture, found)
  if (portrait !== null) {
    const { capture, landmarks, size, quarterTurns } = portrait
    add(capture, { portrait: boundPoints(landmarks, size, quarterTurns) })
  }
  return all
}

/** Returns the side that a front alone lacks: by its layout, or by its title if nothing of it was read. */
function findBackMissing(print: Print | null, unknown: VisualZone | null): 'FRONT' | 'BACK' | null {
  if (print?.needsBack) return 'BACK'
  return unknown && findMissingSide(unknown)
}

/** Measures the width of a face as a share of its picture's shorter side. */
function measureFaceShare({ landmarks, size }: LocatedPortrait & { readonly size: PictureSize }): number {
  const xs = landmarks.points.map(([x]) => x)
  return (Math.max(...xs) - Math.min(...xs)) / Math.min(size.width, size.height)
}

function createDocumentFindings(
  { findings, isBackOnly, locatePage }: SidesReading,
  portrait: Portrait | null,
  { print, isFrontOnly }: { readonly print: Print | null; readonly isFrontOnly: boolean },
): DocumentFindings {
  const isRead = findings.reading === 'READ'
  const { text = null, reading = null } = print ?? {}
  const unknown = isRead || reading !== null ? null : text
  return {
    engine: documentEngine,
    ...findings,
    reading: reading === null ? findings.reading : 'READ',
    print: reading,
    unknown_print: print?.unknown ?? null,
    printed_lines: isRead || print === null ? null : listLines(print.lines),
    portrait_found: portrait !== null,
    fingerprint: portrait?.fingerprint ?? null,
    portrait_apart: locatePage === null && reading === null,
    // Nothing of a document without a zone or a barcode passes.
    visual: isRead ? text : null,
    unaccepted_kind: unknown && findUnacceptedKind(unknown, portrait && measureFaceShare(portrait)),
    missing_side: isBackOnly && portrait === null ? 'FRONT' : isFrontOnly ? findBackMissing(print, unknown) : null,
  }
}

/**
 * Takes the front's colour if it is stronger than a grey back's: the back of many a card is grey, and so is the front
 * of some, but both sides of a copy are.
 */
async function addFrontColour(
  { findings, ...scan }: SidesReading,
  portrait: Portrait | null,
  print: Print | null,
  memory: CaptureMemory,
): Promise<SidesReading> {
  const { colour = null } = findings
  const isGrey = colour !== null && colour.score < colour.threshold
  if (!isGrey || portrait === null || scan.locatePage !== null) return { findings, ...scan }
  const eyes = readEyes(portrait)
  const front = await memory.recall(portrait.capture, `colour around ${JSON.stringify(eyes)}`, async () =>
    measureCardColour(await portrait.loadPixels(), eyes, print?.lines ?? []),
  )
  return { ...scan, findings: { ...findings, colour: front !== null && front.score > colour.score ? front : colour } }
}

/** Reads a document in the stages `document`, `barcode`, `portrait` and `visual_zone`. */
export async function readDocument(
  tools: AnalysisTools,
  { document_front: front, document_back: back, awaits_back = false, seeks_expected }: DocumentImages,
  memory: CaptureMemory,
  measure: MeasureStage,
): Promise<ReadDocument> {
  const read = await tools.readSides(front, back, measure, memory)
  // The sides may come in the other order: the portrait is then on the back's image.
  const isOnBack = read.isSwapped && back !== null
  const capture = isOnBack ? 'document_back' : 'document_front'
  const isWorthIt = read.findings.reading === 'READ' || awaits_back
  const [image, other] = isOnBack ? [back, front] : [front, back]
  const portrait = await measure('portrait', () =>
    readPortrait(tools, read, memory, { capture, image, isThorough: isWorthIt }),
  )
  // A visa never passes: its printed text need not be read. That of a document without a zone or a barcode may show its
  // kind.
  const isVisa = read.findings.mrz?.format === 'MRVA' || read.findings.mrz?.format === 'MRVB'
  const reader = isVisa ? null : tools.print
  const { print, scan } = await measure('visual_zone', async () => {
    const print =
      reader && (await readPrint(reader, { capture, scan: read, portrait, image, other }, memory, seeks_expected))
    return { print, scan: await addFrontColour(read, portrait, print, memory) }
  })
  const findings = createDocumentFindings(scan, portrait, { print, isFrontOnly: back === null })
  return { findings: { ...findings, regions: addRegions(scan, portrait, print) }, portrait }
}
