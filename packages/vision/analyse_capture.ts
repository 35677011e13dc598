import type { EngineFindings } from '@attestor/rules'
import { nameFaceEngine, wantedSelfie, wantFrames } from './analyse.ts'
import { type CaptureMemory, nameRevision, openMemory } from './capture_memory.ts'
import { readDocument } from './document/read_document.ts'
import type { MeasureStage } from './document/read_sides.ts'
import { judgeFrames, locateFaces } from './face/challenge_response.ts'
import { createSelfieFindings } from './face/face_findings.ts'
import { readRemembered, recallFace } from './face/recall_face.ts'
import type { CaptureAnalysis, CaptureRequest } from './port.ts'
import { type AnalysisTools, createStopwatch } from './tools.ts'

type Sections = Pick<EngineFindings, 'document' | 'liveness' | 'face'>

const noSections: Sections = { document: null, liveness: null, face: null }

async function readSides(
  tools: AnalysisTools,
  request: CaptureRequest,
  memory: CaptureMemory,
  measure: MeasureStage,
): Promise<Sections> {
  const { document_front, document_back, awaits_back } = request
  if (document_front === null) return noSections
  const document = await readDocument(tools, { document_front, document_back, awaits_back }, memory, measure)
  return { ...noSections, document: document.findings }
}

async function readSelfie(
  { models, falseMatchRate }: AnalysisTools,
  request: CaptureRequest,
  memory: CaptureMemory,
): Promise<Sections> {
  const { selfie } = request
  const seen = selfie && (await recallFace(models, memory, wantedSelfie, selfie))
  const comparer = { engine: nameFaceEngine(models), model: models.embedding.model, rate: falseMatchRate }
  return { ...noSections, face: selfie && createSelfieFindings(comparer, seen) }
}

/** The selfie and the other frames count only as far as they are remembered. */
async function readFrame({ models }: AnalysisTools, request: CaptureRequest, memory: CaptureMemory): Promise<Sections> {
  const { capture, challenge } = request
  if (challenge === null) return noSections
  const wanted = wantFrames(challenge)
  const n = wanted.findIndex(frame => frame.capture === capture)
  const frame = wanted[n]
  const image = challenge.frames[n]
  if (frame && image) await recallFace(models, memory, frame, image)
  const frames = wanted.map(one => ({ action: one.action, picture: readRemembered(memory, one) }))
  return {
    ...noSections,
    liveness: {
      engine: nameFaceEngine(models),
      method: 'ACTIVE',
      ...judgeFrames(frames, readRemembered(memory, wantedSelfie)),
      regions: locateFaces(frames),
      planarity: null,
      continuity: null,
    },
  }
}

/** Analyses a single image. */
export async function analyseCapture(
  tools: AnalysisTools,
  request: CaptureRequest,
  begin: (stage: string) => void = () => {},
): Promise<CaptureAnalysis> {
  const { stages, measure } = createStopwatch(begin)
  const memory = openMemory(nameRevision(tools.models), request.kept)
  const read = async (): Promise<Sections> => {
    if (request.capture === 'selfie') return measure('selfie', () => readSelfie(tools, request, memory))
    if (request.capture.startsWith('frame_')) return measure('liveness', () => readFrame(tools, request, memory))
    return readSides(tools, request, memory, measure)
  }
  const sections = await read()
  return { findings: { ...sections, stages }, kept: memory.listNew() }
}
