/**
 * Measures the gain of "come closer" over the turns: `node packages/vision/bench/nearer.ts FOLDER NEAR [EACH]`. It is
 * the residual of the best homography from the selfie to a nearer frame, as `planarity` takes it of a turn, for so many
 * drawn heads (20), flat pictures and renderings each. `packages/vision/bench/pictures/collect.ts` fills FOLDER and
 * NEAR: with anybody's pictures to attack with, and with people who were photographed from far and from near (`--only
 * near_faces`), the farthest picture first. Distances are in head widths.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { written } from '../../../src/cli/intervals.ts'
import { measureFlatResidual } from '../face/planarity.ts'
import { type ComparedFace, readFace } from '../face/read_face.ts'
import { livenessThreshold } from '../face/thresholds.ts'
import { decodeImage } from '../images/decode_image.ts'
import { loadModels } from '../models.ts'
import { photographPrint } from '../synthetic/flat_photo.ts'
import { photographFace } from '../synthetic/photo.ts'
import { seeded } from '../synthetic/random.ts'
import { createFaceRenderer, type RenderedPose } from '../synthetic/rendered_face.ts'
import { findFaceMesh } from '../test/face_mesh.ts'
import { picture } from './drawn_faces.ts'
import { encode, readPeople, readPicture, side } from './rendered_attack.ts'

const [folder = '.', nearFolder = '.', each = '20'] = process.argv.slice(2)
const models = await loadModels()

/** Distances of the selfie and of the frames. The farthest frame is as far as the selfie: its residual is noise. */
const selfieAt = 3.2
const distances = [3.2, 2.2, 1.6, 1.3] as const
/** Share of the picture's width that a head takes at the selfie's distance. */
const selfieWidth = 0.3

const residuals = new Map<string, number[]>()

function note(who: string, what: string, selfie: ComparedFace | null, frame: ComparedFace | null): void {
  if (!selfie || !frame) return
  const key = `${who} | ${what}`
  residuals.set(key, [...(residuals.get(key) ?? []), measureFlatResidual(selfie.face.landmarks, frame.face.landmarks)])
}

async function nearHead(seed: number): Promise<void> {
  const take = async (kind: 'selfie' | 'second' | 'left', distance: number): Promise<ComparedFace | null> =>
    readFace(
      models,
      await picture(seed, kind, {
        name: `_at_${distance}`,
        pose: { distance, headWidth: (selfieWidth * selfieAt) / distance },
      }),
    )
  const selfie = await take('selfie', selfieAt)
  for (const distance of distances) note('drawn heads', `to ${distance}`, selfie, await take('second', distance))
  note('drawn heads', 'turned', selfie, await take('left', selfieAt))
}

/** Measures a print, which may be held at any distance: a nearer one is enlarged. */
async function nearPrint(image: Buffer, seed: number): Promise<void> {
  const random = seeded(seed * 23 + 1)
  let taken = 0
  const take = async (distance: number, yaw: number): Promise<ComparedFace | null> => {
    const tilt = { yaw, pitch: random.between(-6, 6), roll: random.between(-6, 6), distance: random.between(1.2, 3) }
    const width = Math.round((side * distances[3]) / distance)
    return readFace(
      models,
      await photographFace(await photographPrint(image, { ...tilt, width }), seed * 100 + taken++),
    )
  }
  const selfie = await take(selfieAt, random.between(-6, 6))
  for (const distance of distances)
    note('flat pictures', `to ${distance}`, selfie, await take(distance, random.between(-6, 6)))
  note('flat pictures', 'turned', selfie, await take(selfieAt, -random.between(18, 55)))
}

async function nearRendering(image: Buffer, selfie: ComparedFace): Promise<void> {
  const photo = await decodeImage(image, side)
  const render = createFaceRenderer(photo, await findFaceMesh(models, photo, selfie.face.landmarks))
  const take = async (pose: RenderedPose): Promise<ComparedFace | null> =>
    readFace(models, await encode(await render(pose, 'head')))
  for (const distance of distances.slice(1)) note('renderings', `to ${distance}`, selfie, await take({ distance }))
  note('renderings', 'turned', selfie, await take({ yaw: 40 }))
}

const firstHead = 2001
for (let seed = firstHead; seed < firstHead + Number(each); seed++) await nearHead(seed)

let attacked = 0
for (const files of readPeople(folder).values()) {
  const [file] = files
  if (!file || attacked >= Number(each)) continue
  const image = await readPicture(folder, file)
  const face = await readFace(models, image)
  if (!face || face.persons > 1) continue
  await nearPrint(await sharp(image).png().toBuffer(), attacked++)
  await nearRendering(image, face)
}

for (const files of readPeople(nearFolder).values()) {
  const faces: (ComparedFace | null)[] = []
  for (const { file } of files) faces.push(await readFace(models, readFileSync(join(nearFolder, file))))
  note('people', 'far to near', faces[0] ?? null, faces.at(-1) ?? null)
}

console.log(
  `| Who | Frame | n | least | median | most | at least ${livenessThreshold.planarity} |\n| - | - | - | - | - | - | - |`,
)
for (const [row, all] of residuals) {
  const sorted = all.toSorted((one, other) => one - other)
  const cells = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)].map(value => value?.toFixed(3))
  const beyond = sorted.filter(residual => residual >= livenessThreshold.planarity).length
  console.log(`| ${row} | ${sorted.length} | ${cells.join(' | ')} | ${written(beyond, sorted.length)} |`)
}
for (const distance of distances.slice(1)) {
  const heads = (residuals.get(`drawn heads | to ${distance}`) ?? []).toSorted((one, other) => one - other)
  const limit = heads[Math.floor(heads.length / 20)] ?? 0
  const flat = residuals.get(`flat pictures | to ${distance}`) ?? []
  const found = flat.filter(residual => residual < limit).length
  console.log(
    `to ${distance}: a limit of ${limit.toFixed(3)} loses one head in twenty, and finds ${written(found, flat.length)}`,
  )
}
