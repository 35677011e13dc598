import { readFileSync } from 'node:fs'
import {
  type AnalysisEngine,
  type EngineSection,
  engineSections,
  localEngine,
  prepareNetworks,
  readFaceModel,
  readLayouts,
  readLivenessModel,
} from '@attestor/vision'
import { asError } from '../base/api_error.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { ConfigError } from '../base/setting.ts'
import { type Config, getEngineNames } from '../config/settings.ts'
import { type CodeMapping, readCodeMapping } from '../engines/http/codes.ts'
import { httpEngine } from '../engines/http/engine.ts'
import { createApprovedFindings, scriptedEngine } from '../engines/scripted.ts'
import { sectionedEngine } from '../engines/sections.ts'

export interface EngineOptions {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
}

function readCodes(file: string | null): CodeMapping {
  if (file === null) return {}
  try {
    return readCodeMapping(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new ConfigError(`ANALYSIS_HTTP_CODES: ${file}: ${asError(cause).message}`, { cause })
  }
}

function createHttpEngine({ config, clock, log }: EngineOptions, sections: readonly EngineSection[]): AnalysisEngine {
  const { ANALYSIS_HTTP_URL: url, ANALYSIS_HTTP_SECRET: secret } = config
  if (url === null || secret === null) throw new ConfigError('ANALYSIS_HTTP_URL: is required by the engine http')
  return httpEngine({
    clock,
    log,
    url,
    secret,
    sections,
    timeLimitMs: config.ANALYSIS_HTTP_SECONDS * 1000,
    concurrency: config.ANALYSIS_HTTP_CONCURRENCY,
    captures: config.ANALYSIS_HTTP_CAPTURES,
    codes: readCodes(config.ANALYSIS_HTTP_CODES),
  })
}

/** Reads a model's or the layouts' files once, so that a bad description stops the start and not the children. */
function checkOwnModel(setting: string, file: string | null, read: (file: string) => unknown): string | null {
  try {
    if (file !== null) read(file)
    return file
  } catch (cause) {
    throw new ConfigError(`${setting}: ${asError(cause).message}`, { cause })
  }
}

function createLocalEngine({ config, clock, log }: EngineOptions): AnalysisEngine {
  return localEngine({
    clock,
    log,
    children: config.ANALYSIS_PROCESSES,
    visualZone: config.VISUAL_ZONE,
    falseMatchRate: config.FACE_FALSE_MATCH_RATE,
    layouts: checkOwnModel('DOCUMENT_LAYOUTS', config.DOCUMENT_LAYOUTS, folder => readLayouts([folder])),
    ownModels: {
      face: checkOwnModel('FACE_MODEL', config.FACE_MODEL, readFaceModel),
      liveness: checkOwnModel('LIVENESS_MODEL', config.LIVENESS_MODEL, readLivenessModel),
    },
    limits: { timeLimitMs: config.ANALYSIS_SECONDS * 1000, memoryLimitMb: config.ANALYSIS_MEMORY_MB },
  })
}

function createScriptedEngine({ log }: EngineOptions): AnalysisEngine {
  log.warn({}, 'the scripted engine approves everything')
  return scriptedEngine(createApprovedFindings)
}

const engineFactories = { local: createLocalEngine, http: createHttpEngine, scripted: createScriptedEngine } as const

/** Opens the engine of the settings: one, or one for each section. @throws {ConfigError} for a bad codes file */
export async function openEngine(options: EngineOptions): Promise<AnalysisEngine> {
  const names = getEngineNames(options.config)
  if (Object.values(names).includes('local')) await prepareNetworks(options.log)
  const opened = new Map<string, AnalysisEngine>()
  const engineFor = (name: keyof typeof engineFactories): AnalysisEngine => {
    const known = opened.get(name)
    if (known !== undefined) return known
    const engine = engineFactories[name](
      options,
      engineSections.filter(section => names[section] === name),
    )
    opened.set(name, engine)
    return engine
  }
  const document = engineFor(names.document)
  const liveness = engineFor(names.liveness)
  const face = engineFor(names.face)
  return opened.size === 1 ? document : sectionedEngine({ document, liveness, face })
}
