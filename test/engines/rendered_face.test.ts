import test from 'ava'
import sharp from 'sharp'
import { judgeLiveness } from '../../src/decision/liveness_rules.ts'
import { decodeImage } from '../../src/engines/images/decode_image.ts'
import { localEngineName } from '../../src/engines/local/engine_name.ts'
import { createLivenessFindings } from '../../src/engines/local/face/challenge.ts'
import { measureFaceDistance } from '../../src/engines/local/face/embedding.ts'
import { type ComparedFace, readFace } from '../../src/engines/local/face/read_face.ts'
import { measureRelighting } from '../../src/engines/local/face/relighting.ts'
import { measureSurroundings } from '../../src/engines/local/face/surroundings.ts'
import { livenessThreshold } from '../../src/engines/local/face/thresholds.ts'
import { loadModels } from '../../src/engines/local/models.ts'
import type { Raster } from '../../synthetic/camera.ts'
import { swapFace } from '../../synthetic/face_swap.ts'
import { photographFace } from '../../synthetic/photo.ts'
import { person, personSeeds, renderPortrait } from '../../synthetic/portrait.ts'
import { createFaceRenderer, type Lamp, type RenderedPose } from '../../synthetic/rendered_face.ts'
import { inLongTier } from '../tier.ts'
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

test('a face that turns alone before its own photo is suspected, moved or not; a head that takes its hair along is not', async t => {
  sharp.unblock({ operation: ['VipsForeignLoadSvgBuffer'] })
  const seen = await readFace(models, selfie)
  if (!seen) return t.fail('no face')
  const photo = await decodeImage(selfie, 1280)
  const render = createFaceRenderer(photo, await findFaceMesh(models, photo, seen.face.landmarks))
  const measure = async (draw: (yaw: number) => Promise<Buffer>) => {
    const turns = await Promise.all([40, -40].map(async yaw => readFace(models, await draw(yaw))))
    return measureSurroundings(
      seen.scene,
      turns.map(turn => turn?.scene ?? seen.scene),
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
})

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
  const { scene } = seen
  const plain = { ...scene, brightness: new Uint8Array(scene.brightness.length).fill(128) }
  t.is(measureSurroundings(null, [scene]), null)
  t.is(measureSurroundings(scene, []), null)
  t.is(measureSurroundings(plain, [scene]), null)
  t.is(measureSurroundings(scene, [{ ...scene, width: scene.width - 1 }]), null)
  t.true(Math.abs(measureSurroundings(scene, [plain])?.score ?? 1) < 0.001)
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
  const { upright } = seen
  const white = new Float32Array(upright.brightness.length).fill(255)
  const burnt = { ...seen, upright: { ...upright, brightness: white } }
  t.is(measureRelighting(null, [seen]), null)
  t.is(measureRelighting(burnt, [seen]), null)
  t.is(measureRelighting(seen, [burnt]), null)
})

test('skin that no frame shows again is suspected', async t => {
  const seen = await readFace(models, selfie)
  if (!seen) return t.fail('no face')
  const { upright } = seen
  const inverted = { ...seen, upright: { ...upright, brightness: upright.brightness.map(value => 255 - value) } }
  t.is(measureRelighting(seen, [inverted, inverted])?.score, 0)
  t.deepEqual(
    measureRelighting(seen, [inverted, seen]),
    measureRelighting(seen, [seen]),
    'one torn frame of two does not count',
  )
})

/** The face turned so far, with its light changed by the index of a pixel. */
function relight({ upright }: ComparedFace, yaw: number, lightAt: (index: number) => number) {
  const brightness = upright.brightness.map((value, i) => value * lightAt(i))
  return { expression: { yaw }, upright: { points: upright.points, brightness } }
}

test('a slope of light that follows the head counts for it, one that turns against it does not', async t => {
  const seen = await readFace(models, selfie)
  if (!seen) return t.fail('no face')
  const turn = (yaw: number, slope: number) => relight(seen, yaw, i => Math.exp(slope * ((i % 128) / 64 - 1)))
  const measure = (slope: number): number =>
    measureRelighting(seen, [turn(0.8, -slope), turn(-0.8, slope)])?.score ?? Number.NaN
  t.true(measure(0.3) > measure(-0.3) + 0.03, `${measure(0.3)} ${measure(-0.3)}`)
  t.true(measure(-0.3) < livenessThreshold.relighting)
})

test('what lies beyond the edge of the selfie is no skin', async t => {
  const seen = await readFace(models, selfie)
  if (!seen) return t.fail('no face')
  const { points, brightness } = seen.upright
  const cut = { ...seen, upright: { points, brightness: brightness.map((value, i) => (i < 75 * 128 ? 0 : value)) } }
  const score = measureRelighting(cut, [cut])?.score ?? Number.NaN
  t.true(Math.abs(score) < 0.001, `${score}`)
})

test('landmarks that go astray in one turn are no light', async t => {
  const seen = await readFace(models, selfie)
  if (!seen) return t.fail('no face')
  // Every other stripe of the picture is darker: no plane, and more than any head does.
  const turn = (yaw: number, dark: number) => relight(seen, yaw, i => (Math.floor((i % 128) / 16) % 2 ? 1 - dark : 1))
  const measure = (left: number, right: number): number =>
    measureRelighting(seen, [turn(0.8, left), turn(-0.8, right)])?.score ?? Number.NaN
  t.true(measure(0.5, 0.5) > livenessThreshold.relighting, `${measure(0.5, 0.5)}`)
  t.true(measure(0.5, 0.01) < livenessThreshold.relighting, `${measure(0.5, 0.01)}`)
})

test('a lamp in the renderer lets the light follow the head, which the rule sees', async t => {
  sharp.unblock({ operation: ['VipsForeignLoadSvgBuffer'] })
  const seen = await readFace(models, selfie)
  if (!seen) return t.fail('no face')
  const photo = await decodeImage(selfie, 1280)
  const render = createFaceRenderer(photo, await findFaceMesh(models, photo, seen.face.landmarks))
  const measure = async (lamp?: Lamp): Promise<number> => {
    const turns = [40, -40].map(async yaw => encode(await render({ yaw, ...(lamp && { lamp }) }, 'warp')))
    const faces = await Promise.all(turns.map(async turn => readFace(models, await turn)))
    return (
      measureRelighting(
        seen,
        faces.map(face => face ?? seen),
      )?.score ?? Number.NaN
    )
  }
  const [lit, plain] = [await measure({ towards: [0, -0.3, 1], ambient: 0.3 }), await measure()]
  t.true(lit > plain + 0.02, `${lit} ${plain}`)
})
