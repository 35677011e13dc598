/**
 * CPU of a face by step, beside the bare calls of its networks: `node bench/face_stages.ts [ROUNDS]`. All steps in
 * turns; medians. What a network takes is measured around its own call, in the same run as the step that calls it.
 */

import { decodeImage } from '../src/engines/images/decode_image.ts'
import { restrictImageLoaders } from '../src/engines/images/image_loaders.ts'
import { measureAppearance } from '../src/engines/local/face/appearance.ts'
import { detectFaces, squareAroundPicture } from '../src/engines/local/face/detector.ts'
import { embedChips } from '../src/engines/local/face/embedding.ts'
import { chipSide } from '../src/engines/local/face/face_chip.ts'
import { measureEyeOpenings } from '../src/engines/local/face/iris.ts'
import { findLandmarks } from '../src/engines/local/face/landmarks.ts'
import { type FacePicture, readFace } from '../src/engines/local/face/read_face.ts'
import { cutFace, cutFrame, embedFaces } from '../src/engines/local/face/templates.ts'
import { cutUprightFace, toUprightMap } from '../src/engines/local/face/upright.ts'
import { measureSharpness } from '../src/engines/local/geometry/pixels.ts'
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

const networks = ['detector', 'mesh', 'iris'] as const

/** The same models, whose calls are measured. */
function watch(models: Models): Models {
  const watched = networks.map(name => {
    const network = models[name]
    const execute: typeof network.execute = (...given) => {
      const before = readCpuMs()
      const found = network.execute(...given)
      inNetworks = { ms: inNetworks.ms + readCpuMs() - before, calls: inNetworks.calls + 1 }
      return found
    }
    return [name, Object.assign(Object.create(network), { execute })] as const
  })
  return { ...models, ...Object.fromEntries(watched) }
}

// As an analysis process: with several threads libvips takes three times the CPU.
restrictImageLoaders()
const models = watch(await loadModels())
const selfie = await drawSelfie({ turn: 0.06, tilt: 0.1 })
const { actions, frames } = await drawChallenge()
const asked = actions.map((answers, n) => ({ answers, frame: frames[n] ?? selfie }))

const pixels = await decodeImage(selfie, 1280)
const region = squareAroundPicture(pixels)
const [detection] = detectFaces(models, pixels, region)
if (!detection) throw new Error('no face was detected')
const landmarks = findLandmarks(models, pixels, detection)
const upright = cutUprightFace(pixels, landmarks)
const { straight } = cutFrame(pixels, landmarks)

function chips(count: number): Float32Array[] {
  return Array.from({ length: count }, () => straight)
}

async function readFrames(): Promise<FacePicture[]> {
  const found: FacePicture[] = []
  for (const { answers, frame } of asked) found.push((await readFace(models, frame, { answers })) as FacePicture)
  return found
}

const wholeSelfie = 'selfie with its template'
const wholeChallenge = 'selfie and four frames, as one analysis'

/** The embedding is called as it is: all of these are bare calls of it. */
const bareEmbeddings: Readonly<Record<string, string>> = {
  [wholeSelfie]: 'embedding of 2 cuts',
  [wholeChallenge]: 'embedding of 6 cuts',
}

const steps: Readonly<Record<string, () => unknown>> = {
  decode: () => decodeImage(selfie, 1280),
  detect: () => detectFaces(models, pixels, region),
  landmarks: () => findLandmarks(models, pixels, detection),
  'openings of the eyes': () => measureEyeOpenings(models, pixels, landmarks),
  'cut for a template': () => cutFace(pixels, landmarks),
  'cut of a frame': () => cutFrame(pixels, landmarks),
  'upright cut': () => toUprightMap(cutUprightFace(pixels, landmarks)),
  appearance: () => measureAppearance(upright),
  sharpness: () => measureSharpness(straight, chipSide),
  'embedding of 1 cut': () => embedChips(models, chips(1)),
  'embedding of 2 cuts': () => embedChips(models, chips(2)),
  'embedding of 6 cuts': () => embedChips(models, chips(6)),
  'read a selfie': () => readFace(models, selfie),
  'read a turned frame': () => readFace(models, asked[0]?.frame ?? selfie, { answers: 'TURN_LEFT' }),
  'read a blink': () => readFace(models, asked[1]?.frame ?? selfie, { answers: 'BLINK' }),
  [wholeSelfie]: async () => embedFaces(models, [((await readFace(models, selfie)) as FacePicture).cuts]),
  [wholeChallenge]: async () => {
    const faces = [(await readFace(models, selfie)) as FacePicture, ...(await readFrames())]
    return embedFaces(
      models,
      faces.map(({ cuts }) => cuts),
    )
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
  const embedding = name.startsWith('embedding') ? name : bareEmbeddings[name]
  const bare = medianOf(name, one => one.networkMs) + (embedding === undefined ? 0 : medianOf(embedding, one => one.ms))
  const isWhole = name in bareEmbeddings || name.startsWith('read')
  return [
    name,
    ms.toFixed(1),
    bare.toFixed(1),
    `${medianOf(name, one => one.calls)}`,
    isWhole ? (ms / bare).toFixed(2) : '',
  ]
})
const head = ['step', 'CPU ms', 'bare networks, ms', 'calls beside the embedding', 'times']
process.stdout.write(`${machine()}, ${rounds} rounds\n\n${table([head, ...rows])}\n`)
