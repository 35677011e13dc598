import type { ExecutionContext } from 'ava'
import sharp from 'sharp'
import { browserTest } from '../../../test/browser.ts'
import { openFakeCamera } from '../../../test/fake_camera.ts'
import { drawDocumentScenes, tableCamera } from './document_scenes.ts'
import { type GuidancePage, openGuidance } from './guidance_page.ts'

const scenes = await drawDocumentScenes()

async function sizeOf(picture: Buffer) {
  const { width, height } = await sharp(picture).metadata()
  return { width, height }
}

/** A guide that sees nothing counts down before an empty table, and photographs it. */
async function assertCountsDown(t: ExecutionContext, guide: GuidancePage): Promise<void> {
  t.deepEqual(await sizeOf(await guide.taken()), tableCamera)
  const seen = (await guide.seen()).map(({ progress }) => progress)
  t.deepEqual(
    seen,
    [...seen].sort((one, other) => one - other),
  )
  t.true(seen.length > 10)
  t.is(seen.at(-1), 1)
}

browserTest('a browser that cannot look counts down, and its button works at once', async t => {
  const camera = await openFakeCamera(t, tableCamera)
  const before = 'WebAssembly.validate = () => false'
  const guide = await openGuidance(t, camera, 'document', { before })
  t.is(guide.kind, 'plain')
  t.deepEqual(guide.workers(), 0)
  await guide.watch({ kind: 'document' })
  t.deepEqual(await sizeOf(await guide.press()), tableCamera)
  await assertCountsDown(t, guide)
})

browserTest('a face guide whose models or worker do not come is a plain one', async t => {
  const camera = await openFakeCamera(t, tableCamera)
  for (const refused of [/iris\.bin/, /tfjs-backend-wasm-simd\.wasm/, /face_worker/]) {
    const guide = await openGuidance(t, camera, 'face', { refused })
    t.is(guide.kind, 'plain', String(refused))
    t.deepEqual(await sizeOf(await guide.press()), tableCamera)
  }
})

browserTest('a worker that fails while it looks is replaced by the countdown', async t => {
  const camera = await openFakeCamera(t, tableCamera)
  const guide = await openGuidance(t, camera, 'document')
  t.is(guide.kind, 'full')
  const [worker] = guide.page.workers()
  await worker?.evaluate("OffscreenCanvas.prototype.convertToBlob = () => Promise.reject(new Error('no memory'))")
  await camera.show(scenes.good)
  await guide.watch({ kind: 'document' })
  t.deepEqual(await sizeOf(await guide.taken()), tableCamera)
  t.is((await guide.seen()).at(-1)?.hint, 'SHOW_ALL')
  t.deepEqual(await sizeOf(await guide.press()), tableCamera)
})

browserTest('a watch that is aborted takes nothing, and the next one does', async t => {
  const camera = await openFakeCamera(t, tableCamera)
  const guide = await openGuidance(t, camera, 'document')
  await camera.show(scenes.absent)
  await guide.watch({ kind: 'document' })
  await guide.waitForHint('FIND_DOCUMENT')
  t.is(await guide.abort(), 'enough')
  t.deepEqual(await sizeOf(await guide.press()), tableCamera)
  await camera.show(scenes.good)
  await guide.watch({ kind: 'document' })
  t.deepEqual(await sizeOf(await guide.taken()), tableCamera)
})

/** A camera whose photos are made by `takePhoto`, said to be so many times as wide as its video. */
function photoCamera(scale: number, takePhoto: string): string {
  return `
  window.ImageCapture = class {
    async getPhotoCapabilities() {
      const { videoWidth, videoHeight } = document.querySelector('video')
      return { imageWidth: { max: ${scale} * videoWidth }, imageHeight: { max: ${scale} * videoHeight } }
    }
    async takePhoto() { ${takePhoto} }
  }
  window.film = async filter => {
    const video = document.querySelector('video')
    const canvas = new OffscreenCanvas(2 * video.videoWidth, 2 * video.videoHeight)
    const context = canvas.getContext('2d')
    context.filter = filter
    context.drawImage(video, 0, 0, canvas.width, canvas.height)
    return canvas.convertToBlob({ type: 'image/jpeg' })
  }`
}

browserTest(
  'a photo is taken where the camera’s are larger than its video, and sent only where it is good',
  async t => {
    const camera = await openFakeCamera(t, tableCamera)
    await camera.show(scenes.good)
    const double = { width: 2 * tableCamera.width, height: 2 * tableCamera.height }
    const cases = [
      [photoCamera(2, "return film('none')"), double],
      [photoCamera(1, "return film('none')"), tableCamera],
      [photoCamera(2, "return film('brightness(0.1)')"), tableCamera],
      [photoCamera(2, "return new Blob(['no picture'])"), tableCamera],
      [photoCamera(2, "throw new DOMException('busy')"), tableCamera],
      [photoCamera(2, 'return new Promise(() => {})'), tableCamera],
    ] as const
    for (const [before, size] of cases) {
      const guide = await openGuidance(t, camera, 'document', { before })
      await guide.watch({ kind: 'document' })
      t.deepEqual(await sizeOf(await guide.taken()), size, before)
      await guide.page.close()
    }
  },
)
