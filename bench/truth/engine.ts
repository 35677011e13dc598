import type { EngineFindings } from '../../src/decision/findings.ts'
import { analyse } from '../../src/engines/local/analyse.ts'
import { scanDocument } from '../../src/engines/local/document_reader.ts'
import { loadModels } from '../../src/engines/local/models.ts'
import type { AnalysisTools } from '../../src/engines/local/tools.ts'
import { loadTextReader } from '../../src/engines/local/visual/tesseract.ts'
import type { AnalysisRequest } from '../../src/engines/port.ts'
import { requestOf } from '../request.ts'

async function workbench(): Promise<AnalysisTools> {
  return {
    models: await loadModels(),
    falseMatchRate: '0.001',
    readDocument: scanDocument,
    readText: await loadTextReader(),
  }
}

let ready: Promise<AnalysisTools> | null = null

/** The engine with its real models, in this process. */
export async function look(captured: Partial<AnalysisRequest>): Promise<EngineFindings> {
  ready ??= workbench()
  return analyse(await ready, requestOf(captured))
}
