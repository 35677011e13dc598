import type { LivenessAction } from '@attestor/rules'
import { checkQuality, loadModels, readFace } from '@attestor/vision/readers'
import { showsAction } from '@attestor/vision/testing'
import sharp from 'sharp'
import { browserTest } from '../../../test/browser.ts'
import { allowEveryPage, openFakeCamera } from '../../../test/fake_camera.ts'
import { checkUpload } from '../../vision/test/images/check_upload.ts'
import type { Hint } from '../page/guidance/guide.ts'
import { drawFaceScenes, drawTilted, type FaceScene, faceCamera, wideCamera } from './face_scenes.ts'
import { type GuidancePage, openGuidance } from './guidance_page.ts'

browserTest('a person is guided from an empty picture to a good selfie, which is taken by itself', async t => {
  const ways: readonly (readonly [FaceScene, Hint])[] = [
    ['absent', 'FIND_FACE'],
    ['far', 'COME_CLOSER'],
    ['aside', 'CENTRE_FACE'],
    ['two', 'ONE_PERSON'],
    ['turned', 'LOOK_AHEAD'],
    ['shut', 'OPEN_EYES'],
    ['covered', 'TAKE_OFF_COVER'],
    ['dark', 'MORE_LIGHT'],
    ['blurred', 'HOLD_STILL'],
  ]
  const scenes = await drawFaceScenes(['rest', ...ways.map(([scene]) => scene)])
  const camera = await openFakeCamera(t, faceCamera)
  await camera.show(scenes.absent)
  const guide = await openGuidance(t, camera, 'face')
  t.is(guide.kind, 'full')
  await guide.watch({ kind: 'selfie' })
  for (const [scene, hint] of ways) {
    await camera.show(scenes[scene])
    await guide.waitForHint(hint)
  }
  await camera.show(scenes.rest)
  const picture = await guide.taken()
  const { width, height } = await sharp(picture).metadata()
  t.deepEqual({ width, height }, faceCamera)
  t.deepEqual((await checkUpload(picture, 'selfie')).warnings, [])
})

browserTest('a tilted head in a wide picture is corrected, or taken: a full bar never waits', async t => {
  const camera = await openFakeCamera(t, wideCamera)
  await camera.show(await drawTilted(25))
  const guide = await openGuidance(t, camera, 'face')
  await guide.watch({ kind: 'selfie' })
  await guide.waitForHint('LOOK_AHEAD')
  await camera.show(await drawTilted(19.7))
  const { width, height } = await sharp(await guide.taken()).metadata()
  t.deepEqual({ width, height }, wideCamera)
  t.is((await guide.seen()).filter(({ progress }) => progress === 1).length, 1)
})

const actions: readonly LivenessAction[] = ['TURN_LEFT', 'TURN_RIGHT', 'BLINK', 'OPEN_MOUTH', 'LOOK_UP']

function drawActions() {
  return drawFaceScenes(['rest', 'half', 'shut', ...actions])
}

/** One second. */
const filmLength = 30

/** Returns the camera's frames of an action: eyes are shut for a fifth of a second. */
function framesOf(action: LivenessAction, scenes: Awaited<ReturnType<typeof drawActions>>): readonly Buffer[] {
  if (action !== 'BLINK') return [scenes[action]]
  const { rest, half, shut } = scenes
  const blink = [half, shut, shut, shut, shut, half]
  return [...Array.from({ length: filmLength - blink.length }, () => rest), ...blink]
}

/** Resolves when the guide has looked so many times more. */
async function waitForLooks({ page, seen }: GuidancePage, count: number): Promise<void> {
  const before = (await seen()).length
  await page.waitForFunction(`rig.seen.length >= ${before + count}`)
}

browserTest('each action is taken when it is done, by the service’s own measures, and not before', async t => {
  const scenes = await drawActions()
  const camera = await openFakeCamera(t, faceCamera, [allowEveryPage], filmLength)
  await camera.show(scenes.rest)
  // Phones without an update since 2023 lack it.
  const guide = await openGuidance(t, camera, 'face', { before: 'delete AbortSignal.any' })
  await guide.watch({ kind: 'selfie' })
  const selfie = await guide.taken()
  const pictures = new Map<LivenessAction, Buffer>()
  for (const action of actions) {
    await guide.watch({ kind: 'action', action })
    for (const other of ['rest', ...actions.filter(one => one !== action)] as const) {
      await camera.show(scenes[other])
      await waitForLooks(guide, 4)
    }
    await camera.show(scenes.rest)
    await guide.waitForHint(action)
    t.false(
      (await guide.seen()).some(({ hint }) => hint === 'GOOD'),
      action,
    )
    await camera.show(...framesOf(action, scenes))
    pictures.set(action, await guide.taken())
  }
  const models = await loadModels()
  const measured = await readFace(models, selfie)
  t.true(measured !== null && checkQuality(measured).every(({ passed }) => passed))
  const rest = measured?.expression ?? null
  for (const [action, picture] of pictures) {
    const seen = await readFace(models, picture, action)
    t.true(seen && showsAction(action, seen.expression, { selfie: rest }), action)
  }
})
