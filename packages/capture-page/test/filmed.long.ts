import test from 'ava'
import { inventCard, inventPhotographs } from '../../../lab/demo/people.ts'
import { cameraTest } from '../../../test/browser.ts'
import { fullChromiumPath } from '../../../test/chromium.ts'
import { sqlite } from '../../../test/database.ts'
import { type FakeCamera, openFakeCamera } from '../../../test/fake_camera.ts'
import { openRig, type Rig } from '../../../test/service/rig.ts'
import { createActor } from './filmed.ts'
import { emptyScene, type FilmedScenes, film, fitCamera, camera as size } from './filmed_scenes.ts'
import { phone } from './reader.ts'
import { openVisitor, type Visitor } from './visitor.ts'

// The real models decide; one camera films all, so that one person comes after the other.
const ends: (() => unknown)[] = []
let rig: Rig
let camera: FakeCamera
let holder: FilmedScenes

test.before(async () => {
  if (fullChromiumPath === null) return
  rig = await openRig(sqlite, {
    ANALYSIS_ENGINE: 'local',
    ANALYSIS_PROCESSES: '1',
    CHALLENGE_SECONDS: '600',
    CHALLENGE_ACTIONS: '5',
  })
  camera = await openFakeCamera({ teardown: end => ends.push(end) }, size, [])
  holder = await film(await inventPhotographs(false))
})
test.after.always(async () => {
  for (const end of ends) await end()
  await rig?.close()
})

interface Cues {
  readonly vibrations: readonly (readonly number[])[]
  readonly sounds: number
}

/** Lets a page record its vibrations, and the number of its sounds that came to their end. */
async function listen({ page }: Visitor): Promise<() => Promise<Cues>> {
  await page.evaluate(`(() => {
    window.cues = { vibrations: [], sounds: 0 }
    const vibrate = navigator.vibrate.bind(navigator)
    navigator.vibrate = pattern => vibrate(pattern) && cues.vibrations.push(pattern) > 0
    const { start } = OscillatorNode.prototype
    OscillatorNode.prototype.start = function (...at) {
      this.addEventListener('ended', () => cues.sounds++)
      start.apply(this, at)
    }
  })()`)
  return async () => (await page.evaluate('cues')) as Cues
}

cameraTest('A person is led by the camera from nothing in view to the approval, and hears what was taken', async t => {
  const { sdk_token, id } = await rig.open()
  const visitor = await openVisitor(t, camera.browser, `${rig.node().url}/verify#${sdk_token}`, phone)
  // A program that drives a browser can hide it.
  await visitor.page.evaluate("Object.defineProperty(navigator, 'webdriver', { get: () => false })")
  const heard = await listen(visitor)
  const asked = visitor.page.waitForResponse(response => response.url().endsWith('/liveness/challenge'))
  const actor = createActor(visitor, camera)
  await visitor.presses('I agree, start', 'Passport')
  await actor.films(await emptyScene())
  await visitor.reads('.hint', 'Hold your document into the frame')
  await visitor.sees('PICTURE_CAMERA')
  await camera.show(holder.blurred)
  await visitor.reads('.hint', 'Hold still')
  await camera.show(holder.document)
  await visitor.reads('h1', 'Take a picture of your face')
  await actor.films(await emptyScene())
  await visitor.reads('.hint', 'Look into the camera')
  await camera.show(holder.shut)
  await visitor.reads('.hint', 'Open your eyes')
  await camera.show(holder.face)
  await actor.follows(holder)
  await visitor.sees('RESULT')
  t.true((await visitor.text()).includes('Your identity is confirmed.'))
  const { actions } = (await (await asked).json()) as { actions: readonly string[] }
  const { vibrations, sounds } = await heard()
  const blink = [60, 60, 60]
  t.deepEqual(vibrations, [[80], [80], ...actions.flatMap(action => (action === 'BLINK' ? [blink, [80]] : [[80]]))])
  t.is(sounds, vibrations.length)
  const { decision, metadata, issues } = (await rig.view(id)).result_data as {
    decision: string
    metadata: {
      device: Record<'camera_width' | 'camera_height' | 'camera_longest_repeat', number> & {
        camera_label: string
        is_virtual_camera: boolean
      }
    }
    issues: { code: string; type: string }[]
  }
  t.is(decision, 'APPROVED')
  // Chromium's own camera shows a film, each of whose pictures is repeated.
  const { camera_label, is_virtual_camera, camera_width, camera_height, camera_longest_repeat } = metadata.device
  t.false(is_virtual_camera)
  t.regex(camera_label, /\.y4m$/)
  t.true(camera_width > 0 && camera_height > 0 && camera_longest_repeat > 0, JSON.stringify(metadata.device))
  t.is(issues.find(({ code }) => code === 'VIRTUAL_CAMERA_DETECTED')?.type, 'WARN')
})

cameraTest('A person other than the one on the document is followed to the end, and not confirmed', async t => {
  const impostor = await film(await inventPhotographs(true, 30))
  const { sdk_token, id } = await rig.open()
  const visitor = await openVisitor(t, camera.browser, `${rig.node().url}/verify#${sdk_token}`, phone)
  const actor = createActor(visitor, camera)
  await visitor.presses('I agree, start', 'Passport')
  await actor.films(impostor.document)
  await visitor.reads('h1', 'Take a picture of your face')
  await actor.films(impostor.face)
  await actor.follows(impostor)
  await visitor.sees('RESULT')
  t.true((await visitor.text()).includes('We could not confirm your identity'))
  const { decision, issues } = (await rig.view(id)).result_data as { decision: string; issues: { code: string }[] }
  t.is(decision, 'REJECTED')
  t.deepEqual(
    issues.filter(({ code }) => code.startsWith('FACE')).map(({ code }) => code),
    ['FACE_MISMATCH'],
  )
})

cameraTest('A wrong document is noticed; so is one side twice; sides may come in the other order', async t => {
  const card = await inventCard(40)
  const again = await inventCard(50)
  const { sdk_token } = await rig.open()
  const visitor = await openVisitor(t, camera.browser, `${rig.node().url}/verify#${sdk_token}`, phone)
  const actor = createActor(visitor, camera)
  await visitor.presses('I agree, start', 'Passport')
  await actor.films(await fitCamera(card.front))
  await visitor.sees('PICTURE_ADVICE')
  t.true((await visitor.text()).includes('Is it the right page or side?'))
  await visitor.presses('I have another document', 'Identity card')
  await visitor.reads('h1', 'Photograph the front')
  await actor.films(await fitCamera(card.back))
  await visitor.reads('h1', 'Now the back')
  await actor.films(await fitCamera(again.back))
  await visitor.sees('PICTURE_ADVICE')
  t.true((await visitor.text()).includes('Show the side with your photo.'))
  await camera.show(await fitCamera(card.front))
  await visitor.presses('Take it again')
  await visitor.reads('h1', 'Take a picture of your face')
})
