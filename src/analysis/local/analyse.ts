import type {
  AnalysisRequest,
  DocumentEvidence,
  EncodedImage,
  EngineName,
  Evidence,
  FaceEvidence,
  FaceTemplate,
  VisualZone,
} from '../port.ts'
import { mrzNetworkDigest } from './document/network.ts'
import { documentPicture } from './document/picture.ts'
import type { DocumentLook, DocumentReader, Measure } from './document_look.ts'
import { localEngineName } from './engine_name.ts'
import { lookAtChallenge } from './face/challenge.ts'
import { compareFaces, noFace } from './face/comparison.ts'
import { faceDistance } from './face/embedding.ts'
import { type FoundPortrait, findPortrait, findPortraitAnyWayUp, templateOf } from './face/faces.ts'
import { type FacePicture, lookAtFace, orNull } from './face/look.ts'
import { type Pixels, quarterTurn } from './face/pixels.ts'
import { flatResidual } from './face/planarity.ts'
import { checkQuality } from './face/quality.ts'
import { faceThreshold, qualityThreshold } from './face/thresholds.ts'
import { embeddingModel, faceModels, type Models, textModels } from './models.ts'
import { lookAtText, type SeenPortrait } from './visual/look_at_text.ts'
import type { TextReader } from './visual/tesseract.ts'

const documentEngine: EngineName = {
  ...localEngineName,
  models: { mrz_network: mrzNetworkDigest(), ...faceModels, ...textModels },
}

const faceEngine: EngineName = {
  name: `${localEngineName.name} ${embeddingModel}`,
  version: localEngineName.version,
  models: faceModels,
}

/** What one analysis works with. */
export interface Workbench {
  readonly models: Models
  readonly readDocument: DocumentReader
  /** Reads printed text; null where that is switched off. */
  readonly readText: TextReader | null
}

/** CPU of this process by stage, in milliseconds. One analysis runs at a time in a process. */
const stopwatch = (begin: (stage: string) => void): { stages: Record<string, number>; measure: Measure } => {
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

interface Portrait extends SeenPortrait {
  readonly template: FaceTemplate
}

const portraitIn = (models: Models, pixels: Pixels, look: DocumentLook): FoundPortrait | null => {
  if (look.quarter_turns === null) return findPortraitAnyWayUp(models, pixels, look.evidence.reading === 'READ')
  let upright = pixels
  for (let turn = 0; turn < look.quarter_turns; turn++) upright = quarterTurn(upright)
  const face = findPortrait(models, upright, { place: look.portrait_place, page: look.page_place })
  return face && { face, pixels: upright }
}

/** The portrait; null where there is none, or one too small to be compared. */
const lookAtPortrait = async (
  { models }: Workbench,
  look: DocumentLook,
  front: EncodedImage,
): Promise<Portrait | null> => {
  const pixels = (await orNull(documentPicture(front)))?.pixels
  const found = pixels && portraitIn(models, pixels, look)
  if (!found || found.face.width < qualityThreshold.min_width) return null
  const { face, pixels: upright } = found
  return { landmarks: face.landmarks, template: templateOf(models, upright, face), pixels: upright }
}

const documentEvidence = (
  { evidence, back_only, page }: DocumentLook,
  portrait: Portrait | null,
  visual: VisualZone | null,
): DocumentEvidence => ({
  engine: documentEngine,
  ...evidence,
  portrait_found: portrait !== null,
  portrait_apart: page === null,
  visual,
  missing_side: back_only && portrait === null ? 'FRONT' : null,
})

const samePicture = (
  selfie: FacePicture,
  portrait: Portrait,
): Pick<FaceEvidence, 'same_picture' | 'picture_distance' | 'picture_residual'> => {
  const distance = faceDistance(selfie.template, portrait.template)
  const residual = flatResidual(selfie.face.landmarks, portrait.landmarks)
  const { same_picture, same_picture_residual } = faceThreshold
  return {
    same_picture: distance <= same_picture && residual <= same_picture_residual,
    picture_distance: { score: distance, threshold: same_picture },
    picture_residual: { score: residual, threshold: same_picture_residual },
  }
}

const faceEvidence = (
  request: AnalysisRequest,
  selfie: FacePicture | null,
  portrait: Portrait | null,
): FaceEvidence => {
  const enrolled = request.transaction_type === 'BIOMETRIC_ONLY'
  const reference = enrolled ? request.enrolled_face : (portrait?.template ?? null)
  const { distance, similarity, outdated } = compareFaces(selfie?.template ?? null, reference)
  const compared = {
    ...noFace(faceEngine),
    reference: reference === null ? null : enrolled ? 'ENROLLED_FACE' : 'DOCUMENT',
    reference_outdated: outdated,
  } as const
  if (!selfie) return compared
  const quality = checkQuality({ ...selfie, width: selfie.face.width })
  const usable = quality.every(({ passed }) => passed)
  return {
    ...compared,
    faces_in_selfie: selfie.persons,
    second_face: selfie.second_face,
    face_width: Math.round(selfie.face.width),
    usable,
    quality,
    distance,
    similarity,
    ...(enrolled || portrait === null ? {} : samePicture(selfie, portrait)),
    template: usable ? selfie.template : null,
  }
}

/**
 * Looks at everything a transaction has captured. A section whose capture was never made is null. Rejects only where
 * the engine itself fails; a bad image is evidence. `begin` is told of each stage as it begins.
 */
export const analyse = async (
  bench: Workbench,
  request: AnalysisRequest,
  begin: (stage: string) => void = () => {},
): Promise<Evidence> => {
  const { stages, measure } = stopwatch(begin)
  const front = request.transaction_type === 'DOCUMENT_AND_BIOMETRIC' ? request.document_front : null
  const look = front && (await bench.readDocument(front, request.document_back, measure))
  // A card's back may have been taken first: its portrait is then on the other photo.
  const pictured = (look?.swapped && request.document_back) || front
  const portrait = look && pictured && (await measure('portrait', () => lookAtPortrait(bench, look, pictured)))
  const { readText } = bench
  const visual =
    look && readText && (await measure('visual_zone', async () => lookAtText(readText, look, portrait || null)))
  const { selfie: image, challenge } = request
  const selfie = image && (await measure('selfie', () => lookAtFace(bench.models, image)))
  const liveness =
    challenge && (await measure('liveness', () => lookAtChallenge(bench.models, faceEngine, challenge, selfie)))
  return {
    document: look && documentEvidence(look, portrait, visual),
    liveness,
    face: image && faceEvidence(request, selfie, portrait),
    stages,
  }
}
