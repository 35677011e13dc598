import type { DocumentFindings, EngineFindings, EngineName, VisualZone } from '../../decision/findings.ts'
import type { RgbImage } from '../../images/raster.ts'
import type { AnalysisRequest, EncodedImage, FalseMatchRate } from '../port.ts'
import { hashMrzNetwork } from './document/network.ts'
import { loadDocumentPicture } from './document/picture.ts'
import type { DocumentScan, MeasureStage, ScanDocument } from './document_reader.ts'
import { localEngineName } from './engine_name.ts'
import { createLivenessFindings, type Frame, readFrames } from './face/challenge.ts'
import { faceSpace } from './face/embedding.ts'
import { type ComparedPortrait, createFaceFindings } from './face/face_findings.ts'
import { type FoundPortrait, findPortrait, findPortraitAnyRotation } from './face/faces.ts'
import { rotateQuarter } from './face/pixels.ts'
import { type ComparedFace, type FacePicture, nullIfUnreadable, readFace } from './face/read_face.ts'
import { cutFace, embedFaces, type FaceCuts, findFormerSpace } from './face/templates.ts'
import { qualityThreshold } from './face/thresholds.ts'
import { faceModels, type Models, textModels } from './models.ts'
import { type LocatedPortrait, readPrintedText } from './visual/read_text.ts'
import type { TextReader } from './visual/tesseract.ts'

const documentEngine: EngineName = {
  ...localEngineName,
  models: { mrz_network: hashMrzNetwork(), ...faceModels, ...textModels },
}

const faceEngine: EngineName = {
  name: `${localEngineName.name} ${faceSpace.model}`,
  version: localEngineName.version,
  models: faceModels,
}

export interface AnalysisTools {
  readonly models: Models
  /** Faces are compared at this rate. */
  readonly falseMatchRate: FalseMatchRate
  readonly readDocument: ScanDocument
  /** Reads printed text; null where that is switched off. */
  readonly readText: TextReader | null
}

/** CPU of this process by stage, in milliseconds. One analysis runs at a time in a process. */
const createStopwatch = (begin: (stage: string) => void): { stages: Record<string, number>; measure: MeasureStage } => {
  const stages: Record<string, number> = {}
  return {
    stages,
    measure: async (stage, work) => {
      begin(stage)
      const before = process.cpuUsage()
      const result = await work()
      const { user, system } = process.cpuUsage(before)
      stages[stage] = Math.round((user + system) / 1000)
      return result
    },
  }
}

interface Portrait extends LocatedPortrait {
  readonly cuts: FaceCuts
}

const locatePortrait = (models: Models, pixels: RgbImage, scan: DocumentScan): FoundPortrait | null => {
  if (scan.quarterTurns === null) return findPortraitAnyRotation(models, pixels, scan.findings.reading === 'READ')
  let upright = pixels
  for (let turn = 0; turn < scan.quarterTurns; turn++) upright = rotateQuarter(upright)
  const face = findPortrait(models, upright, { portrait: scan.portraitRegion, page: scan.pageRegion })
  return face && { face, pixels: upright }
}

/** Null where there is no portrait, or one too small to be compared. */
const readPortrait = async (
  { models }: AnalysisTools,
  scan: DocumentScan,
  front: EncodedImage,
): Promise<Portrait | null> => {
  const pixels = (await nullIfUnreadable(loadDocumentPicture(front)))?.pixels
  const found = pixels && locatePortrait(models, pixels, scan)
  if (!found || found.face.width < qualityThreshold.minPortraitWidth) return null
  const { face, pixels: upright } = found
  return { landmarks: face.landmarks, cuts: cutFace(upright, face.landmarks), pixels: upright }
}

const createDocumentFindings = (
  { findings, isBackOnly, page }: DocumentScan,
  portrait: Portrait | null,
  visual: VisualZone | null,
): DocumentFindings => ({
  engine: documentEngine,
  ...findings,
  portrait_found: portrait !== null,
  portrait_apart: page === null,
  visual,
  missing_side: isBackOnly && portrait === null ? 'FRONT' : null,
})

/** The faces of an analysis with their vectors. All are embedded in one run of the network. */
interface EmbeddedFaces {
  readonly portrait: ComparedPortrait | null
  readonly selfie: ComparedFace | null
  readonly frames: readonly Frame[] | null
}

interface ReadFaces {
  readonly portrait: Portrait | null
  readonly selfie: FacePicture | null
  readonly frames: readonly Frame<FacePicture>[] | null
}

const noFaces: EmbeddedFaces = { portrait: null, selfie: null, frames: null }

const embedFacesOfAnalysis = (models: Models, { portrait, selfie, frames }: ReadFaces): EmbeddedFaces => {
  const pictures = [selfie, ...(frames ?? []).map(({ picture }) => picture)]
  const cuts = [portrait, ...pictures].flatMap(face => face?.cuts ?? [])
  const vectors = embedFaces(models, cuts)
  const vectorsOf = new Map(cuts.map((cut, n) => [cut, vectors[n]]))
  const embedded = <Face extends { readonly cuts: FaceCuts }>(face: Face | null) => {
    const found = face && vectorsOf.get(face.cuts)
    return face && found ? { ...face, vectors: found } : null
  }
  return {
    portrait: embedded(portrait),
    selfie: embedded(selfie),
    frames: frames?.map(({ action, picture }) => ({ action, picture: embedded(picture) })) ?? null,
  }
}

/**
 * Analyses everything that a transaction has captured. A section without a capture is null. Rejects only where the engine
 * itself fails: an unreadable image is a finding. Calls `begin` as each stage begins.
 */
export const analyse = async (
  tools: AnalysisTools,
  request: AnalysisRequest,
  begin: (stage: string) => void = () => {},
): Promise<EngineFindings> => {
  const { stages, measure } = createStopwatch(begin)
  const front = request.transaction_type === 'DOCUMENT_AND_BIOMETRIC' ? request.document_front : null
  const scan = front && (await tools.readDocument(front, request.document_back, measure))
  // The sides may come in the other order: the portrait is then on the back's image.
  const pictured = (scan?.isSwapped && request.document_back) || front
  const portrait = scan && pictured && (await measure('portrait', () => readPortrait(tools, scan, pictured)))
  // Without a zone or a barcode a document never passes, whatever its printed text says.
  const readText = scan?.findings.reading === 'READ' ? tools.readText : null
  const visual =
    scan && readText && (await measure('visual_zone', async () => readPrintedText(readText, scan, portrait || null)))
  const { selfie: image, challenge } = request
  const former = findFormerSpace(request.enrolled_face)
  const read = {
    portrait: portrait || null,
    selfie: image && (await measure('selfie', () => readFace(tools.models, image, { former }))),
    frames: challenge && (await measure('liveness', () => readFrames(tools.models, challenge))),
  }
  const compared = read.portrait ?? read.selfie ?? read.frames
  const faces = compared ? await measure('comparison', async () => embedFacesOfAnalysis(tools.models, read)) : noFaces
  return {
    document: scan && createDocumentFindings(scan, portrait, visual),
    liveness:
      faces.frames && createLivenessFindings(faceEngine, { ...faces, frames: faces.frames }, challenge?.earlier),
    face: image && createFaceFindings(request, { engine: faceEngine, rate: tools.falseMatchRate, ...faces }),
    stages,
  }
}
