/**
 * Measures time and memory of one real analysis: `node packages/vision/bench/analysis.ts [RUNS [MEGAPIXELS [off]]]
 * [--processes 2]`. MEGAPIXELS, unless it is 0, enlarges the photos to so many; `off` leaves the printed text out. A
 * photographed passport, a selfie and the four frames of a challenge of a person who does not exist go through the pool
 * as they would in service; at last a child is killed at work. With `--processes`, a pool of so many children and a
 * pool of one then take turns, five rounds of `RUNS` analyses a child. Prints one JSON object.
 */
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { machine, median, spread } from '../../../lab/bench/measure.ts'
import { systemClock } from '../../../src/base/clock.ts'
import { startAnalysisPool } from '../engine.ts'
import type { AnalysisRequest } from '../port.ts'
import { readResidentMb } from '../processes/child.ts'
import { drawChallenge, drawPassport, drawPortrait, drawSelfie, emptyRequest, readPeakMb } from './drawn_request.ts'

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { processes: { type: 'string', default: '1' } },
})
const runs = Number(positionals[0] ?? 5)
const megapixels = Number(positionals[1] ?? 0)
const visualZone = positionals[2] !== 'off'
const processes = Number(given.processes)
const never = new AbortController().signal

/** Enlarges a photo to the size that a camera of that many megapixels takes. */
async function enlarged(photo: Uint8Array): Promise<Uint8Array> {
  if (megapixels === 0) return photo
  const { width, height } = await sharp(photo).metadata()
  const scale = Math.sqrt((megapixels * 1e6) / (width * height))
  return sharp(photo)
    .resize(Math.floor(width * scale), Math.floor(height * scale))
    .jpeg({ quality: 88 })
    .toBuffer()
}

/** Starts a pool of so many children and measures its analyses a second, as many at once. */
async function startContender(children: number) {
  const pool = startAnalysisPool({ clock: systemClock, visualZone, children })
  const analyse = (many: number): Promise<unknown> =>
    Promise.all(Array.from({ length: many }, () => pool.send(wholeRequest, { signal: never })))
  await analyse(children)
  const measureRate = async (many: number): Promise<number> => {
    const began = performance.now()
    await analyse(many)
    return (many * 1000) / (performance.now() - began)
  }
  return { measureRate, stop: pool.stop }
}

/** Measures the speed of several children over that of one, in rounds that take turns. */
async function compareWithOne(): Promise<object> {
  const one = await startContender(1)
  const several = await startContender(processes)
  const rounds: { readonly one: number; readonly several: number }[] = []
  for (let round = 0; round < 5; round++)
    rounds.push({ one: await one.measureRate(runs), several: await several.measureRate(runs * processes) })
  await one.stop()
  await several.stop()
  return {
    processes,
    one_a_second: spread(
      rounds.map(round => round.one),
      2,
    ),
    all_a_second: spread(
      rounds.map(round => round.several),
      2,
    ),
    all_by_one: spread(
      rounds.map(round => round.several / round.one),
      2,
    ),
  }
}

const challenge = await drawChallenge()

const wholeRequest: AnalysisRequest = {
  ...emptyRequest,
  document_front: await enlarged(await drawPassport(await drawPortrait())),
  selfie: await enlarged(await drawSelfie({ turn: 0.06, tilt: 0.1 })),
  challenge: { ...challenge, frames: await Promise.all(challenge.frames.map(frame => frame && enlarged(frame))) },
}

const began = performance.now()
const pool = startAnalysisPool({ clock: systemClock, visualZone })
await pool.send(emptyRequest, { signal: never })
const start_up_ms = Math.round(performance.now() - began)
const [pid = 0] = pool.pids()
const idleMb = Math.round(readResidentMb(pid))

const walls: number[] = []
const stages: Record<string, number[]> = {}
const resident: number[] = []
let last = null
for (let run = 0; run < runs; run++) {
  const start = performance.now()
  last = await pool.send(wholeRequest, { signal: never })
  walls.push(performance.now() - start)
  for (const [stage, cpu_ms] of Object.entries(last.stages)) stages[stage] = [...(stages[stage] ?? []), cpu_ms]
  resident.push(readResidentMb(pid))
}
const peak_mb = readPeakMb(pid)

// A child is killed in the middle of its work, as by a power cut: measured are the error of that analysis, and the time
// until the next one is answered.
const killed = pool.send(wholeRequest, { signal: never }).then(
  () => 'was answered',
  (error: unknown) => String(error),
)
process.kill(pid, 'SIGKILL')
const killedAt = performance.now()
const heard = await killed
await pool.send(emptyRequest, { signal: never })
const next_ms = Math.round(performance.now() - killedAt)
await pool.stop()

const cpu = Object.fromEntries(Object.entries(stages).map(([stage, values]) => [stage, Math.round(median(values))]))
const figures = {
  machine: machine(),
  runs,
  start_up_ms,
  wall_ms: { first: Math.round(walls[0] ?? 0), median: Math.round(median(walls)) },
  cpu_ms: { ...cpu, total: Object.values(cpu).reduce((sum, value) => sum + value, 0) },
  resident_mb: {
    idle: idleMb,
    after_first: Math.round(resident[0] ?? 0),
    most: Math.round(Math.max(...resident)),
    last: Math.round(resident.at(-1) ?? 0),
    peak: peak_mb,
  },
  killed: { heard, next_ms },
  ...(processes > 1 && { side_by_side: await compareWithOne() }),
  seen: {
    document: last?.document?.reading,
    mrz_valid: last?.document?.mrz?.valid ?? null,
    portrait_found: last?.document?.portrait_found,
    face_distance: last?.face?.distance?.toFixed(3),
    same_picture: last?.face?.same_picture,
    liveness: last?.liveness?.challenge.map(step => step.passed),
    planarity: last?.liveness?.planarity?.score.toFixed(3),
    continuity: last?.liveness?.continuity?.score.toFixed(3),
  },
}
process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
