/**
 * The child process in which images are decoded and models run: nothing that an image can do to it (an abort, an endless
 * loop, a blown-up memory) reaches the service. It gets no secrets, opens no connection, and answers one question at a
 * time over a pipe. `pool.ts` starts it.
 */
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import type { EngineFindings } from '../../decision/findings.ts'
import { serveRequests } from '../../processes/serve.ts'
import { type AnalysisRequest, type FalseMatchRate, falseMatchRates } from '../port.ts'
import { analyse, type Workbench } from './analyse.ts'
import { loadBarcodeReader } from './document/barcode.ts'
import { lookAtDocument } from './document_reader.ts'
import { loadModels } from './models.ts'
import { loadTextReader } from './visual/tesseract.ts'
import { warmUp } from './warm_up.ts'
import { child_options } from './wire.ts'

/** decisions.md, "HTTP", Sizes: JPEG, PNG or WebP by content. Every other of libvips' loaders is out of reach. */
const allowOnlyPhotos = (): void => {
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp'] })
  sharp.cache(false)
  sharp.concurrency(1)
}

const rateNamed = (name: string): FalseMatchRate => {
  const rate = falseMatchRates.find(known => known === name)
  if (rate === undefined) throw new Error(`--false-match-rate: ${name} is none of ${falseMatchRates.join(', ')}`)
  return rate
}

const serve = async (): Promise<void> => {
  allowOnlyPhotos()
  const { values } = parseArgs({ options: child_options })
  const readText = values['visual-zone'] ? await loadTextReader() : null
  const bench: Workbench = {
    models: await loadModels(),
    false_match_rate: rateNamed(values['false-match-rate']),
    readDocument: lookAtDocument,
    readText,
  }
  await loadBarcodeReader()
  await warmUp(bench)
  serveRequests<AnalysisRequest, EngineFindings>((request, begin) => analyse(bench, request, begin))
}

await serve()
