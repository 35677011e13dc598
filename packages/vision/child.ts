/**
 * The child process in which images are decoded and models run: nothing that an image can cause there (an abort, an
 * endless loop, exhausted memory) reaches the service. It has no secrets, opens no connection, and responds to one
 * request at a time over a pipe. `engine.ts` starts it.
 */
import { parseArgs } from 'node:util'
import { analyse } from './analyse.ts'
import { analyseCapture } from './analyse_capture.ts'
import { loadBarcodeReader } from './barcode/read_barcode.ts'
import { readSides } from './document/read_sides.ts'
import type { EngineRequest, EngineResponse } from './engine.ts'
import { restrictImageLoaders } from './images/image_loaders.ts'
import { loadModels } from './models.ts'
import { type FalseMatchRate, falseMatchRates } from './port.ts'
import { loadPrintReader } from './print/load.ts'
import { serveRequests } from './processes/serve.ts'
import type { AnalysisTools } from './tools.ts'
import { warmUp } from './warm_up.ts'

/** The arguments of this process. */
const options = {
  /** Whether the printed text is read too. */
  'visual-zone': { type: 'boolean', default: false },
  /** Faces are compared at this rate. */
  'false-match-rate': { type: 'string', default: '0.001' },
  /** Files of the operator's own models. */
  'face-model': { type: 'string' },
  'liveness-model': { type: 'string' },
  /** A folder of layouts beside those that come with the service. */
  layouts: { type: 'string' },
} as const

function parseRate(name: string): FalseMatchRate {
  const rate = falseMatchRates.find(known => known === name)
  if (rate === undefined) throw new Error(`--false-match-rate: ${name} is none of ${falseMatchRates.join(', ')}`)
  return rate
}

async function serve(): Promise<void> {
  restrictImageLoaders()
  const { values } = parseArgs({ options })
  // The largest networks come first: the memory that loads one then loads the next.
  const print = values['visual-zone'] ? await loadPrintReader(values.layouts) : null
  const models = await loadModels({ face: values['face-model'] ?? null, liveness: values['liveness-model'] ?? null })
  const tools: AnalysisTools = { models, falseMatchRate: parseRate(values['false-match-rate']), readSides, print }
  await loadBarcodeReader()
  await warmUp(tools)
  serveRequests<EngineRequest, EngineResponse>((request, begin) =>
    'capture' in request ? analyseCapture(tools, request, begin) : analyse(tools, request, begin),
  )
}

await serve()
