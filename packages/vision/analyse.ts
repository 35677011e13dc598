import type { EngineFindings, EngineName } from '@attestor/rules'
import { type CaptureMemory, nameRevision, openMemory } from './capture_memory.ts'
import { readDocument } from './document/read_document.ts'
import { localEngineName } from './engine_name.ts'
import { createLivenessFindings, type Frame } from './face/challenge_response.ts'
import { readChipPortrait } from './face/chip_portrait.ts'
import { type ComparedPortrait, createFaceFindings } from './face/face_findings.ts'
import type { ComparedFace } from './face/read_face.ts'
import { recallFace, toCompared, type WantedFace } from './face/recall_face.ts'
import { UnreadableImageError } from './images/decode_image.ts'
import { faceModels } from './model_files.ts'
import type { Models } from './models.ts'
import type { AnalysisRequest, AnsweredChallenge } from './port.ts'
import { type AnalysisTools, createStopwatch } from './tools.ts'

/** Names the engine together with the network that compares faces. */
export function nameFaceEngine({ embedding }: Models): EngineName {
  const { name, version } = localEngineName
  return { name: `${name} ${embedding.model.name}`, version, models: faceModels }
}

export const wantedSelfie: WantedFace = { capture: 'selfie', answers: null }

/** Lists the faces that answer a challenge, action by action. */
export function wantFrames({ actions }: AnsweredChallenge): readonly (WantedFace & Pick<Frame, 'action'>)[] {
  return actions.map((action, n) => ({ capture: `frame_${n}`, action, answers: action }))
}

async function readComparedFace(
  models: Models,
  memory: CaptureMemory,
  wanted: WantedFace,
  image: Uint8Array,
): Promise<ComparedFace | null> {
  const seen = await recallFace(models, memory, wanted, image)
  return seen && toCompared(memory, wanted, seen)
}

/** Reads a challenge's frames one after the other: a picture is large, and one core reads it. */
async function readFrames(models: Models, memory: CaptureMemory, challenge: AnsweredChallenge): Promise<Frame[]> {
  const frames: Frame[] = []
  for (const [n, wanted] of wantFrames(challenge).entries()) {
    const image = challenge.frames[n] ?? null
    const picture = image && (await readComparedFace(models, memory, wanted, image))
    frames.push({ action: wanted.action, picture })
  }
  return frames
}

/**
 * A state may have signed a portrait that cannot be decoded. The selfie is then compared with the printed one alone.
 */
async function readSignedPortrait(models: Models, image: Uint8Array): Promise<ComparedPortrait | null> {
  try {
    return await readChipPortrait(models, image)
  } catch (error) {
    if (error instanceof UnreadableImageError) return null
    throw error
  }
}

/**
 * Analyses everything that a transaction has captured. A section without a capture is null. Rejects if the engine
 * itself fails, also at decoding an image. Calls `begin` as each stage begins.
 */
export async function analyse(
  tools: AnalysisTools,
  request: AnalysisRequest,
  begin: (stage: string) => void = () => {},
): Promise<EngineFindings> {
  const { stages, measure } = createStopwatch(begin)
  const { models, falseMatchRate: rate } = tools
  const memory = openMemory(nameRevision(models), request.kept)
  const { selfie: image, challenge, document_back, seeks_expected = false } = request
  const document_front = request.transaction_type === 'DOCUMENT_AND_BIOMETRIC' ? request.document_front : null
  const document =
    document_front && (await readDocument(tools, { document_front, document_back, seeks_expected }, memory, measure))
  const portrait = document?.portrait ?? null
  const selfie = image && (await measure('selfie', () => readComparedFace(models, memory, wantedSelfie, image)))
  const chipImage = request.transaction_type === 'DOCUMENT_AND_BIOMETRIC' ? request.signed_portrait : null
  const chipPortrait = chipImage ? await measure('chip_portrait', () => readSignedPortrait(models, chipImage)) : null
  const frames = challenge && (await measure('liveness', () => readFrames(models, memory, challenge)))
  const engine = nameFaceEngine(models)
  const { model } = models.embedding
  const compare = async () => ({
    liveness:
      frames && createLivenessFindings({ engine, limits: model.limits }, { selfie, frames }, challenge?.earlier),
    face: image && createFaceFindings(request, { engine, model, rate, selfie, portrait, chipPortrait }),
  })
  const faces = image || frames ? await measure('comparison', compare) : { liveness: null, face: null }
  return { document: document?.findings ?? null, ...faces, stages }
}
