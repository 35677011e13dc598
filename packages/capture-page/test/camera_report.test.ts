import { browserTest } from '../../../test/browser.ts'
import { openFakeCamera } from '../../../test/fake_camera.ts'
import { inLongTier } from '../../../test/tier.ts'
import { drawDocumentScenes, tableCamera } from './document_scenes.ts'
import { openGuidance } from './guidance_page.ts'

/** Returns the report on a camera's film, of pictures with fresh noise and of black ones, after so many frames. */
const report = `async frames => {
  const { readCamera, watchCamera } = await import('/packages/capture-page/page/camera_report.ts')
  const film = async paint => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 240 })
    const context = canvas.getContext('2d')
    const draw = () => (paint(context), requestAnimationFrame(draw))
    draw()
    const video = Object.assign(document.createElement('video'), { muted: true, srcObject: canvas.captureStream(30) })
    await video.play()
    return video
  }
  const noise = context => {
    const pixels = context.createImageData(320, 240)
    for (let at = 0; at < pixels.data.length; at++) pixels.data[at] = at % 4 === 3 ? 255 : 120 + (at / 16) % 40 + Math.random() * 3
    context.putImageData(pixels, 0, 0)
  }
  const watch = video => new Promise(resolve => {
    const controller = new AbortController()
    watchCamera(video, video.srcObject.getVideoTracks()[0], controller.signal)
    let seen = 0
    const count = () => {
      if (++seen <= frames) return video.requestVideoFrameCallback(count)
      // The page reports what it knows when the camera is closed.
      video.srcObject.getVideoTracks()[0].stop()
      controller.abort()
      resolve(readCamera())
    }
    video.requestVideoFrameCallback(count)
  })
  const black = context => context.fillRect(0, 0, 320, 240)
  return [readCamera(), await watch(rig.video), await watch(await film(noise)), await watch(await film(black))]
}`

/** Returns the report on a camera whose numbers no camera has, and whose clock runs back. */
const nonsense = `async () => {
  const { readCamera, watchCamera } = await import('/packages/capture-page/page/camera_report.ts')
  const callbacks = []
  rig.video.requestVideoFrameCallback = callback => callbacks.push(callback)
  const settings = { deviceId: '1', width: -1, height: 1e9, frameRate: Infinity }
  watchCamera(rig.video, { label: '', getSettings: () => settings }, new AbortController().signal)
  for (let frame = 1; frame < 10; frame++) callbacks.shift()(0, { captureTime: -1e3 * frame, presentedFrames: frame })
  return readCamera()
}`

inLongTier(browserTest)('The page reports what its camera is and does, and frames that are one picture', async t => {
  const camera = await openFakeCamera(t, tableCamera)
  await camera.show((await drawDocumentScenes()).good)
  const { page } = await openGuidance(t, camera, 'document')
  await page.evaluate("Object.defineProperty(navigator, 'webdriver', { get: () => false })")
  const [none, still, noise, black] = (await page.evaluate(`(${report})(40)`)) as Record<string, unknown>[]
  t.deepEqual(none, {})
  t.like(still, { is_virtual_camera: false, camera_width: 1280, camera_height: 960, camera_frame_rate: 30 })
  t.true(
    Number(still?.camera_longest_repeat) >= 30 && Number(still?.camera_frame_interval_ms) > 0,
    JSON.stringify(still),
  )
  t.like(noise, { is_virtual_camera: true, camera_width: 320, camera_repeated_frames: 0, camera_longest_repeat: 0 })
  t.like(black, { camera_longest_repeat: 0 })
})

browserTest('The page reports nothing of a camera that the service would refuse', async t => {
  const { page } = await openGuidance(t, await openFakeCamera(t, tableCamera), 'document')
  t.like(await page.evaluate(`(${nonsense})()`), {
    camera_width: null,
    camera_height: null,
    camera_frame_rate: null,
    camera_frames: 9,
    camera_frame_interval_ms: null,
    camera_frame_jitter_ms: 0,
  })
})
