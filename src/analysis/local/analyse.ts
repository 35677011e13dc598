import type {
  AnalysisRequest,
  DocumentEvidence,
  EncodedImage,
  EngineName,
  Evidence,
  FaceEvidence,
  LivenessEvidence,
} from '../port.ts'
import { mrzNetworkDigest } from './document/network.ts'
import type { DocumentLook, DocumentReader } from './document_look.ts'
import { localEngineName } from './engine_name.ts'
import { compareFaces, faceThreshold, noFace } from './face/comparison.ts'
import { chipSide, embed, faceChip, faceDistance } from './face/embedding.ts'
import {
  countPersons,
  type Face,
  type FoundPortrait,
  findFaces,
  findPortrait,
  findPortraitAnyWayUp,
  templateOf,
} from './face/faces.ts'
import { continuityOf, expressionOf, flatResidual, type LookedAt, planarityOf, showsAction } from './face/liveness.ts'
import { decode, type Pixels, quarterTurn, sharpness, UnreadableImage } from './face/pixels.ts'
import { embeddingModel, faceModels, type Models } from './models.ts'

const documentEngine: EngineName = { ...localEngineName, models: { mrz_network: mrzNetworkDigest(), ...faceModels } }

const faceEngine: EngineName = {
  name: `${localEngineName.name} ${embeddingModel}`,
  version: localEngineName.version,
  models: faceModels,
}

/** What one analysis works with. */
export interface Workbench {
  readonly models: Models
  readonly readDocument: DocumentReader
}

/** Longer sides to which photos are shrunk: a document's portrait is a small part of it. In pixels. */
const document_side = 2000
const face_side = 1280

interface Selfie extends LookedAt {
  readonly face: Face
  readonly persons: number
  readonly usable: boolean
}

const decodeOrNull = async (image: EncodedImage, side: number): Promise<Pixels | null> => {
  try {
    return await decode(image, side)
  } catch (error) {
    if (error instanceof UnreadableImage) return null
    throw error
  }
}

/** CPU of this process by stage, in milliseconds. One analysis runs at a time in a process. */
const stopwatch = (): {
  stages: Record<string, number>
  measure: <T>(stage: string, work: () => Promise<T>) => Promise<T>
} => {
  const stages: Record<string, number> = {}
  return {
    stages,
    measure: async (stage, work) => {
      const before = process.cpuUsage()
      const result = await work()
      const { user, system } = process.cpuUsage(before)
      stages[stage] = Math.round((user + system) / 1000)
      return result
    },
  }
}

const lookAtSelfie = async ({ models }: Workbench, image: EncodedImage): Promise<Selfie | null> => {
  const pixels = await decodeOrNull(image, face_side)
  const faces = pixels ? findFaces(models, pixels) : []
  const [face] = faces
  if (!pixels || !face) return null
  const chip = faceChip(pixels, face.landmarks)
  const turn = Math.abs(expressionOf(face.landmarks).turn)
  return {
    face,
    landmarks: face.landmarks,
    template: embed(models, chip),
    persons: countPersons(faces),
    usable:
      face.width >= faceThreshold.min_width_pixels &&
      turn <= faceThreshold.max_turn &&
      sharpness(chip, chipSide) >= faceThreshold.min_sharpness,
  }
}

const portraitIn = (models: Models, pixels: Pixels, look: DocumentLook): FoundPortrait | null => {
  if (look.quarter_turns === null) return findPortraitAnyWayUp(models, pixels)
  let upright = pixels
  for (let turn = 0; turn < look.quarter_turns; turn++) upright = quarterTurn(upright)
  const face = findPortrait(models, upright, look.portrait_place)
  return face && { face, pixels: upright }
}

/** The portrait; null where there is none, or one too small to be compared. */
const lookAtPortrait = async (
  { models }: Workbench,
  look: DocumentLook,
  front: EncodedImage,
): Promise<LookedAt | null> => {
  const pixels = await decodeOrNull(front, document_side)
  const found = pixels && portraitIn(models, pixels, look)
  if (!found || found.face.width < faceThreshold.min_width_pixels) return null
  return { landmarks: found.face.landmarks, template: templateOf(models, found.pixels, found.face) }
}

const documentEvidence = ({ evidence, back_only }: DocumentLook, portrait: LookedAt | null): DocumentEvidence => ({
  engine: documentEngine,
  ...evidence,
  portrait_found: portrait !== null,
  missing_side: back_only && portrait === null ? 'FRONT' : null,
})

const lookAtChallenge = async (
  { models }: Workbench,
  challenge: NonNullable<AnalysisRequest['challenge']>,
  selfie: Selfie | null,
): Promise<LivenessEvidence> => {
  const expected = selfie ? expressionOf(selfie.landmarks) : null
  const seen: LookedAt[] = []
  const turns: LookedAt[] = []
  const outcome: { action: (typeof challenge.actions)[number]; passed: boolean | null }[] = []
  for (const [n, action] of challenge.actions.entries()) {
    const image = challenge.frames[n]
    const pixels = image ? await decodeOrNull(image, face_side) : null
    const face = pixels ? findFaces(models, pixels)[0] : undefined
    if (!pixels || !face) {
      outcome.push({ action, passed: null })
      continue
    }
    const frame: LookedAt = { landmarks: face.landmarks, template: templateOf(models, pixels, face) }
    seen.push(frame)
    if (action === 'TURN_LEFT' || action === 'TURN_RIGHT') turns.push(frame)
    outcome.push({ action, passed: showsAction(action, expressionOf(face.landmarks), expected) })
  }
  return {
    engine: faceEngine,
    method: 'ACTIVE',
    challenge: outcome,
    planarity: planarityOf(selfie, turns),
    continuity: continuityOf(selfie, seen),
  }
}

const isSamePicture = (selfie: Selfie, portrait: LookedAt): boolean =>
  faceDistance(selfie.template, portrait.template) <= faceThreshold.same_picture &&
  flatResidual(selfie.landmarks, portrait.landmarks) <= faceThreshold.same_picture_residual

const faceEvidence = (request: AnalysisRequest, selfie: Selfie | null, portrait: LookedAt | null): FaceEvidence => {
  if (!selfie) return noFace(faceEngine)
  const enrolled = request.transaction_type === 'BIOMETRIC_ONLY'
  const reference = enrolled ? request.enrolled_face : (portrait?.template ?? null)
  const { distance, similarity, outdated } = compareFaces(selfie.template, reference)
  return {
    ...noFace(faceEngine),
    faces_in_selfie: selfie.persons,
    face_width: Math.round(selfie.face.width),
    usable: selfie.usable,
    reference: reference === null ? null : enrolled ? 'ENROLLED_FACE' : 'DOCUMENT',
    distance,
    similarity,
    same_picture: !enrolled && portrait !== null && isSamePicture(selfie, portrait),
    reference_outdated: outdated,
    template: selfie.usable ? selfie.template : null,
  }
}

/**
 * Looks at everything a transaction has captured. A section whose capture was never made is null. Rejects only where
 * the engine itself fails; a bad image is evidence.
 */
export const analyse = async (bench: Workbench, request: AnalysisRequest): Promise<Evidence> => {
  const { stages, measure } = stopwatch()
  const front = request.transaction_type === 'DOCUMENT_AND_BIOMETRIC' ? request.document_front : null
  const look = front && (await measure('document', () => bench.readDocument(front, request.document_back)))
  // A card's back may have been taken first: its portrait is then on the other photo.
  const pictured = (look?.swapped && request.document_back) || front
  const portrait = look && pictured && (await measure('portrait', () => lookAtPortrait(bench, look, pictured)))
  const { selfie: image, challenge } = request
  const selfie = image && (await measure('selfie', () => lookAtSelfie(bench, image)))
  const liveness = challenge && (await measure('liveness', () => lookAtChallenge(bench, challenge, selfie)))
  return {
    document: look && documentEvidence(look, portrait),
    liveness,
    face: image && faceEvidence(request, selfie, portrait),
    stages,
  }
}
