import type { EngineFindings, FaceTemplate } from '@attestor/rules'
import { judgeFace, judgeLiveness } from '@attestor/rules/testing'
import test from 'ava'
import sharp from 'sharp'
import { noise } from '../../../test/noise.ts'
import { inLongTier, rounds } from '../../../test/tier.ts'
import { analyse } from '../analyse.ts'
import { getFaceLimits } from '../face/comparison.ts'
import { measureExpression } from '../face/expression.ts'
import type { RunNetwork } from '../face/face_models.ts'
import { findUprightFaces } from '../face/find_upright.ts'
import { landmarkIndex } from '../face/landmarks.ts'
import { measureContinuity, measureNearest, showsAction } from '../face/liveness.ts'
import { mobileFaceNet } from '../face/mobile_face_net.ts'
import { livenessThreshold, qualityThreshold } from '../face/thresholds.ts'
import { decodeImage, UnreadableImageError } from '../images/decode_image.ts'
import { loadModels } from '../models.ts'
import type { AnalysisRequest, AnsweredChallenge, EncodedImage } from '../port.ts'
import { type PortraitPose, person, personSeeds } from '../synthetic/portrait.ts'
import { covered, covers } from './covered.ts'
import { photograph, photographFace, photographPrint, renderDocument, renderPortrait } from './drawn.ts'
import { inventedFields } from './synthetic/invented.ts'

const size = { width: 480, height: 640 }
const { limits } = mobileFaceNet
const { accept_below, reject_above } = getFaceLimits(mobileFaceNet, '0.001')
const [anna = 1, ben = 2] = personSeeds

const drawn = new Map<string, Promise<Buffer>>()

/** Draws a portrait once for all tests. */
function portrait(seed: number, pose: PortraitPose = {}): Promise<Buffer> {
  const key = JSON.stringify([seed, pose])
  const picture = drawn.get(key) ?? renderPortrait(person(seed), pose, size)
  drawn.set(key, picture)
  return picture
}

const unread = {
  findings: { reading: 'NOT_READABLE', mrz: null, sides_match: null, visual_surname: null, glare: null },
  quarterTurns: null,
  portraitRegion: null,
  pageRegion: null,
  locatePage: null,
  isBackOnly: false,
  isSwapped: false,
} as const

interface Captures {
  readonly document?: EncodedImage
  readonly selfie?: EncodedImage
  readonly challenge?: AnsweredChallenge
  readonly enrolled?: FaceTemplate | null
}

async function look({ document, selfie, challenge, enrolled }: Captures): Promise<EngineFindings> {
  const request: AnalysisRequest = {
    transaction_id: 'test',
    transaction_type: enrolled === undefined ? 'DOCUMENT_AND_BIOMETRIC' : 'BIOMETRIC_ONLY',
    document_front: document ?? null,
    document_back: null,
    selfie: selfie ?? null,
    challenge: challenge ?? null,
    enrolled_face: enrolled ?? null,
  }
  const models = await loadModels()
  return analyse({ models, falseMatchRate: '0.001', readSides: async () => unread, print: null }, request)
}

async function turns(take: (pose: PortraitPose) => Promise<EncodedImage>): Promise<AnsweredChallenge> {
  return {
    actions: ['TURN_LEFT', 'TURN_RIGHT'],
    frames: [await take({ turn: 0.5 }), await take({ turn: -0.5 })],
    attempts: 1,
  }
}

/** Draws a photo of a document with a portrait. */
async function photographedDocument(seed: number): Promise<Buffer> {
  return sharp({ create: { width: 1600, height: 1200, channels: 3, background: '#7a6a58' } })
    .composite([
      { input: { create: { width: 1250, height: 880, channels: 3, background: '#e6dfd2' } }, left: 170, top: 160 },
      {
        input: await renderPortrait(
          person(seed),
          { distance: 8, headWidth: 0.6, light: { side: 0.3, strength: 0.9 } },
          { width: 330, height: 424 },
        ),
        left: 230,
        top: 330,
      },
    ])
    .jpeg({ quality: 85 })
    .toBuffer()
}

test('a selfie matches the portrait on the same person’s document and not on another’s', async t => {
  const selfie = await portrait(anna)
  const same = await look({ document: await photographedDocument(anna), selfie })
  const upside_down = await sharp(await photographedDocument(ben))
    .rotate(180)
    .jpeg()
    .toBuffer()
  const other = await look({ document: upside_down, selfie })
  t.true(same.document?.portrait_found)
  t.is(same.face?.reference, 'DOCUMENT')
  t.true((same.face?.distance ?? 9) <= accept_below, `${same.face?.distance}`)
  t.true((same.face?.similarity?.score ?? 0) >= (same.face?.similarity?.threshold ?? 9))
  t.true((other.face?.distance ?? 0) > reject_above, `${other.face?.distance}`)
  t.true((other.face?.similarity?.score ?? 9) < (other.face?.similarity?.threshold ?? 0))
  t.is(other.face?.template?.values.length, 192)
})

inLongTier(test)('a selfie is compared with the enrolled face, unless another model made that one', async t => {
  const enrolled = (await look({ selfie: await portrait(anna, { light: { side: 0.4 } }) })).face?.template ?? null
  const selfie = await portrait(anna)
  const { face } = await look({ selfie, enrolled })
  t.is(enrolled?.model, (await loadModels()).embedding.model.name)
  t.is(face?.reference, 'ENROLLED_FACE')
  t.true((face?.distance ?? 9) <= accept_below)
  const outdated = await look({ selfie, enrolled: { model: 'dlib-resnet-128/000000000000', values: [1] } })
  t.like(outdated.face, { reference_outdated: true, distance: null, similarity: null })
  t.like((await look({ selfie, enrolled: null })).face, { reference: null, distance: null })
  const faceless = await sharp({ create: { ...size, channels: 3, background: '#345' } })
    .png()
    .toBuffer()
  const unseen = await look({ selfie: faceless, enrolled })
  t.deepEqual(
    judgeFace(unseen.face, 'BIOMETRIC_ONLY').issues.map(({ code }) => code),
    ['NO_FACE_DETECTED'],
    'who is enrolled is not said not to be',
  )
})

test('a wink is no blink, and neither is a face that laughs', t => {
  const at = { yaw: 0, pitch: 0, roll: 0, mouthOpening: 0, mouthDrop: 0, noseHeight: 0.5 }
  const eyes = (left: number, right: number) => ({ ...at, eyeOpenings: [left, right] as const })
  const beside = { selfie: eyes(0.3, 0.25) }
  t.true(showsAction('BLINK', eyes(0.1, 0.1), beside))
  t.false(showsAction('BLINK', eyes(0.05, 0.25), beside))
  t.false(showsAction('BLINK', eyes(0.2, 0.17), beside))
  t.true(showsAction('BLINK', eyes(0.187, 0.15), beside), 'shut by 0.377')
})

test('a smile that shows teeth is no open mouth', t => {
  const at = (width: number, gap: number, { contrast = 0.1, lower = 70 + gap / 2 } = {}) => {
    const points = Array.from({ length: 468 }, (): readonly [number, number] => [0, 0])
    const put = (name: keyof typeof landmarkIndex, x: number, y: number): void => {
      points[landmarkIndex[name]] = [x, y]
    }
    put('left_eye_outer', -50, 0)
    put('right_eye_outer', 50, 0)
    put('nose_base', 0, 45)
    put('mouth_left', -width / 2, 70)
    put('mouth_right', width / 2, 70)
    put('upper_lip', 0, lower - gap)
    put('lower_lip', 0, lower)
    const appearance = { eyesSeen: 1, lensColour: 0, lipColour: 0.05, colourfulness: 0.1, mouthContrast: contrast }
    return measureExpression({ points, certainty: 1 }, appearance, null)
  }
  const selfie = at(40, 1)
  t.true(showsAction('OPEN_MOUTH', at(38, 14, { contrast: 0.15, lower: 85 }), { selfie }))
  t.false(showsAction('OPEN_MOUTH', at(54, 9, { contrast: 0.16 }), { selfie }))
  // The lips of a grin part as far as an open mouth's, as the upper one rises.
  t.false(showsAction('OPEN_MOUTH', at(45, 16, { contrast: 0.25, lower: 79 }), { selfie }))
  t.true(showsAction('OPEN_MOUTH', at(45, 16, { contrast: 0.25, lower: 86 }), { selfie }))
})

test('the document’s own portrait as a selfie is reported as the same picture', async t => {
  const document = await photographedDocument(anna)
  const { data } = await sharp(document)
    .extract({ left: 210, top: 310, width: 370, height: 464 })
    .toBuffer({ resolveWithObject: true })
  const { face } = await look({ document, selfie: data })
  t.true(face?.same_picture)
  for (const measured of [face?.picture_distance, face?.picture_residual])
    t.true((measured?.score ?? 9) <= (measured?.threshold ?? 0))
})

test('a selfie without a face, with two, and with one too small have reasons of their own', async t => {
  t.like((await look({ selfie: await noise(800, 600, 160).png().toBuffer() })).face, {
    faces_in_selfie: 0,
    face_width: null,
    usable: false,
    template: null,
  })
  const pair = sharp({ create: { width: 960, height: 640, channels: 3, background: '#ccc' } }).composite([
    { input: await portrait(anna), left: 0, top: 0 },
    { input: await portrait(ben), left: 480, top: 0 },
  ])
  const two = (await look({ selfie: await pair.png().toBuffer() })).face
  t.is(two?.faces_in_selfie, 2)
  t.true((two?.second_face?.score ?? 0) >= (two?.second_face?.threshold ?? 9))
  const far = (await look({ selfie: await portrait(anna, { headWidth: 0.12 }) })).face
  t.is(far?.faces_in_selfie, 1)
  t.true((far?.face_width ?? 999) < qualityThreshold.minWidth)
  t.like(far, { usable: false, template: null })
})

/** Returns the reasons for which a selfie is not usable. */
async function faultsOf(selfie: Buffer): Promise<readonly string[]> {
  const { face } = await look({ selfie })
  const faults = (face?.quality ?? []).filter(({ passed }) => !passed).map(({ reason }) => reason)
  if (face?.usable !== (faults.length === 0)) throw new Error('usable does not follow from the checks')
  return [...new Set(faults)]
}

test('a selfie that is a picture of a document says so, and that of a person who stands far away does not', async t => {
  const holder = await renderPortrait(person(anna), { distance: 8, headWidth: 0.6 }, { width: 350, height: 450 })
  const order = { format: 'TD3', fields: inventedFields('TD3', 30), portrait: holder, seed: 30 } as const
  const { front } = await renderDocument(order)
  t.true((await faultsOf(await photograph(front, { seed: 1, width: 1600 }))).includes('DOCUMENT'), 'on a table')
  t.true((await faultsOf(await sharp(front).jpeg().toBuffer())).includes('DOCUMENT'), 'its zone without a table')
  for (const headWidth of [0.22, 0.35])
    t.false((await faultsOf(await portrait(anna, { headWidth }))).includes('DOCUMENT'), `${headWidth}`)
})

inLongTier(test)('a selfie that can’t be compared says why', async t => {
  const plain = await portrait(anna)
  t.deepEqual(await faultsOf(plain), [])
  t.deepEqual(await faultsOf(await portrait(anna, { headWidth: 0.12 })), ['TOO_SMALL'])
  t.deepEqual(await faultsOf(await portrait(anna, { turn: 0.6 })), ['TURNED_AWAY'])
  t.deepEqual(await faultsOf(await portrait(anna, { lookUp: 0.9 })), ['TURNED_AWAY'])
  t.true((await faultsOf(await portrait(anna, { blink: 1 }))).includes('EYES_CLOSED'))
  t.true((await faultsOf(await sharp(plain).blur(11).jpeg().toBuffer())).includes('BLURRED'))
  // A scarf drawn on Anna passes: FaceMesh is as certain of it as of an overexposed face, which must pass.
  const other = await portrait(ben)
  for (const cover of covers)
    t.deepEqual(await faultsOf(await covered(cover === 'scarf' ? other : plain, cover)), ['COVERED'], cover)
})

test('an honest person passes every action of a challenge', async t => {
  const poses: readonly PortraitPose[] = [
    { turn: 0.5 },
    { blink: 1 },
    { turn: -0.5 },
    { mouthOpen: 0.9 },
    { lookUp: 0.6 },
  ]
  const { liveness } = await look({
    selfie: await portrait(anna),
    challenge: {
      actions: ['TURN_LEFT', 'BLINK', 'TURN_RIGHT', 'OPEN_MOUTH', 'LOOK_UP'],
      frames: await Promise.all(poses.map(pose => portrait(anna, pose))),
      attempts: 1,
    },
  })
  t.deepEqual(
    liveness?.challenge.map(({ passed }) => passed),
    [true, true, true, true, true],
  )
  t.true((liveness?.planarity?.score ?? 0) >= livenessThreshold.planarity, `${liveness?.planarity?.score}`)
  t.true((liveness?.continuity?.score ?? 9) <= limits.continuity, `${liveness?.continuity?.score}`)
})

test('frames that the camera mirrored are judged as what they are; one turn the other way is a failed one', async t => {
  const selfie = await portrait(anna)
  const poses: readonly PortraitPose[] = [{ turn: 0.5 }, { mouthOpen: 0.9 }, { turn: -0.5 }]
  const straight = await Promise.all(poses.map(pose => portrait(anna, pose)))
  const mirrored = await Promise.all(straight.map(frame => sharp(frame).flop().toBuffer()))
  const actions = ['TURN_LEFT', 'OPEN_MOUTH', 'TURN_RIGHT'] as const
  const lookAt = async (frames: readonly Buffer[]) =>
    (await look({ selfie, challenge: { actions, frames, attempts: 1 } })).liveness
  const found = await lookAt(mirrored)
  t.deepEqual([found?.mirrored, found?.challenge.map(({ passed }) => passed)], [true, [true, true, true]])
  t.is(found && judgeLiveness(found, 1).section.status, 'PASSED')
  const [left, mouth, right] = straight as [Buffer, Buffer, Buffer]
  const taken: readonly (readonly [readonly Buffer[], readonly boolean[]])[] = [
    [
      [left, mouth, left],
      [true, true, false],
    ],
    [
      [right, mouth, right],
      [false, true, true],
    ],
    [straight, [true, true, true]],
  ]
  for (const [frames, passed] of taken.slice(0, rounds(1, 3)))
    t.like(await lookAt(frames), { mirrored: false, challenge: passed.map(one => ({ passed: one })) })
})

test('a selfie that lies on its side or on its head is set upright', async t => {
  const selfie = await portrait(anna)
  const enrolled = (await look({ selfie, enrolled: null })).face?.template ?? null
  for (const degrees of [90, 180, 270].slice(0, rounds(2, 3))) {
    const turned = await sharp(selfie).rotate(degrees).jpeg({ quality: 95 }).toBuffer()
    const { face } = await look({ selfie: turned, enrolled })
    t.true(face?.usable === true, `${degrees}°`)
    t.true((face?.distance ?? 9) <= accept_below, `${degrees}°: ${face?.distance}`)
  }
})

test('an upright face with a short template is not taken for one on its head, nor the other way', async t => {
  const models = await loadModels()
  const selfie = await portrait(anna)
  for (const degrees of [0, 180]) {
    const turned = await sharp(selfie).rotate(degrees).jpeg({ quality: 95 }).toBuffer()
    let seen = 0
    // The upright template is the shorter one, as an open mouth and dim light make it.
    const run: RunNetwork = async pictures => {
      const isUpright = degrees === 0 ? seen++ === 0 : seen++ > 0
      return (await models.embedding.run(pictures)).map(out => out.map(value => value * (isUpright ? 0.3 : 0.5)))
    }
    const found = await findUprightFaces(
      { ...models, embedding: { ...models.embedding, run } },
      await decodeImage(turned, 640),
      [],
    )
    t.is(found?.quarterTurns, degrees / 90)
    t.true(seen > 1, 'a face was found on its head, too')
  }
})

inLongTier(test)('a face at rest passes no action, and a turn to one side is none to the other', async t => {
  const selfie = await portrait(anna)
  const actions = ['TURN_LEFT', 'TURN_RIGHT', 'BLINK', 'OPEN_MOUTH', 'LOOK_UP'] as const
  const still = await look({ selfie, challenge: { actions, frames: actions.map(() => selfie), attempts: 1 } })
  t.deepEqual(
    still.liveness?.challenge.map(({ passed }) => passed),
    [false, false, false, false, false],
  )
  const right = await portrait(anna, { turn: -0.5 })
  const wrong = await look({ selfie, challenge: { actions: ['TURN_LEFT'], frames: [right], attempts: 1 } })
  t.like(wrong.liveness?.challenge[0], { action: 'TURN_LEFT', passed: false })
})

test('a turn to a profile is refused while it can be taken again', t => {
  const at = { pitch: 0, roll: 0, eyeOpenings: null, mouthOpening: 0, mouthDrop: 0, noseHeight: 0.5 }
  const turned = (yaw: number) => showsAction('TURN_LEFT', { ...at, yaw }, { selfie: { ...at, yaw: 0 }, residual: 0.1 })
  t.deepEqual([0.4, 0.6, 1.2, 1.3].map(turned), [false, true, true, false])
})

test('lips may part in a look upwards, but not as far as in the frame of the open mouth', t => {
  const at = { yaw: 0, pitch: 0, roll: 0, eyeOpenings: null, mouthOpening: 0, mouthDrop: 0, noseHeight: 0.5 }
  const up = (mouthOpening: number) => ({ ...at, pitch: 0.1, mouthOpening })
  const mouth = { ...at, mouthOpening: 0.8, mouthDrop: 0.1 }
  t.true(showsAction('LOOK_UP', up(0.3), { selfie: at, mouth }))
  t.false(showsAction('LOOK_UP', up(0.7), { selfie: at, mouth }), 'one picture would answer both')
  t.true(showsAction('LOOK_UP', up(0.7), { selfie: at }), 'nobody asks for an open mouth')
  t.false(showsAction('LOOK_UP', { ...up(0), yaw: 0.6 }, { selfie: at }), 'nor is a turn a look upwards')
  t.true(showsAction('OPEN_MOUTH', mouth, { selfie: at, mouth }))
  t.is(showsAction('LOOK_UP', up(0), { selfie: null }), null)
})

inLongTier(test)('a photo that is turned before the camera passes no turn and shows that it is flat', async t => {
  for (const seed of [anna, ben]) {
    const selfie = await portrait(seed)
    const frames = [await photographPrint(selfie, { yaw: -40 }), await photographPrint(selfie, { yaw: 40 })]
    const { liveness } = await look({
      selfie,
      challenge: { actions: ['TURN_LEFT', 'TURN_RIGHT'], frames, attempts: 1 },
    })
    t.deepEqual(
      liveness?.challenge.map(({ passed }) => passed),
      [false, false],
    )
    t.true((liveness?.planarity?.score ?? 9) < livenessThreshold.planarity, `${liveness?.planarity?.score}`)
  }
})

inLongTier(test)(
  'frames of an earlier transaction are known again by their fingerprints, re-encoded too, and new ones are none',
  async t => {
    const selfie = await portrait(anna)
    const other = await portrait(anna, { light: { side: 0.4 }, tilt: 0.1 })
    const first = await turns(async pose => photographFace(await portrait(anna, pose), 1))
    const seen = (await look({ selfie, challenge: first })).liveness
    t.is(seen?.seen_before, null)
    const earlier = seen?.fingerprints ?? []
    t.is(earlier.length, 2)
    t.true(JSON.stringify(earlier).length < 30_000)
    const copies = await Promise.all(
      first.frames.map(frame =>
        sharp(frame ?? undefined)
          .modulate({ brightness: 1.1 })
          .jpeg({ quality: 70 })
          .toBuffer(),
      ),
    )
    const replayed = (await look({ selfie: other, challenge: { ...first, frames: copies, earlier } })).liveness
    t.true((replayed?.seen_before?.score ?? 9) < livenessThreshold.earlierDifference, `${replayed?.seen_before?.score}`)
    const fresh = await turns(async pose => photographFace(await portrait(anna, { ...pose, tilt: 0.05 }), 2))
    const lived = (await look({ selfie: other, challenge: { ...fresh, earlier } })).liveness
    t.true((lived?.seen_before?.score ?? 0) >= livenessThreshold.earlierDifference, `${lived?.seen_before?.score}`)
  },
)

inLongTier(test)('frames of another size than the selfie are reported', async t => {
  const frame = await renderPortrait(person(anna), { turn: 0.7 }, { width: 360, height: 480 })
  const challenge = { actions: ['TURN_LEFT'], frames: [frame], attempts: 1 } as const
  t.like(await look({ selfie: await portrait(anna), challenge }), { liveness: { sizes_differ: true } })
})

inLongTier(test)('frames of another person break the continuity', async t => {
  const [, , , , carl = 5] = personSeeds
  const { liveness } = await look({
    selfie: await portrait(anna),
    challenge: await turns(pose => portrait(carl, pose)),
  })
  t.true((liveness?.continuity?.score ?? 0) > limits.continuity, `${liveness?.continuity?.score}`)
})

inLongTier(test)(
  'a picture of the holder as the selfie makes nobody else the holder: a frame that looks ahead is held to the strict limit',
  async t => {
    const at = (distance: number): FaceTemplate => ({
      model: 'any',
      values: [1 - distance, Math.sqrt(1 - (1 - distance) ** 2)],
    })
    const like = [
      { action: 'TURN_LEFT', template: at(0.3) },
      { action: 'BLINK', template: at(0.5) },
      { action: 'OPEN_MOUTH', template: at(0.52) },
      { action: 'TURN_RIGHT', template: at(0.54) },
    ] as const
    const templates = like.map(({ template }) => template)
    t.true(
      (measureContinuity(at(0), templates, limits)?.score ?? 9) <= limits.continuity,
      'continuity alone lets them pass',
    )
    t.like(measureNearest(at(0), like, limits), { score: 0.5, threshold: limits.nearest })
    t.is(measureNearest(at(0), like.slice(0, 1), limits), null)
    t.is(measureNearest(null, like, limits), null)
    const frames = await Promise.all([anna, ben].map(seed => portrait(seed, { blink: 1 })))
    for (const [n, frame] of frames.entries()) {
      const challenge = { actions: ['BLINK'], frames: [frame], attempts: 1 } as const
      const { liveness } = await look({ selfie: await portrait(anna), challenge })
      t.is((liveness?.nearest?.score ?? 9) <= limits.nearest, n === 0, `${liveness?.nearest?.score}`)
    }
  },
)

inLongTier(test)(
  'frames without a face, or missing, are not judged, and one that cannot be decoded is an error',
  async t => {
    const plain = sharp({ create: { ...size, channels: 3, background: '#345' } })
    const empty = await plain.png().toBuffer()
    const selfie = await portrait(anna)
    const lookAt = (...frames: readonly Buffer[]) =>
      look({ selfie, challenge: { actions: ['TURN_LEFT', 'BLINK'], frames, attempts: 2 } })
    await t.throwsAsync(lookAt(empty, Buffer.from('no')), { instanceOf: UnreadableImageError })
    const { liveness } = await lookAt(empty)
    t.deepEqual(
      liveness?.challenge.map(({ passed }) => passed),
      [null, null],
    )
    t.like(liveness, { planarity: null, continuity: null, nearest: null })
  },
)

inLongTier(test)('a turned camera’s orientation mark is honoured', async t => {
  const turned = await sharp(await portrait(anna))
    .rotate(90)
    .withMetadata({ orientation: 8 })
    .jpeg()
    .toBuffer()
  t.is((await look({ selfie: turned })).face?.faces_in_selfie, 1)
})

test('a capture that was never taken is no evidence', async t => {
  t.deepEqual(await look({}), { document: null, liveness: null, face: null, stages: {} })
})
