import type { EngineFindings } from '@attestor/rules'
import { analyse } from '../../analyse.ts'
import { readSides } from '../../document/read_sides.ts'
import { loadModels } from '../../models.ts'
import type { AnalysisRequest } from '../../port.ts'
import { loadPrintReader } from '../../print/load.ts'
import type { AnalysisTools } from '../../tools.ts'
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

/** Runs the engine with its real models, in this process. */
export async function look(captured: Partial<AnalysisRequest>): Promise<EngineFindings> {
  ready ??= workbench()
  return analyse(await ready, requestOf(captured))
}
