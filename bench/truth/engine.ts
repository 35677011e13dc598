import type { EngineFindings } from '../../src/decision/findings.ts'
import { analyse } from '../../src/engines/local/analyse.ts'
import { readSides } from '../../src/engines/local/document/read_sides.ts'
import { loadModels } from '../../src/engines/local/models.ts'
import { loadPrintReader } from '../../src/engines/local/print/load.ts'
import type { AnalysisTools } from '../../src/engines/local/tools.ts'
import type { AnalysisRequest } from '../../src/engines/port.ts'
import { requestOf } from '../request.ts'

async function workbench(): Promise<AnalysisTools> {
  return {
    models: await loadModels(),
    falseMatchRate: '0.001',
    readSides,
    print: await loadPrintReader(),
  }
}

let ready: Promise<AnalysisTools> | null = null

/** The engine with its real models, in this process. */
export async function look(captured: Partial<AnalysisRequest>): Promise<EngineFindings> {
  ready ??= workbench()
  return analyse(await ready, requestOf(captured))
}
