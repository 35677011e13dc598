/**
 * CPU of a face by step, beside the bare calls of its networks: `node bench/face_stages.ts [ROUNDS]`. All steps in
 * turns; medians. What a network takes is measured around its own call, in the same run as the step that calls it.
 */

import { decodeImage } from '../src/engines/images/decode_image.ts'
import { restrictImageLoaders } from '../src/engines/images/image_loaders.ts'
import { measureAppearance } from '../src/engines/local/face/appearance.ts'
import { detectFaces, squareAroundPicture } from '../src/engines/local/face/detector.ts'
import { embedFace } from '../src/engines/local/face/embedding.ts'
import type { RunNetwork } from '../src/engines/local/face/face_models.ts'
import { measureEyeOpenings } from '../src/engines/local/face/iris.ts'
import { findLandmarks } from '../src/engines/local/face/landmarks.ts'
import { readFace } from '../src/engines/local/face/read_face.ts'
import { measureFaceSharpness } from '../src/engines/local/face/sharpness.ts'
import { cutUprightFace, toUprightMap } from '../src/engines/local/face/upright.ts'
import { loadModels, type Models } from '../src/engines/local/models.ts'
import { drawChallenge, drawSelfie } from './drawn_request.ts'
import { machine, median, table } from './measure.ts'

const rounds = Number(process.argv[2] ?? 15)

/** CPU milliseconds of this process, all its threads. */
function readCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** What the networks have taken since the last look, and how often they were called. */
let inNetworks = { ms: 0, calls: 0 }

function watchNetwork(run: RunNetwork): RunNetwork {
  return async pictures => {
    const before = readCpuMs()
    const found = await run(pictures)
    inNetworks = { ms: inNetworks.ms + readCpuMs() - before, calls: inNetworks.calls + 1 }
    return found
  }
}

/** The same models, whose calls are measured. */
function watch({ detector, mesh, iris, embedding, passiveLiveness }: Models): Models {
  return {
    detector: watchNetwork(detector),
    mesh: watchNetwork(mesh),
    iris: watchNetwork(iris),
    embedding: { ...embedding, run: watchNetwork(embedding.run) },
    passiveLiveness,
  }
}

// As an analysis process: with several threads libvips takes three times the CPU.
restrictImageLoaders()
const models = watch(await loadModels())
const selfie = await drawSelfie({ turn: 0.06, tilt: 0.1 })
const { actions, frames } = await drawChallenge()
const asked = actions.map((answers, n) => ({ answers, frame: frames[n] ?? selfie }))

const pixels = await decodeImage(selfie, 1280)
const region = squareAroundPicture(pixels)
const [detection] = await detectFaces(models, pixels, region)
if (!detection) throw new Error('no face was detected')
const landmarks = await findLandmarks(models, pixels, detection)
const upright = cutUprightFace(pixels, landmarks)

const steps: Readonly<Record<string, () => unknown>> = {
  decode: () => decodeImage(selfie, 1280),
  detect: () => detectFaces(models, pixels, region),
  landmarks: () => findLandmarks(models, pixels, detection),
  'openings of the eyes': () => measureEyeOpenings(models, pixels, landmarks),
  'upright cut': () => toUprightMap(cutUprightFace(pixels, landmarks)),
  appearance: () => measureAppearance(upright),
  sharpness: () => measureFaceSharpness(pixels, landmarks),
  template: () => embedFace(models.embedding, pixels, landmarks),
  'read a selfie': () => readFace(models, selfie),
  'read a turned frame': () => readFace(models, asked[0]?.frame ?? selfie, 'TURN_LEFT'),
  'read a blink': () => readFace(models, asked[1]?.frame ?? selfie, 'BLINK'),
  'read a selfie and four frames': async () => {
    await readFace(models, selfie)
    for (const { answers, frame } of asked) await readFace(models, frame, answers)
  },
}

interface Measured {
  readonly ms: number
  readonly networkMs: number
  readonly calls: number
}

async function measureStep(step: () => unknown): Promise<Measured> {
  inNetworks = { ms: 0, calls: 0 }
  const before = readCpuMs()
  await step()
  return { ms: readCpuMs() - before, networkMs: inNetworks.ms, calls: inNetworks.calls }
}

const measured = new Map(Object.keys(steps).map(name => [name, [] as Measured[]]))
// The first rounds compile.
for (let round = -3; round < rounds; round++)
  for (const [name, step] of Object.entries(steps)) {
    const found = await measureStep(step)
    if (round >= 0) measured.get(name)?.push(found)
  }

function medianOf(name: string, value: (one: Measured) => number): number {
  return median((measured.get(name) ?? []).map(value))
}

const rows = Object.keys(steps).map(name => {
  const ms = medianOf(name, one => one.ms)
  const bare = medianOf(name, one => one.networkMs)
  const calls = medianOf(name, one => one.calls)
  return [name, ms.toFixed(1), bare.toFixed(1), `${calls}`, calls > 1 ? (ms / bare).toFixed(2) : '']
})
const head = ['step', 'CPU ms', 'bare networks, ms', 'calls', 'times']
process.stdout.write(`${machine()}, ${rounds} rounds\n\n${table([head, ...rows])}\n`)
