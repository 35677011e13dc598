import type { EngineFindings, EngineName } from '../../decision/findings.ts'
import type { AnalysisRequest, AnsweredChallenge } from '../port.ts'
import { type CaptureMemory, openMemory } from './capture_memory.ts'
import { type Portrait, readDocument } from './document/read_document.ts'
import { localEngineName } from './engine_name.ts'
import { createLivenessFindings, type Frame } from './face/challenge.ts'
import { faceSpace } from './face/embedding.ts'
import { createFaceFindings } from './face/face_findings.ts'
import type { ComparedFace, SeenFace } from './face/read_face.ts'
import { embedRemembered, readVectors, recallFace, toCompared, type WantedFace } from './face/recall_face.ts'
import { findFormerSpace } from './face/templates.ts'
import { faceModels, type Models } from './models.ts'
import { type AnalysisTools, createStopwatch } from './tools.ts'

export const faceEngine: EngineName = {
  name: `${localEngineName.name} ${faceSpace.model}`,
  version: localEngineName.version,
  models: faceModels,
}

export function wantSelfie({ enrolled_face }: AnalysisRequest): WantedFace {
  return {
    capture: 'selfie',
    purpose: { former: findFormerSpace(enrolled_face) },
  }
}

/** The faces that answer a challenge, action by action. */
export function wantFrames({ actions }: AnsweredChallenge): readonly (WantedFace & Pick<Frame, 'action'>)[] {
  return actions.map((action, n) => ({ capture: `frame_${n}`, action, purpose: { answers: action } }))
}

/** Reads a challenge's frames one after the other: a picture is large, and one core reads it. */
async function recallFrames(
  models: Models,
  memory: CaptureMemory,
  challenge: AnsweredChallenge,
): Promise<readonly Frame<SeenFace>[]> {
  const frames: Frame<SeenFace>[] = []
  for (const [n, wanted] of wantFrames(challenge).entries()) {
    const image = challenge.frames[n] ?? null
    frames.push({ action: wanted.action, picture: image && (await recallFace(models, memory, wanted, image)) })
  }
  return frames
}

interface ReadFaces {
  readonly portrait: Portrait | null
  readonly selfie: SeenFace | null
  readonly frames: readonly Frame<SeenFace>[] | null
}

/** Embeds all faces in one run of the network. */
function embedFaces(
  { models }: AnalysisTools,
  request: AnalysisRequest,
  memory: CaptureMemory,
  { portrait, selfie, frames }: ReadFaces,
) {
  embedRemembered(models, memory)
  const wanted = request.challenge ? wantFrames(request.challenge) : []
  const compare = (face: SeenFace | null, faceWanted: WantedFace | undefined): ComparedFace | null =>
    face && faceWanted ? toCompared(memory, faceWanted, face) : null
  return {
    portrait: portrait && {
      landmarks: portrait.landmarks,
      vectors: readVectors(memory, portrait.capture, portrait.what),
    },
    selfie: compare(selfie, wantSelfie(request)),
    frames: frames?.map(({ action, picture }, n) => ({ action, picture: compare(picture, wanted[n]) })) ?? null,
  }
}

const noFaces = { portrait: null, selfie: null, frames: null } as const

/**
 * Analyses everything that a transaction has captured. A section without a capture is null. Rejects where the engine
 * itself fails, also at decoding an image. Calls `begin` as each stage begins.
 */
export async function analyse(
  tools: AnalysisTools,
  request: AnalysisRequest,
  begin: (stage: string) => void = () => {},
): Promise<EngineFindings> {
  const { stages, measure } = createStopwatch(begin)
  const memory = openMemory(request.kept)
  const { selfie: image, challenge, document_back } = request
  const document_front = request.transaction_type === 'DOCUMENT_AND_BIOMETRIC' ? request.document_front : null
  const document = document_front && (await readDocument(tools, { document_front, document_back }, memory, measure))
  const wanted = wantSelfie(request)
  const read: ReadFaces = {
    portrait: document?.portrait ?? null,
    selfie: image && (await measure('selfie', () => recallFace(tools.models, memory, wanted, image))),
    frames: challenge && (await measure('liveness', () => recallFrames(tools.models, memory, challenge))),
  }
  const compared = read.portrait ?? read.selfie ?? read.frames
  const faces = compared ? await measure('comparison', async () => embedFaces(tools, request, memory, read)) : noFaces
  return {
    document: document?.findings ?? null,
    liveness:
      faces.frames && createLivenessFindings(faceEngine, { ...faces, frames: faces.frames }, challenge?.earlier),
    face: image && createFaceFindings(request, { engine: faceEngine, rate: tools.falseMatchRate, ...faces }),
    stages,
  }
}
