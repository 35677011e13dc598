/**
 * One photo of a stranger answers a challenge: `node bench/rendered.ts FOLDER [PEOPLE]`, with a folder that
 * `bench/pictures/collect.ts` filled. One picture a person is the selfie; rendered in the poses of a challenge it is every
 * frame, by turns as a stream is injected and as a screen is photographed. Each reach of the mesh answers the three
 * default sets of actions. Limits are set on the calibration half of the people; report the validation half.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { written } from '../src/cli/intervals.ts'
import type { LivenessAction } from '../src/decision/findings.ts'
import { judgeLiveness } from '../src/decision/liveness_rules.ts'
import { decodeImage } from '../src/engines/images/decode_image.ts'
import { localEngineName } from '../src/engines/local/engine_name.ts'
import { createLivenessFindings } from '../src/engines/local/face/challenge.ts'
import { checkQuality } from '../src/engines/local/face/quality.ts'
import { type ComparedFace, readFace } from '../src/engines/local/face/read_face.ts'
import { loadModels } from '../src/engines/local/models.ts'
import type { Raster } from '../synthetic/camera.ts'
import { photographFace } from '../synthetic/photo.ts'
import { type Random, seeded } from '../synthetic/random.ts'
import { createFaceRenderer, meshReaches, type RenderedPose } from '../synthetic/rendered_face.ts'
import { findFaceMesh } from '../test/engines/face_mesh.ts'

const [folder = '.', most = '100'] = process.argv.slice(2)
const models = await loadModels()
const { limits } = models.embedding.model
const side = 640

const poses: Readonly<Record<LivenessAction, (random: Random) => RenderedPose>> = {
  TURN_LEFT: random => ({ yaw: random.between(32, 50) }),
  TURN_RIGHT: random => ({ yaw: -random.between(32, 50) }),
  BLINK: random => ({ shutEyes: true, yaw: random.between(-3, 3) }),
  OPEN_MOUTH: random => ({ mouthOpen: random.between(0.8, 1), yaw: random.between(-3, 3) }),
  LOOK_UP: random => ({ pitch: random.between(14, 22), yaw: random.between(-3, 3) }),
}
const turns: readonly LivenessAction[] = ['TURN_LEFT', 'TURN_RIGHT']
const challenges: readonly (readonly LivenessAction[])[] = [
  [...turns, 'BLINK', 'OPEN_MOUTH'],
  [...turns, 'BLINK', 'LOOK_UP'],
  [...turns, 'OPEN_MOUTH', 'LOOK_UP'],
]

function encode({ data, width, height }: Raster): Promise<Buffer> {
  return sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer()
}

type Frames = ReadonlyMap<LivenessAction, ComparedFace | null>

/** What becomes of a challenge, with and without the light on the face. */
function judge(actions: readonly LivenessAction[], selfie: ComparedFace, frames: Frames): readonly [boolean, boolean] {
  const findings = createLivenessFindings(
    { engine: localEngineName, limits },
    { selfie, frames: actions.map(action => ({ action, picture: frames.get(action) ?? null })) },
  )
  const isPassed = (relighting: typeof findings.relighting): boolean =>
    judgeLiveness({ ...findings, relighting: relighting ?? null }, 1).section.status === 'PASSED'
  return [isPassed(null), isPassed(findings.relighting)]
}

const tally = new Map<string, { tried: number; before: number; after: number }>()

function count(row: string, [before, after]: readonly [boolean, boolean]): void {
  const { tried, ...counts } = tally.get(row) ?? { tried: 0, before: 0, after: 0 }
  tally.set(row, { tried: tried + 1, before: counts.before + Number(before), after: counts.after + Number(after) })
}

interface Picture {
  readonly file: string
  readonly person: string
  readonly split: string
}

/** Whether the picture could be attacked with: it must be a selfie that is accepted. */
async function attack({ file, split }: Picture, n: number): Promise<boolean> {
  const small = await sharp(readFileSync(join(folder, file)))
    .rotate()
    .resize(side, side, { fit: 'inside', withoutEnlargement: true })
  const original = await small.jpeg({ quality: 90 }).toBuffer()
  const isPhotographed = n % 2 === 1
  const take = async (image: Buffer, k: number): Promise<Buffer> =>
    isPhotographed ? photographFace(image, n * 10 + k) : image
  const face = await readFace(models, original)
  const selfie = await readFace(models, await take(original, 0))
  if (!face || !selfie || face.persons > 1 || !checkQuality(selfie).every(({ passed }) => passed)) return false
  const photo = await decodeImage(original, side)
  const render = createFaceRenderer(photo, await findFaceMesh(models, photo, face.face.landmarks))
  const random = seeded(n * 7 + 3)
  for (const reach of meshReaches) {
    const frames = new Map<LivenessAction, ComparedFace | null>()
    for (const [k, action] of (Object.keys(poses) as LivenessAction[]).entries()) {
      const frame = await take(await encode(await render(poses[action](random), reach)), k + 1)
      frames.set(action, await readFace(models, frame, action))
    }
    for (const actions of challenges)
      count(`${split} | ${isPhotographed ? 'photographed' : 'injected'} | ${reach}`, judge(actions, selfie, frames))
  }
  return true
}

const { selfies } = JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')) as { selfies: readonly Picture[] }
const people = new Map(selfies.map(picture => [picture.person, picture]))
let attacked = 0
for (const picture of people.values()) {
  if (attacked >= Number(most)) break
  if (await attack(picture, attacked)) attacked++
}
console.log(`${attacked} people\n\n| Half | How | Mesh | passed without the rule | passed |\n| - | - | - | - | - |`)
for (const [row, { tried, before, after }] of [...tally].sort())
  console.log(`| ${row} | ${written(before, tried)} | ${written(after, tried)} |`)
