import test from 'ava'
import sharp from 'sharp'
import { judgeLiveness } from '../../src/decision/liveness_rules.ts'
import { decodeImage } from '../../src/engines/images/decode_image.ts'
import { localEngineName } from '../../src/engines/local/engine_name.ts'
import { createLivenessFindings } from '../../src/engines/local/face/challenge.ts'
import { readFace } from '../../src/engines/local/face/read_face.ts'
import { measureRelighting } from '../../src/engines/local/face/relighting.ts'
import { loadModels } from '../../src/engines/local/models.ts'
import type { Raster } from '../../synthetic/camera.ts'
import { photographFace } from '../../synthetic/photo.ts'
import { person, personSeeds, renderPortrait } from '../../synthetic/portrait.ts'
import { createFaceRenderer, type RenderedPose } from '../../synthetic/rendered_face.ts'
import { findFaceMesh } from './face_mesh.ts'

const models = await loadModels()
const [anna = 1] = personSeeds
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

test('one picture that is rendered in every pose of a challenge is left to a person', async t => {
  // A test of the same process may have left libvips with its three loaders of photos; eyelids are drawn as SVG.
  sharp.unblock({ operation: ['VipsForeignLoadSvgBuffer'] })
  const photo = await decodeImage(selfie, 1280)
  const seen = await readFace(models, selfie)
  if (!seen) return t.fail('no face')
  const render = createFaceRenderer(photo, await findFaceMesh(models, photo, seen.face.landmarks))
  const poses: readonly RenderedPose[] = [{ yaw: 48 }, { yaw: -48 }, { shutEyes: true }, { mouthOpen: 1 }]
  for (const reach of ['head', 'warp'] as const) {
    const frames = await Promise.all(poses.map(async pose => encode(await render(pose, reach))))
    const { section, issues } = await judge(frames)
    t.deepEqual([section.status, issues.map(({ code }) => code)], ['UNDETERMINED', ['FACE_RENDERED_SUSPECTED']], reach)
    // Photographed from a screen, each picture has a slope of light of its own.
    const photographed = await judge(await Promise.all(frames.map((frame, n) => photographFace(frame, n + 1))))
    t.true(
      photographed.issues.some(({ code }) => code === 'FACE_RENDERED_SUSPECTED'),
      `${reach}, photographed`,
    )
  }
})

test('a head that does the same before one lamp passes', async t => {
  const poses = [{ turn: 0.7 }, { turn: -0.7 }, { blink: 1 }, { mouthOpen: 0.9 }]
  const frames = poses.map(pose => renderPortrait(person(anna), pose, { width: 480, height: 640 }))
  const { section, issues } = await judge(await Promise.all(frames))
  t.deepEqual([section.status, issues], ['PASSED', []])
})

test('burnt-out skin and an absent selfie measure no light', async t => {
  const seen = await readFace(models, selfie)
  if (!seen) return t.fail('no face')
  const burnt = { ...seen.upright, brightness: new Float32Array(seen.upright.brightness.length).fill(255) }
  t.is(measureRelighting(null, [seen.upright]), null)
  t.is(measureRelighting(burnt, [seen.upright]), null)
  t.is(measureRelighting(seen.upright, [burnt]), null)
})

test('skin that no frame shows again is suspected', async t => {
  const seen = await readFace(models, selfie)
  if (!seen) return t.fail('no face')
  const upsideDown = { ...seen.upright, brightness: seen.upright.brightness.toReversed() }
  t.is(measureRelighting(seen.upright, [upsideDown, upsideDown])?.score, 0)
  t.deepEqual(
    measureRelighting(seen.upright, [upsideDown, seen.upright]),
    measureRelighting(seen.upright, [seen.upright]),
    'one torn frame of two does not count',
  )
})
