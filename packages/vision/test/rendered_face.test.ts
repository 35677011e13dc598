import { judgeLiveness } from '@attestor/rules/testing'
import test from 'ava'
import sharp from 'sharp'
import { inLongTier } from '../../../test/tier.ts'
import { localEngineName } from '../engine_name.ts'
import { createLivenessFindings } from '../face/challenge_response.ts'
import { measureFaceDistance } from '../face/embedding.ts'
import { readFace } from '../face/read_face.ts'
import { measureSurroundings } from '../face/surroundings.ts'
import { decodeImage } from '../images/decode_image.ts'
import { loadModels } from '../models.ts'
import type { Raster } from '../synthetic/camera.ts'
import { swapFace } from '../synthetic/face_swap.ts'
import { person, personSeeds } from '../synthetic/portrait.ts'
import { createFaceRenderer } from '../synthetic/rendered_face.ts'
import { photographFace, renderPortrait } from './drawn.ts'
import { findFaceMesh } from './face_mesh.ts'

const models = await loadModels()
const [anna = 1, ben = 2] = personSeeds
const size = { width: 480, height: 640 }
const selfie = await renderPortrait(person(anna), {}, { width: 480, height: 640 })
const actions = ['TURN_LEFT', 'TURN_RIGHT', 'BLINK', 'OPEN_MOUTH'] as const

function encode({ data, width, height }: Raster): Promise<Buffer> {
  return sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer()
}

async function judge(frames: readonly Buffer[]): Promise<ReturnType<typeof judgeLiveness>> {
  const pictures = await Promise.all(frames.map((frame, i) => readFace(models, frame, actions[i])))
  const findings = createLivenessFindings(
    { engine: localEngineName, limits: models.embedding.model.limits },
    {
      selfie: await readFace(models, selfie),
      frames: actions.map((action, i) => ({ action, picture: pictures[i] ?? null })),
    },
  )
  return judgeLiveness(findings, 1)
}

inLongTier(test)(
  'a face that turns alone before its own photo is suspected, moved or not; a head that takes its hair along is not',
  async t => {
    sharp.unblock({ operation: ['VipsForeignLoadSvgBuffer'] })
    const seen = await readFace(models, selfie)
    if (!seen) return t.fail('no face')
    const photo = await decodeImage(selfie, 1280)
    const render = createFaceRenderer(photo, await findFaceMesh(models, photo, seen.face.landmarks))
    const measure = async (draw: (yaw: number) => Promise<Buffer>) => {
      const turns = await Promise.all([40, -40].map(async yaw => readFace(models, await draw(yaw))))
      return measureSurroundings(
        seen.thumbnail,
        turns.map(turn => turn?.thumbnail ?? seen.thumbnail),
      )
    }
    const alone = await measure(async yaw => encode(await render({ yaw }, 'mask')))
    const photographed = await measure(async yaw => photographFace(await encode(await render({ yaw }, 'mask')), 3))
    const moved = await measure(async yaw =>
      sharp(await encode(await render({ yaw }, 'mask')))
        .affine([1, 0, 0, 1], { odx: 0, ody: 0, idx: yaw / 2, idy: 12, background: '#808080' })
        .jpeg({ quality: 90 })
        .toBuffer(),
    )
    const whole = await measure(yaw => renderPortrait(person(anna), { turn: yaw / 57 }, { width: 480, height: 640 }))
    const isSuspected = ({ score, threshold }: NonNullable<typeof alone>): boolean => score > threshold
    t.deepEqual(
      [alone, photographed, moved, whole].map(found => found && isSuspected(found)),
      [true, true, true, false],
      JSON.stringify([alone, photographed, moved, whole]),
    )
  },
)

inLongTier(test)(
  'a head that wears the face of a photo keeps its own hair and walls, and looks like the photo',
  async t => {
    sharp.unblock({ operation: ['VipsForeignLoadSvgBuffer'] })
    const meshed = async (image: Buffer) => {
      const face = await readFace(models, image)
      if (!face) throw new Error('no face')
      const photo = await decodeImage(image, 1280)
      return { face, photo, mesh: await findFaceMesh(models, photo, face.face.landmarks) }
    }
    const [victim, wearer] = [
      await meshed(selfie),
      await meshed(await renderPortrait(person(ben), { turn: 0.3 }, size)),
    ]
    const swapped = await swapFace(victim, wearer, { blinks: false, opensMouth: false })
    t.true(Buffer.from(swapped.data.subarray(0, 3 * 480)).equals(wearer.photo.data.subarray(0, 3 * 480)), 'the wall')
    const worn = await readFace(models, await encode(swapped))
    if (!worn) return t.fail('no face')
    const distance = (other: typeof victim): number => measureFaceDistance(worn.template, other.face.template)
    t.true(distance(victim) < distance(wearer), `${distance(victim)} ${distance(wearer)}`)
  },
)

test('surroundings are measured only where they show something, in pictures of one size', async t => {
  const seen = await readFace(models, selfie)
  if (!seen) return t.fail('no face')
  const { thumbnail } = seen
  const plain = { ...thumbnail, brightness: new Uint8Array(thumbnail.brightness.length).fill(128) }
  t.is(measureSurroundings(null, [thumbnail]), null)
  t.is(measureSurroundings(thumbnail, []), null)
  t.is(measureSurroundings(plain, [thumbnail]), null)
  t.is(measureSurroundings(thumbnail, [{ ...thumbnail, width: thumbnail.width - 1 }]), null)
  t.true(Math.abs(measureSurroundings(thumbnail, [plain])?.score ?? 1) < 0.001)
})

test('a head that does what is asked passes', async t => {
  const poses = [{ turn: 0.5 }, { turn: -0.5 }, { blink: 1 }, { mouthOpen: 0.9 }]
  const frames = poses.map(pose => renderPortrait(person(anna), pose, { width: 480, height: 640 }))
  const { section, issues } = await judge(await Promise.all(frames))
  t.deepEqual([section.status, issues], ['PASSED', []])
})
