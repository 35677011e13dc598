/**
 * Measures the cost of pictures that are sent to hurt: `node packages/vision/bench/hostile.ts [MEGAPIXELS,…] [NAME]`.
 * Each pattern is a baseline JPEG, and one pattern is encoded by every codec; with NAME only those whose name contains
 * it. A child of the service's own pool gets each as a document's front with an ordinary selfie, and then as every
 * picture of a whole transaction: both sides, selfie and three frames. `alone` is the front that awaits its back, as it
 * is analysed at its upload. `upload` is the answer to its upload: a picture that it refuses reaches no analysis, but
 * the child gets it all the same. Prints CPU seconds and the most memory at any moment; Linux only.
 */
import { systemClock } from '../../../src/base/clock.ts'
import { defaultLimits, startAnalysisPool } from '../engine.ts'
import type { AnalysisRequest, CaptureRequest } from '../port.ts'
import { checkUpload } from '../test/images/check_upload.ts'
import { readPeakMb } from './drawn_request.ts'
import { requestOf } from './request.ts'
import { headOf, selfieOf } from './truth/heads.ts'
import { hostileCodecs, hostilePaintings } from './truth/hostile.ts'

const sizes = (process.argv[2] ?? '24,49').split(',').map(Number)
const wanted = process.argv[3] ?? ''
const seed = 7
const limits = { recycleMb: defaultLimits.memoryLimitMb }
const { signal } = new AbortController()
const selfie = await selfieOf(headOf(seed), {}, { condition: 'typical', seed })

type EnginePool = ReturnType<typeof startAnalysisPool>

async function measured(send: (pool: EnginePool) => Promise<Readonly<Record<string, number>>>): Promise<string> {
  const pool = startAnalysisPool({ clock: systemClock, limits })
  try {
    await pool.send(requestOf({}), { signal })
    const [pid = 0] = pool.pids()
    const stages = await send(pool)
    const cpu_ms = Object.values(stages).reduce((sum, part) => sum + part, 0)
    const parts = Object.entries(stages).map(([stage, spent]) => `${stage} ${spent}`)
    return `${(cpu_ms / 1000).toFixed(2)} s ${readPeakMb(pid)} MB (${parts.join(', ')})`
  } catch (error) {
    return String(error)
  } finally {
    await pool.stop()
  }
}

function analysed(captured: Partial<AnalysisRequest>): Promise<string> {
  return measured(async pool => (await pool.send(requestOf(captured), { signal })).stages)
}

/** Analyses a card's front whose back is still missing: its print is read although it has no zone. */
function analysedAlone(document_front: Buffer): Promise<string> {
  const request: CaptureRequest = {
    ...requestOf({ document_front }),
    capture: 'document_front',
    account_id: 'bench',
    awaits_back: true,
  }
  return measured(async pool => (await pool.send(request, { signal })).findings.stages)
}

async function row(name: string, picture: Buffer): Promise<void> {
  const upload = await checkUpload(picture, 'document').then(
    () => 'taken',
    (error: unknown) => `refused (${error instanceof Error ? error.message : error})`,
  )
  const alone = await analysedAlone(picture)
  const front = await analysed({ document_front: picture, selfie })
  const challenge = {
    actions: ['TURN_LEFT', 'BLINK', 'TURN_RIGHT'] as const,
    frames: [picture, picture, picture],
    attempts: 1,
  }
  const whole = await analysed({ document_front: picture, document_back: picture, selfie: picture, challenge })
  const megabytes = (picture.length / 2 ** 20).toFixed(1)
  process.stdout.write(
    `${name}, ${megabytes} MiB, upload ${upload}\n  alone: ${alone}\n  front: ${front}\n  whole: ${whole}\n`,
  )
}

for (const megapixels of sizes) {
  const named = Object.entries(hostilePaintings).filter(([name]) => `${name}, JPEG`.includes(wanted))
  for (const [name, paint] of named) {
    const picture = await hostileCodecs.JPEG?.(await paint(seed, megapixels))
    if (picture) await row(`${name}, JPEG, ${megapixels} MP`, picture)
  }
  const codecs = Object.entries(hostileCodecs).filter(([name]) => `squares, ${name}`.includes(wanted))
  const painting = await hostilePaintings.squares?.(seed, megapixels)
  if (painting && wanted !== 'JPEG')
    for (const [name, encode] of codecs) await row(`squares, ${name}, ${megapixels} MP`, await encode(painting))
}
