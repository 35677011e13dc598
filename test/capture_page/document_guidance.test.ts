import sharp from 'sharp'
import type { Hint } from '../../src/capture_page/page/guidance/guide.ts'
import { browserTest } from '../browser.ts'
import { openFakeCamera } from '../fake_camera.ts'
import { checkUpload } from '../images/check_upload.ts'
import { drawDocumentScenes, tableCamera } from './document_scenes.ts'
import { openGuidance } from './guidance_page.ts'

const scenes = await drawDocumentScenes()

browserTest('a person is guided from an empty table to a good picture, which is taken by itself', async t => {
  const camera = await openFakeCamera(t, tableCamera)
  await camera.show(scenes.absent)
  const guide = await openGuidance(t, camera, 'document')
  t.is(guide.kind, 'full')
  await guide.watch({ kind: 'document' })
  const ways: readonly (readonly [keyof typeof scenes, Hint])[] = [
    ['absent', 'FIND_DOCUMENT'],
    ['small', 'COME_CLOSER'],
    ['cutOff', 'SHOW_ALL'],
    ['blurred', 'HOLD_STILL'],
    ['dark', 'MORE_LIGHT'],
    ['glare', 'AVOID_GLARE'],
  ]
  for (const [scene, hint] of ways) {
    await camera.show(scenes[scene])
    await guide.waitForHint(hint)
  }
  await camera.show(scenes.good)
  const picture = await guide.taken()
  const { width, height } = await sharp(picture).metadata()
  t.deepEqual({ width, height }, tableCamera)
  t.deepEqual((await checkUpload(picture, 'document')).warnings, [])
  const seen = await guide.seen()
  t.is(seen.at(-1)?.progress, 1)
  t.truthy(seen.at(-1)?.box)
})
