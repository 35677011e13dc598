import { findWarnings, measureImage } from '@attestor/vision/testing'
import sharp from 'sharp'
import { browserTest } from '../../../test/browser.ts'
import { openFakeCamera } from '../../../test/fake_camera.ts'
import { inLongTier } from '../../../test/tier.ts'
import { checkUpload } from '../../vision/test/images/check_upload.ts'
import type { Hint } from '../page/guidance/guide.ts'
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

/** Returns the page's look at an encoded picture, by the files that it is sent. */
const lookInPage = `async (text) => {
  const { createReader } = await import('/packages/capture-page/page/guidance/serve.ts')
  const { lookAtDocument } = await import('/packages/capture-page/page/guidance/document_watch.ts')
  const bitmap = await createImageBitmap(new Blob([Uint8Array.fromBase64(text)]))
  const { hint, warnings, edgeWidth } = lookAtDocument(createReader()(bitmap, 800), bitmap)
  return { hint, warnings, edgeWidth }
}`

interface PageLook {
  readonly hint: Hint | null
  readonly warnings: readonly string[]
  /** Null if it shows no edges at all: JSON has no infinity. */
  readonly edgeWidth: number | null
}

inLongTier(browserTest)(
  'page and service say the same of a picture, and the page is the stricter one about its edges',
  async t => {
    const camera = await openFakeCamera(t, tableCamera)
    const { page } = await openGuidance(t, camera, 'document')
    const { good, ...others } = scenes
    const blurs = await Promise.all([1, 1.5, 2, 3].map(sigma => sharp(good).blur(sigma).toBuffer()))
    const pictures = [good, ...Object.values(others), ...blurs, await sharp(good).resize({ width: 420 }).toBuffer()]
    let goodOnes = 0
    for (const picture of pictures) {
      const jpeg = await sharp(picture).jpeg({ quality: 90 }).toBuffer()
      const seen = (await page.evaluate(`(${lookInPage})('${jpeg.toString('base64')}')`)) as PageLook
      const limits = { max_bytes: 10_000_000, max_megapixels: 50 }
      const service = await measureImage({ content: jpeg, mediaType: 'image/jpeg', limits, subject: 'document' })
      const warnings = findWarnings('document', service)
      if (seen.hint === null) t.deepEqual(warnings, [])
      t.deepEqual(
        seen.warnings.filter(code => code !== 'IMAGE_BLURRED'),
        warnings.filter(code => code !== 'IMAGE_BLURRED'),
      )
      const { edgeWidth } = service.quality
      // Far beyond the limit both are only large.
      if (edgeWidth !== null && edgeWidth < 4)
        t.true(
          (seen.edgeWidth ?? Number.POSITIVE_INFINITY) >= edgeWidth - 0.02,
          `${seen.edgeWidth} on the page, ${edgeWidth} in the service`,
        )
      if (seen.hint === null) goodOnes++
    }
    t.true(goodOnes >= 2 && goodOnes < pictures.length - 4)
  },
)
