import type { EngineFindings, EngineName } from '@attestor/rules'
import {
  type AnalysisEngine,
  AnalysisError,
  type AnalysisRequest,
  type CaptureAnalysis,
  type CaptureName,
  type CaptureRequest,
  type EngineSection,
  EngineUnavailableError,
  engineSections,
  type KeptByCapture,
} from '@attestor/vision'

/** The engine of each section. An engine of several sections is called once for all of them. */
export type EngineOfSection = Readonly<Record<EngineSection, AnalysisEngine>>

const composedName: EngineName = { name: 'sections', version: '1' }

/** The sections that a transaction of this type has. */
function listSections({ transaction_type }: AnalysisRequest): readonly EngineSection[] {
  return transaction_type === 'BIOMETRIC_ONLY' ? ['liveness', 'face'] : engineSections
}

export function selectSections(sections: readonly EngineSection[], request: AnalysisRequest): readonly EngineSection[] {
  return sections.filter(section => listSections(request).includes(section))
}

/** The kind of a capture follows from its name. */
export function isDocument(capture: CaptureName): boolean {
  return capture.startsWith('document_')
}

export function isFrame(capture: CaptureName): boolean {
  return capture.startsWith('frame_')
}

function listSectionsNeeding(capture: CaptureName): readonly EngineSection[] {
  if (isDocument(capture)) return ['document', 'face']
  return isFrame(capture) ? ['liveness'] : ['liveness', 'face']
}

/** Removes data that these sections do not need: no engine gets more than its part. */
export function narrowRequest<Request extends AnalysisRequest>(
  request: Request,
  sections: readonly EngineSection[],
): Request {
  const needs = (...wanted: readonly EngineSection[]): boolean => wanted.some(section => sections.includes(section))
  const onboarding = listSections(request).includes('document')
  const document = onboarding && needs('document', 'face')
  return {
    ...request,
    document_front: document ? request.document_front : null,
    document_back: document ? request.document_back : null,
    selfie: needs('liveness', 'face') ? request.selfie : null,
    challenge: needs('liveness') ? request.challenge : null,
    ...(request.signed_portrait && { signed_portrait: onboarding && needs('face') ? request.signed_portrait : null }),
    enrolled_face: needs('face') && !onboarding ? request.enrolled_face : null,
    ...(request.kept && { kept: selectKept(request.kept, capture => needs(...listSectionsNeeding(capture))) }),
  }
}

function selectKept(kept: KeptByCapture, isNeeded: (capture: CaptureName) => boolean): KeptByCapture {
  return Object.fromEntries(Object.entries(kept).filter(([capture]) => isNeeded(capture as CaptureName)))
}

interface Part {
  readonly engine: AnalysisEngine
  readonly sections: readonly EngineSection[]
}

function mergeFindings(
  parts: readonly { sections: readonly EngineSection[]; findings: EngineFindings }[],
): EngineFindings {
  const own = parts.flatMap(({ sections, findings }) => sections.map(section => [section, findings[section]]))
  const stages = Object.assign({}, ...parts.map(({ findings }) => findings.stages)) as EngineFindings['stages']
  return { document: null, liveness: null, face: null, ...Object.fromEntries(own), stages }
}

/** Replaces an engine's earlier findings for the same requests by those that it kept now. */
function mergeKept(before: KeptByCapture, parts: readonly KeptByCapture[]): KeptByCapture {
  const names = new Set(parts.flatMap(part => Object.keys(part) as CaptureName[]))
  return Object.fromEntries(
    [...names].map(name => {
      const made = parts.flatMap(part => part[name] ?? [])
      const others = (before[name] ?? []).filter(
        ({ engine, kept_for }) =>
          made.some(own => own.kept_for === kept_for) &&
          !made.some(own => own.kept_for === kept_for && own.engine === engine),
      )
      return [name, [...others, ...made]]
    }),
  )
}

/** Adds the engine to a failure. An unavailable engine has not failed. */
function nameEngine(error: unknown, engine: EngineName): unknown {
  return error instanceof AnalysisError && !(error instanceof EngineUnavailableError)
    ? new AnalysisError(error.message, { cause: error, engine: error.engine ?? engine, stage: error.stage })
    : error
}

/** An engine without capacity leaves its part to the analysis. If one fails, the whole call fails. */
async function analyseCapture(
  parts: readonly Part[],
  request: CaptureRequest,
  signal: AbortSignal,
): Promise<CaptureAnalysis> {
  const needed = listSectionsNeeding(request.capture)
  const asked = parts.flatMap(({ engine, sections }) => {
    const own = selectSections(sections, request).filter(section => needed.includes(section))
    return engine.analyseCapture && own.length > 0 ? [{ engine, sections: own }] : []
  })
  const outcomes = await Promise.allSettled(
    asked.map(async ({ engine, sections }) => {
      const analysed = await engine.analyseCapture?.(narrowRequest(request, sections), signal)
      return analysed && { sections, ...analysed }
    }),
  )
  const reasons = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
  const fault = reasons.find(reason => !(reason instanceof EngineUnavailableError))
  if (fault !== undefined || (reasons.length > 0 && reasons.length === outcomes.length)) throw fault ?? reasons[0]
  const analysed = outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? (outcome.value ?? []) : []))
  return {
    findings: mergeFindings(analysed),
    kept: mergeKept(
      request.kept ?? {},
      analysed.map(({ kept }) => kept),
    ),
  }
}

/**
 * Combines several engines. They work at the same time, and findings name their engine. The analysis fails if one of them
 * does, once the others have ended: an aborted local engine would lose its process.
 */
export function sectionedEngine(engines: EngineOfSection): AnalysisEngine {
  const parts: readonly Part[] = [...new Set(Object.values(engines))].map(engine => ({
    engine,
    sections: engineSections.filter(section => engines[section] === engine),
  }))
  const copies = engines.face.copies ?? engines.liveness.copies
  return {
    ...(copies && { copies }),
    engine: composedName,
    ready: Promise.all(parts.map(({ engine }) => engine.ready)).then(() => {}),
    async processes() {
      const all = await Promise.all(parts.map(({ engine }) => engine.processes()))
      return all.find(processes => processes !== null) ?? null
    },
    capacity: () => Math.min(...parts.map(({ engine }) => engine.capacity())),
    async analyse(request, signal) {
      const asked = parts
        .map(({ engine, sections }) => ({ engine, sections: selectSections(sections, request) }))
        .filter(({ sections }) => sections.length > 0)
      const outcomes = await Promise.allSettled(
        asked.map(async ({ engine, sections }) => ({
          sections,
          findings: await engine.analyse(narrowRequest(request, sections), signal).catch(error => {
            throw nameEngine(error, engine.engine)
          }),
        })),
      )
      const failed = outcomes.find(outcome => outcome.status === 'rejected')
      if (failed !== undefined) throw failed.reason
      return mergeFindings(outcomes.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : [])))
    },
    ...(parts.some(({ engine }) => engine.analyseCapture) && {
      analyseCapture: (request: CaptureRequest, signal: AbortSignal) => analyseCapture(parts, request, signal),
    }),
    async stop() {
      await Promise.all(parts.map(({ engine }) => engine.stop()))
    },
  }
}
