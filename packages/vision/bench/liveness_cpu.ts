/**
 * Measures the cost of a challenge's checks: `node packages/vision/bench/liveness_cpu.ts [PEOPLE]`, 60 by default, in
 * CPU milliseconds for a challenge of a selfie and four frames, 960 by 1280 pixels, of drawn heads. Prints medians of
 * the later half: the first ones compile. Before them it prints the cost of reading each face, decoding included, also
 * as a multiple of that of its bare networks. The halved picture is not counted: the networks' crops are cut out of it,
 * whether anything is checked or not.
 */
import sharp from 'sharp'
import type { RunNetwork } from '../face/face_models.ts'
import { measurePlanarity } from '../face/planarity.ts'
import { type ComparedFace, readFace } from '../face/read_face.ts'
import { measureSurroundings, toThumbnail } from '../face/surroundings.ts'
import { medianOf } from '../geometry/patch.ts'
import { halvePicture } from '../geometry/pixels.ts'
import { decodeImage } from '../images/decode_image.ts'
import type { RgbImage } from '../images/raster.ts'
import { loadModels, type Models } from '../models.ts'
import { picture } from './drawn_faces.ts'

const loaded = await loadModels()
let inNetworks = 0

/** Returns the CPU milliseconds since `before`. */
function spentSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function counted(run: RunNetwork): RunNetwork {
  return async pictures => {
    const before = process.cpuUsage()
    const outputs = await run(pictures)
    inNetworks += spentSince(before)
    return outputs
  }
}

const models: Models = {
  ...loaded,
  detector: counted(loaded.detector),
  mesh: counted(loaded.mesh),
  iris: counted(loaded.iris),
  embedding: { ...loaded.embedding, run: counted(loaded.embedding.run) },
}
const faces = new Map<string, { readonly all: number; readonly networks: number }[]>()
const costs = new Map<string, number[]>()

function clock<Result>(check: string, measure: () => Result): Result {
  const before = process.cpuUsage()
  const result = measure()
  costs.set(check, [...(costs.get(check) ?? []), spentSince(before)])
  return result
}

const firstHead = 2001
for (let seed = firstHead; seed <= firstHead + Number(process.argv[2] ?? 60); seed++) {
  const shown: { readonly face: ComparedFace; readonly pixels: RgbImage }[] = []
  for (const kind of ['selfie', 'left', 'right', 'blink', 'mouth'] as const) {
    const image = await sharp(await picture(seed, kind))
      .resize(960, 1280)
      .jpeg()
      .toBuffer()
    const before = process.cpuUsage()
    inNetworks = 0
    const face = await readFace(models, image, kind === 'selfie' ? null : 'OPEN_MOUTH')
    const which = kind === 'selfie' ? 'a selfie' : 'a frame'
    faces.set(which, [...(faces.get(which) ?? []), { all: spentSince(before), networks: inNetworks }])
    if (!face) continue
    const pixels = await decodeImage(image, 1280)
    halvePicture(pixels)
    shown.push({ face, pixels })
  }
  const [selfie, ...frames] = shown.map(({ face }) => face)
  const [left, right] = frames
  if (!selfie || !left || !right || frames.length < 4) continue
  clock('surroundings', () => {
    for (const { face, pixels } of shown) toThumbnail(pixels, face.face.landmarks)
    return measureSurroundings(selfie.thumbnail, [left.thumbnail, right.thumbnail])
  })
  clock('planarity', () => measurePlanarity(selfie.face.landmarks, [left.face.landmarks, right.face.landmarks]))
}

for (const [which, spent] of faces) {
  const later = spent.slice(spent.length >> 1)
  const [all, networks] = [medianOf(later.map(({ all }) => all)), medianOf(later.map(({ networks }) => networks))]
  console.log(
    `${which}: ${all.toFixed(1)} ms, ${(all / networks).toFixed(2)} times its networks' ${networks.toFixed(1)}`,
  )
}
const medians = [...costs].map(([check, spent]) => [check, medianOf(spent.slice(spent.length >> 1))] as const)
for (const [check, spent] of medians) console.log(`${check}: ${spent.toFixed(1)} ms`)
console.log(`all: ${medians.reduce((sum, [, spent]) => sum + spent, 0).toFixed(1)} ms`)
