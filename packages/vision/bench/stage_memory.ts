/**
 * Measures memory by stage: `node packages/vision/bench/stage_memory.ts [ROUNDS]`. Requests of growing content go each
 * to a new child of the service's own pool. Prints the most that the child ever held (`VmHWM`), beside the need of the
 * stage before it. The order of the rounds goes to and fro; the figures are medians. Linux only.
 */
import sharp from 'sharp'
import { machine, median, table } from '../../../lab/bench/measure.ts'
import { systemClock } from '../../../src/base/clock.ts'
import { defaultLimits, startAnalysisPool } from '../engine.ts'
import type { AnalysisRequest } from '../port.ts'
import { drawChallenge, drawPassport, drawPortrait, drawSelfie, emptyRequest, readPeakMb } from './drawn_request.ts'

const rounds = Number(process.argv[2] ?? 3)

interface Step {
  readonly name: string
  readonly visualZone: boolean
  readonly request: Partial<AnalysisRequest>
}

const blank = await sharp({ create: { width: 350, height: 450, channels: 3, background: '#ddd' } })
  .png()
  .toBuffer()
const document_front = await drawPassport(await drawPortrait())
const selfie = await drawSelfie({ turn: 0.06, tilt: 0.1 })
const challenge = await drawChallenge()

const steps: readonly Step[] = [
  { name: 'started, with all networks', visualZone: false, request: {} },
  {
    name: 'passport: zone, barcode, search for a portrait',
    visualZone: false,
    request: { document_front: await drawPassport(blank) },
  },
  { name: '+ a portrait and its vectors', visualZone: false, request: { document_front } },
  { name: '+ printed text', visualZone: true, request: { document_front } },
  { name: '+ selfie', visualZone: true, request: { document_front, selfie } },
  { name: '+ four frames', visualZone: true, request: { document_front, selfie, challenge } },
]

async function measurePeak({ visualZone, request }: Step): Promise<number> {
  const { signal } = new AbortController()
  // A child that has grown stays, to be measured.
  const pool = startAnalysisPool({
    clock: systemClock,
    visualZone,
    limits: { recycleMb: defaultLimits.memoryLimitMb },
  })
  try {
    await pool.send({ ...emptyRequest, ...request }, { signal })
    const [pid] = pool.pids()
    if (pid === undefined) throw new Error('the child is gone')
    return readPeakMb(pid)
  } finally {
    await pool.stop()
  }
}

const peaks = steps.map((): number[] => [])
for (let round = 0; round < rounds; round++) {
  const order = [...steps.entries()]
  for (const [n, step] of round % 2 === 0 ? order : order.reverse()) peaks[n]?.push(await measurePeak(step))
}

const rows = steps.map(({ name }, n) => {
  const most = median(peaks[n] ?? [])
  const more = n === 0 ? '' : `${Math.round(most - median(peaks[n - 1] ?? []))}`
  return [name, `${most}`, more]
})
process.stdout.write(
  `${machine()}\n\n${table([['one request in a new child', 'MB at most', 'more than before'], ...rows])}\n`,
)
